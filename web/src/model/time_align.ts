/* SPDX-License-Identifier: MIT
 *
 * Aligns the time axes of two runs. All functions are pure. A time of the base plus the shift is a
 * time of the new run.
 */
import type { TimelineAnswer } from '../base/answers';
import type { TraceStepRow as TraceStep } from '../base/rows';
import { parseView, shifted, type TimeView, viewText } from './timeline_view';

/** Alignment in the URL: `start`, `step:3:4` (numbers from 1), `event:ID:ID`, `ns:SHIFT`. */
export type Align =
    | { by: 'start' }
    | { by: 'step'; base: number; new: number }
    | { by: 'event'; base: number; new: number }
    | { by: 'ns'; shift: number };

export const START_ALIGNMENT: Align = { by: 'start' };

/** Parses the URL value. `step:3` is the third step of both runs; an invalid value means the start. */
export function parseAlign(text: string | undefined): Align {
    const match = /^(step|event):([1-9]\d{0,15})(?::([1-9]\d{0,15}))?$/.exec(text ?? '');
    if (match) {
        const base = Number(match[2]);
        const by = match[1] === 'step' ? 'step' : 'event';
        if (by === 'step' || match[3]) return { by, base, new: Number(match[3] ?? base) };
    }
    const shift = /^ns:(-?\d{1,15})$/.exec(text ?? '');
    return shift ? { by: 'ns', shift: Number(shift[1]) } : START_ALIGNMENT;
}

/** The URL value of an alignment; null for the default, the start. */
export function formatAlign(align: Align): string | null {
    if (align.by === 'start') return null;
    return align.by === 'ns' ? `ns:${align.shift}` : `${align.by}:${align.base}:${align.new}`;
}

/** Steps in order; for a job, those of its first worker. */
export function stepsOf({ steps }: TimelineAnswer): TraceStep[] {
    const first = Math.min(...steps.map(({ worker }) => worker));
    return steps
        .filter(({ worker }) => worker === first)
        .sort((a, b) => a.start_ns - b.start_ns || a.id - b.id);
}

/** Number of the step of the new run that matches step `number` of the base: the step of the same
 * name, else of the same number. */
export function matchingStep(base: TraceStep[], fresh: TraceStep[], number: number): number {
    const named = fresh.findIndex(({ name }) => name === base[number - 1]?.name);
    return named < 0 ? Math.min(number, fresh.length) : named + 1;
}

/** The aligned point of one run: its time in ns and the name of the event there. */
export interface Anchor {
    ns: number;
    name: string;
    /** duration in ns; null for a point in time */
    duration_ns: number | null;
}

export interface Anchors {
    base: Anchor;
    new: Anchor;
}

/** The slice named in the URL; null until it is loaded. */
export type Event = { id: number; name: string; start_ns: number; duration_ns: number } | null;

/** Anchors of an alignment. Falls back to the starts of the runs, also while `events` are loading. */
export function anchorsOf(
    align: Align,
    base: TimelineAnswer,
    fresh: TimelineAnswer,
    events: { base: Event; new: Event },
): Anchors {
    const start = { ns: 0, name: 'start', duration_ns: null };
    const starts = { base: start, new: start };
    if (align.by === 'ns') return { base: start, new: { ...start, ns: align.shift } };
    if (align.by === 'step') {
        const [a, b] = [stepsOf(base)[align.base - 1], stepsOf(fresh)[align.new - 1]];
        return a && b ? { base: anchorOf(a), new: anchorOf(b) } : starts;
    }
    if (align.by === 'event') {
        const { base: a, new: b } = events;
        if (a?.id !== align.base || b?.id !== align.new) return starts;
        return {
            base: anchorOf({ ...a, end_ns: a.start_ns + a.duration_ns }),
            new: anchorOf({ ...b, end_ns: b.start_ns + b.duration_ns }),
        };
    }
    return starts;
}

function anchorOf(of: { name: string; start_ns: number; end_ns: number }): Anchor {
    return { ns: of.start_ns, name: of.name, duration_ns: of.end_ns - of.start_ns };
}

export const shiftOf = (anchors: Anchors): number => anchors.new.ns - anchors.base.ns;

/** The next (`by` 1) or previous (`by` -1) pair of steps; null if one of the runs has no more. */
export function stepBy(
    align: Align,
    by: number,
    base: TraceStep[],
    fresh: TraceStep[],
): Align | null {
    const now = align.by === 'step' ? align : null;
    const [a, b] = now ? [now.base + by, now.new + by] : [1, matchingStep(base, fresh, 1)];
    if (a < 1 || b < 1 || a > base.length || b > fresh.length) return null;
    return { by: 'step', base: a, new: b };
}

/** The visible range of the common axis in the base's time: it covers both runs. */
export function commonRange(base: TimeView, fresh: TimeView, shift: number): TimeView {
    return {
        from: Math.min(base.from, fresh.from - shift),
        to: Math.max(base.to, fresh.to - shift),
    };
}

/** Position of a run on the common axis. */
export interface AxisPosition {
    /** ns of the run: the aligned time */
    origin: number;
    /** range that covers both runs, in the run's own time */
    range: TimeView;
    /** ns to add to a time of the base */
    shift: number;
}

export function axisPositions(
    anchors: Anchors,
    base: TimeView,
    fresh: TimeView,
): { base: AxisPosition; new: AxisPosition } {
    const shift = shiftOf(anchors);
    const range = commonRange(base, fresh, shift);
    return {
        base: { origin: anchors.base.ns, range, shift: 0 },
        new: { origin: anchors.new.ns, range: shifted(range, shift), shift },
    };
}

type Query = Record<string, string>;

const PAGE_KEYS = ['origin', 'reach'];

/* Moves the range in `from_ns` and `to_ns` by `by` ns: the URL stores it in the base's time. The
 * part before `least` is removed. */
function moveRange(query: Query, by: number, least: number): Query {
    const { from_ns, to_ns, ...rest } = query;
    if (from_ns === undefined || to_ns === undefined || by === 0) return query;
    const [from, to] = [Math.max(least, Number(from_ns) + by), Number(to_ns) + by];
    return to > from ? { ...rest, from_ns: String(from), to_ns: String(to) } : rest;
}

/** Query of a run for its panel, with the values that only the page knows. */
export function withAxisPosition(query: Query, position: AxisPosition | null): Query {
    if (!position) return query;
    return {
        ...moveRange(query, position.shift, 0),
        origin: String(position.origin),
        reach: viewText(position.range),
    };
}

/** The part of a panel's query that is stored in the URL of the page. */
export function withoutAxisPosition(query: Query, position: AxisPosition | null): Query {
    const urlEntries = Object.entries(query).filter(([key]) => !PAGE_KEYS.includes(key));
    return moveRange(Object.fromEntries(urlEntries), -(position?.shift ?? 0), -Infinity);
}

/** Converts a view of the base from origin `before` to origin `after`. */
export function moveOrigin(at: string | undefined, before: number, after: number): string | null {
    const view = parseView(at, { from: -Infinity, to: Infinity });
    return view && viewText(shifted(view, before - after));
}

/** The alignment after base and new were swapped. */
export function swapAlign(align: Align): Align {
    if (align.by === 'start') return align;
    if (align.by === 'ns') return { by: 'ns', shift: align.shift === 0 ? 0 : -align.shift };
    return { by: align.by, base: align.new, new: align.base };
}
