/* SPDX-License-Identifier: MIT */
/* Comparison of two groups of runs: how they are selected, named and formatted. */
import type { Change, Judged, Pairs, Run, Verdict } from '../base/answers';
import {
    formatBytes,
    type FormattedValue,
    formatSeconds,
    formatCount,
    formatFixed,
    int,
    MINUS,
    signed,
    text,
    THIN_SPACE,
} from '../base/units';

export type Tone = 'slower' | 'faster' | 'faint';

export interface FormattedChange {
    glyph: string;
    label: string;
    tone: Tone;
}

const SECONDS: Record<string, number> = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };
const MIB = 1024 * 1024;

export function isTime(unit: string): boolean {
    return unit in SECONDS;
}

/** A value in another unit; null if both are not the same, and not both of time. */
export function inUnit(value: number, unit: string, other: string): number | null {
    if (unit === other) return value;
    return isTime(unit) && isTime(other) ? (value * SECONDS[unit]) / SECONDS[other] : null;
}

/** Formats a single value; `unit` is the unit of the API. */
export function formatValueOf(value: number, unit: string): FormattedValue {
    if (isTime(unit)) return formatSeconds(value * SECONDS[unit]);
    if (unit === 'MiB' || unit === 'B') {
        const formatted = formatBytes(Math.abs(value) * (unit === 'B' ? 1 : MIB));
        return value < 0 ? { ...formatted, value: MINUS + formatted.value } : formatted;
    }
    return formatCount(value, unit);
}

/** Formats a single difference, always with its sign. */
export function formatDelta(delta: number, unit: string): FormattedValue {
    const { value, unit: unitText } = formatValueOf(Math.abs(delta), unit);
    if (delta === 0) return { value, unit: unitText };
    return { value: (delta < 0 ? MINUS : '+') + value, unit: unitText };
}

/** Word for an increase or decrease of a value in this unit. */
export function changeWord(up: boolean, unit: string): string {
    if (isTime(unit)) return up ? 'slower' : 'faster';
    return up ? 'more' : 'less';
}

/** The same for a measurement. better: -1 if lower values are better, 1 if higher ones are, 0 if neither. */
export function resultWord(up: boolean, unit: string, better: number): string {
    if (isTime(unit) && better <= 0) return up ? 'slower' : 'faster';
    if (better < 0) return up ? 'more' : 'less';
    return up ? 'higher' : 'lower';
}

/* Tone of a difference: that of an increase is "slower", unless higher values are better. */
function toneOfChange(up: boolean, better = -1): Tone {
    if (better === 0) return 'faint';
    return up === better < 0 ? 'slower' : 'faster';
}

/** Word for a row that one group lacks; modules are "imported". */
export function changeLabel(change: 'added' | 'removed', isImport: boolean): string {
    if (isImport) return change === 'added' ? 'newly imported' : 'no longer imported';
    return change === 'added' ? 'new' : 'gone';
}

function changedOf(change: Change | undefined, isImport: boolean): [string, string] | null {
    if (change !== 'added' && change !== 'removed') return null;
    return [change === 'added' ? '+' : MINUS, changeLabel(change, isImport)];
}

/* A benchmark that failed or was skipped in one of the groups. */
function failedLabel(row: { base?: unknown; new?: unknown }): string {
    if (row.base === null && row.new === null) return 'no value';
    return row.base === null ? 'no base value' : 'no new value';
}

