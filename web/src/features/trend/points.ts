/* SPDX-License-Identifier: MIT
 *
 * A metric over runs: positions of the points, labels of change points, and the runs to compare.
 */
import type { Trend, TrendChange, TrendPoint } from '../../base/answers';
import { THIN_SPACE, clock, int, formatIsoDay, plural, signed, text, when } from '../../base/units';
import { formatDelta, formatValueOf, pText, changeWord } from '../../model/compare';

export interface Span {
    from: number;
    to: number;
}

/** Whether the points are in time order; points that group runs by a tag may be in another
 * order. */
export function isInTime({ points }: Trend): boolean {
    return points.every(({ at }, i) => i === 0 || Date.parse(at) >= Date.parse(points[i - 1].at));
}

/** Position of each point: its index, or its time in ms. */
export function positionsOf({ points }: Trend, byTime: boolean): number[] {
    return points.map((point, i) => (byTime ? Date.parse(point.at) : i));
}

/** The visible range: all positions, with a margin. */
export function spanOf(positions: readonly number[]): Span {
    const from = Math.min(...positions);
    const to = Math.max(...positions);
    const margin = to > from ? (to - from) * 0.02 : 1;
    return { from: from - margin, to: to + margin };
}

const MARGIN = 0.08;
/** Margin above the values, as a share of their range, with space for the labels of change
 * points. */
const LABEL_MARGIN = 0.3;

/** Range of the vertical axis: all values with their spread, the baseline, and space for labels. */
export function rangeOf(trend: Trend, fromZero: boolean): Span {
    const values = trend.points.flatMap(({ value, mad }) => [
        value - (mad ?? 0),
        value + (mad ?? 0),
    ]);
    if (trend.baseline?.value != null) values.push(trend.baseline.value);
    if (fromZero) values.push(0);
    let low = values.reduce((a, b) => Math.min(a, b), Infinity);
    let high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    if (low === high) {
        const fallbackHalf = Math.abs(low) / 10 || 1;
        [low, high] = [fromZero && low === 0 ? 0 : low - fallbackHalf, high + fallbackHalf];
    }
    const height = high - low;
    return {
        from: low - (fromZero && low === 0 ? 0 : height * MARGIN),
        to: high + height * (trend.changes.length ? LABEL_MARGIN : MARGIN),
    };
}

/** Index of the point whose position is nearest to `at`. */
export function nearest(positions: readonly number[], at: number): number {
    let best = 0;
    positions.forEach((place, i) => {
        if (Math.abs(place - at) < Math.abs(positions[best] - at)) best = i;
    });
    return best;
}

/** Medians between the change points, as horizontal segments: [first position, last position, value]. */
export function levelsOf(trend: Trend, positions: readonly number[]): [number, number, number][] {
    const segment = (from: number, to: number, value: number): [number, number, number] => [
        positions[from],
        positions[to - 1],
        value,
    ];
    return trend.changes.flatMap((change, i) => [
        ...(i === 0 ? [segment(change.from, change.index, change.before)] : []),
        segment(change.index, change.to, change.after),
    ]);
}

/** Position halfway between the last point of the old level and the first point of the new
 * level. */
export function changePosition(change: TrendChange, positions: readonly number[]): number {
    return (positions[change.index - 1] + positions[change.index]) / 2;
}

const DAY_MS = 86_400_000;

/** Formats a time on an axis of `length_ms`, so precisely that neighbouring ticks differ. */
export function tickTime(time: Date, length_ms: number): string {
    if (length_ms > 3 * DAY_MS) return formatIsoDay(time);
    const seconds = String(time.getSeconds()).padStart(2, '0');
    const day = length_ms > DAY_MS / 2 ? `${formatIsoDay(time).slice(5)} ` : '';
    return `${day}${clock(time)}${length_ms < 600_000 ? `:${seconds}` : ''}`;
}

export function pctText(delta: number, of: number): string {
    return of === 0 ? '' : `${signed((100 * delta) / Math.abs(of), 1)}${THIN_SPACE}%`;
}

export interface ChangeText {
    tone: 'slower' | 'faster';
    /** "▲ +12.3 %" */
    short: string;
    /** "slower by 4.1 ms (+12.4 %): median 33.0 ms before, 37.1 ms after, p = 0.001" */
    long: string;
}