/** Verdict of a row: glyph, word and tone. With one run per side it has only a glyph. */
export function verdictOf(
    row: {
        verdict: Verdict;
        delta: number | null;
        noise?: number | null;
        change?: Change;
        base?: unknown;
        new?: unknown;
        /** of measurements: -1: lower values are better, 1: higher, 0: neither */
        better?: number;
    },
    unit: string,
    isImport = false,
): FormattedChange {
    const up = (row.delta ?? 0) > 0;
    const tone = toneOfChange(up, row.better);
    const changed = changedOf(row.change, isImport);
    if (row.change === 'failed') return { glyph: '·', label: failedLabel(row), tone: 'faint' };
    if (row.change === 'unlisted') return { glyph: '·', label: 'not listed', tone: 'faint' };
    if (row.verdict === 'same' || row.verdict === 'few') {
        const few = row.better === undefined ? 'too few runs' : 'too few samples';
        const reason = row.verdict === 'same' ? 'within noise' : few;
        // Too few runs for a test: a difference above the noise has a sign, as with one run per side.
        const isSigned = row.verdict === 'few' && Math.abs(row.delta ?? 0) > (row.noise ?? 0);
        return {
            glyph: changed?.[0] ?? (isSigned ? (up ? '▲' : '▼') : '·'),
            label: changed ? `${changed[1]}, ${reason}` : reason,
            tone: isSigned ? tone : 'faint',
        };
    }
    if (changed) return { glyph: changed[0], label: changed[1], tone: row.delta ? tone : 'faint' };
    if (row.verdict === null) {
        return {
            glyph: !row.delta ? '·' : up ? '▲' : '▼',
            label: '',
            tone: row.delta ? tone : 'faint',
        };
    }
    return {
        glyph: row.verdict === 'up' ? '▲' : '▼',
        label:
            row.better === undefined
                ? changeWord(row.verdict === 'up', unit)
                : resultWord(row.verdict === 'up', unit, row.better),
        tone,
    };
}

/** Number format of a column: one unit, one number of decimals. */
export interface Scale {
    factor: number;
    unit: string;
    decimals: number;
}

const TIME_SCALES: [from_s: number, scale: { per_s: number; unit: string }][] = [
    [10, { per_s: 1, unit: 's' }],
    [0.01, { per_s: 1e3, unit: 'ms' }],
    [0, { per_s: 1e6, unit: 'µs' }],
];

/** Scale for a column whose largest value is `most`; `whole`: all values seen are integers. */
export function scaleOf(unit: string, most: number, whole: boolean): Scale {
    if (unit === 's') {
        const scale = TIME_SCALES.find(([from]) => most >= from)?.[1] ?? TIME_SCALES[2][1];
        return { factor: scale.per_s, unit: scale.unit, decimals: 3 };
    }
    // Tools that count in µs print ms with three decimals.
    if (isTime(unit)) return { factor: SECONDS[unit] * 1e3, unit: 'ms', decimals: 3 };
    if (unit === 'B') return { factor: 1 / MIB, unit: 'MiB', decimals: 3 };
    return { factor: 1, unit, decimals: whole ? 0 : unit === '%' ? 2 : 3 };
}

export function cellText(value: number, scale: Scale): string {
    const scaled = value * scale.factor;
    return formatFixed(scaled === 0 ? 0 : scaled, scale.decimals);
}

export function deltaText(value: number, scale: Scale): string {
    const scaled = value * scale.factor;
    const shown = formatFixed(Math.abs(scaled), scale.decimals);
    return /[1-9]/.test(shown) ? signed(scaled, scale.decimals) : shown;
}

export function pText(p: number): string {
    if (p < 0.0001) return `p < 0.0001`;
    return `p = ${formatFixed(p, p < 0.001 ? 4 : 3)}`;
}

/** Verdict of the headline as an emphasised phrase and the rest of the sentence, with the test. */
export function verdictText(
    judged: Judged & { pairs?: Pairs | null },
    unit: string,
    nBase: number,
    nNew: number,
): string[] {
    const { verdict, noise, p, low, high, pairs } = judged;
    if (verdict === null) {
        return [
            'one run each',
            ': significance unknown. Add repeat runs to tell a change from noise.',
        ];
    }
    const counts = `n = ${nBase} + ${nNew}`;
    if (verdict === 'few') {
        return [
            'too few runs',
            ` for a significance test (${counts}). Add runs: it needs 5 + 5, or 4 + 6.`,
        ];
    }
    const noiseText =
        noise === null ? '' : ` noise of ±${THIN_SPACE}${text(formatValueOf(noise, unit))}`;
    const range =
        low === null || high === null
            ? ''
            : `; 95${THIN_SPACE}% interval [${text(formatDelta(low, unit))}, ${text(formatDelta(high, unit))}]`;
    const test =
        p === null
            ? ''
            : pairs
              ? `; signed rank test ${pText(p)}, ${pairs.n} pairs`
              : `; Mann–Whitney ${pText(p)}, ${counts}`;
    if (verdict === 'same')
        return ['within noise', `${noiseText.replace(' noise', '')}${test}${range}.`];
    return [changeWord(verdict === 'up', unit), `, above the${noiseText}${test}${range}.`];
}