export function changeText(change: TrendChange, unit: string): ChangeText {
    const up = change.delta > 0;
    const format = (value: number) => text(formatValueOf(value, unit));
    const pct = pctText(change.delta, change.before);
    return {
        tone: up ? 'slower' : 'faster',
        short: `${up ? '▲' : '▼'} ${pct || text(formatDelta(change.delta, unit))}`,
        long:
            `${changeWord(up, unit)} by ${format(Math.abs(change.delta))}${pct && ` (${pct})`}: ` +
            `median ${format(change.before)} before, ${format(change.after)} after, ${pText(change.p)}`,
    };
}

/** What the names of all parameter sets of a benchmark begin with: `bench.time_sort(` for
 * `bench.time_sort(10, 'str')`. Empty if the name has no parameters. */
export function benchmarkPrefix(name: string): string {
    return /^[^([]+[([]/.exec(name)?.[0] ?? '';
}

const COMMIT_DIGITS = 10;

/** The commits between which the level changed, as a range of git: the last of the old level and
 * the first of the new one. Empty if the runs have no such tags, or
 * both are the same. */
export function commitsOf({ points }: Trend, { index }: TrendChange): string {
    const [before, after] = [points[index - 1]?.tags.commit, points[index]?.tags.commit];
    return before && after && before !== after
        ? `${before.slice(0, COMMIT_DIGITS)}..${after.slice(0, COMMIT_DIGITS)}`
        : '';
}

/** Summary of a trend, in a sentence. */
export function summarize(trend: Trend): { tone: string; phrase: string; rest: string } {
    const { points, changes, unit, by } = trend;
    const last = changes[changes.length - 1];
    const point = by ? 'point' : 'run';
    if (points.length < 10 && !last) {
        return {
            tone: '',
            phrase: '',
            rest: `${plural(points.length, point)}: a change point needs at least ten. Add more runs.`,
        };
    }
    if (!last) {
        return {
            tone: '',
            phrase: 'No change point',
            rest: ` in ${int(points.length)} ${point}s: the level did not change.`,
        };
    }
    const since = points[last.index];
    const { tone, long } = changeText(last, unit);
    const commits = commitsOf(trend, last);
    const more = changes.length > 1 ? ` ${int(changes.length - 1)} earlier.` : '';
    return {
        tone,
        phrase: `${last.delta > 0 ? '▲' : '▼'} ${long.split(':')[0]}`,
        rest: ` since ${since.by ?? since.name}, ${when(since.at)}${commits && `, commits ${commits}`};${long.slice(long.indexOf(':') + 1)}.${more}`,
    };
}

/** Maximum number of runs of a point that are compared. */
const MAX_GROUP = 200;
const RUNS_AROUND = 5;

export interface Groups {
    base: string[];
    new: string[];
}

/** The last five runs before the change point and the first five after it. */
export function aroundChange({ points }: Trend, { from, index, to }: TrendChange): Groups {
    const ids = (a: number, b: number) => points.slice(a, b).flatMap((point) => point.ids);
    return {
        base: ids(from, index).slice(-RUNS_AROUND),
        new: ids(index, to).slice(0, RUNS_AROUND),
    };
}

/** Groups of two points; the earlier point is the base. */
export function pairOf({ points }: Trend, one: number, other: number): Groups {
    const ids = (point: TrendPoint) => point.ids.slice(-MAX_GROUP);
    const [a, b] = one < other ? [one, other] : [other, one];
    return { base: ids(points[a]), new: ids(points[b]) };
}

export interface TrendRow {
    index: number;
    point: TrendPoint;
    previous: number | null;
    change: TrendChange | null;
}

/** Rows of the table, newest first. */
export function rowsOf({ points, changes }: Trend): TrendRow[] {
    const stepAt = new Map(changes.map((change) => [change.index, change]));
    return points
        .map((point, index) => ({
            index,
            point,
            previous: index > 0 ? points[index - 1].value : null,
            change: stepAt.get(index) ?? null,
        }))
        .reverse();
}

/** Kinds of the runs that were left out because of their kind. */
export function otherKinds({ left_out }: Trend): string[] {
    return left_out.flatMap(({ why }) => /^of kind (.+)$/.exec(why)?.[1] ?? []);
}