/** Name of a group: the name of its only run, or the common start of the names of its runs. If that
 * is too short, the common series or the name of the first run. */
export function groupName(runs: readonly Run[]): string {
    if (runs.length === 1) return runs[0].name;
    const [first] = runs;
    if (runs.every(({ name }) => name === first.name)) return first.name;
    const prefix = commonStart(runs.map(({ name }) => name)).replace(
        /[\s,.:#_(-]*(\brun|\brepeat)?[\s,.:#_(-]*$/i,
        '',
    );
    if (prefix.length >= 3) return prefix;
    return first.series && runs.every(({ series }) => series === first.series)
        ? first.series
        : first.name;
}

function commonStart(names: string[]): string {
    let end = names[0].length;
    for (const name of names) while (!name.startsWith(names[0].slice(0, end))) end--;
    // Do not cut inside a number: `run 1` of `run 10` and `run 11`.
    return names[0].slice(0, end).replace(/\d+$/, '');
}

const tagsOf = ({ tags }: Run): string =>
    Object.entries(tags)
        .filter(([name]) => name !== 'load')
        .sort()
        .map(([name, value]) => `${name}=${value}`)
        .join(',');

/** Splits runs into two groups of repeats, the older group first: by tags, else by names without
 * digits, else at the longest gap in time. Null for fewer than two runs. */
export function repeatGroups(runs: readonly Run[]): [base: Run[], fresh: Run[]] | null {
    if (runs.length < 2) return null;
    const byTime = [...runs].sort(
        (a, b) => Number(a.created_at > b.created_at) - Number(a.created_at < b.created_at),
    );
    for (const keyOf of [tagsOf, ({ name }: Run) => name.replace(/\d+/g, '#')]) {
        const keys = [...new Set(byTime.map(keyOf))];
        if (keys.length === 2) {
            return [0, 1].map((i) => byTime.filter((run) => keyOf(run) === keys[i])) as [
                Run[],
                Run[],
            ];
        }
    }
    const times = byTime.map(({ created_at }) => Date.parse(created_at));
    let splitIndex = Math.floor(runs.length / 2);
    const pause = (i: number) => times[i] - times[i - 1];
    for (let i = 1; i < times.length; i++) if (pause(i) > pause(splitIndex)) splitIndex = i;
    return [byTime.slice(0, splitIndex), byTime.slice(splitIndex)];
}

/** Sums of the ledgers of a group, in one line. */
export function ledgerOf(side: string, runs: Run[]): string {
    const sum = (key: 'stored' | 'rejected') =>
        runs.reduce((all, { ledger }) => all + ledger[key], 0);
    const count = runs.length > 1 ? `${int(runs.length)} runs, ` : '';
    return `${side}: ${count}${int(sum('stored'))} stored, ${int(sum('rejected'))} rejected`;
}

/** Parameters of two groups for the URL and the API. */
export function groupQuery(
    base: readonly Run[],
    fresh: readonly Run[],
): { base: string; new: string } {
    const ids = (runs: readonly Run[]) => runs.map(({ id }) => id).join(',');
    return { base: ids(base), new: ids(fresh) };
}

export function median(values: readonly number[]): number {
    const sorted = [...values].sort((a, b) => a - b);
    const at = sorted.length >> 1;
    return sorted.length % 2 ? sorted[at] : (sorted[at - 1] + sorted[at]) / 2;
}
