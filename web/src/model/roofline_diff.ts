/* SPDX-License-Identifier: MIT
 *
 * Two rooflines: operators with equal shapes and types in both runs, their times, and how far each is
 * from its limit.
 */
import type { Roofline } from '../base/answers';
import { pct, plural, signed, THIN_SPACE } from '../base/units';
import type { Both } from './inference_diff';
import {
    mergeItems,
    type RooflineBy,
    rooflineItems,
    type RooflineItem,
    shapesText,
    SMALL_SHARE,
} from './roofline';
import type { Matcher } from './search';
import { ms } from './trace_range';
import { deviceWord } from './device';

type Side = 'base' | 'new';

/** What the times of a row are divided by: 1, or its calls. */
export type RooflinePer = 'run' | 'call';

/** An operator in one of the runs. Its `key` is that of its row in the tab Roofline. */
export interface RooflineSide extends RooflineItem {
    /** time minus the time at the limit; null: no limit is known */
    above_ns: number | null;
    /** the tab Roofline hides it unless asked for short ones */
    isSmall: boolean;
}

export interface RooflineDiff {
    key: string;
    name: string;
    family: number;
    /** "15360×4096 · 24576×4096"; '' for several shapes */
    shapes: string;
    /** types of the tensors: "bf16"; "bf16, fp32" */
    types: string;
    base: RooflineSide | null;
    new: RooflineSide | null;
    /** new − base; a run without the row has 0 */
    delta: number;
    /** percent of base; null: one run lacks the row */
    delta_pct: number | null;
}

const TYPE_NAMES: Record<string, string> = {
    'c10::BFloat16': 'bf16',
    'c10::Half': 'fp16',
    float: 'fp32',
    double: 'fp64',
    'long int': 'int64',
    int: 'int32',
    'unsigned char': 'uint8',
    'signed char': 'int8',
};

const typeName = (type: string): string =>
    TYPE_NAMES[type] ?? type.replace(/^c10::/, '').toLowerCase();

function listOf(text: string | null): unknown[] | null {
    try {
        const list: unknown = JSON.parse(text ?? '');
        return Array.isArray(list) ? list : null;
    } catch {
        return null;
    }
}

/** The inputs that are tensors, or lists of them. Versions of torch differ in what they record of scalars. */
export function tensorsOf(
    shapes: string | null,
    types: string | null,
): { shapes: string; types: string[] } {
    const dims = listOf(shapes);
    const names = listOf(types);
    if (!dims) return { shapes: shapes ?? '', types: [] };
    const used = dims.map((one) => Array.isArray(one) && one.length > 0);
    return {
        shapes: JSON.stringify(dims.filter((_, i) => used[i])),
        types: (names ?? []).filter((_, i) => used[i]).map(String),
    };
}

/** Types of the numbers, each once: "bf16, int64". */
export function typesText(types: readonly string[]): string {
    return [...new Set(types.filter(Boolean).map(typeName))].join(', ');
}

interface Found {
    name: string;
    family: number;
    shapes: string;
    types: string;
    items: RooflineItem[];
}

/* Items of a run by what the other run must have too. */
function groupsOf(answer: Roofline, by: RooflineBy): Map<string, Found> {
    const items = rooflineItems(answer, 'shape');
    const groups = new Map<string, Found>();
    answer.rows.forEach((row, i) => {
        const tensors = tensorsOf(row.shapes, row.types);
        const types = typesText(tensors.types);
        const key = JSON.stringify(
            by === 'shape' ? [row.name, tensors.shapes, tensors.types] : [row.name, types],
        );
        const found = groups.get(key);
        if (found) found.items.push(items[i]);
        else
            groups.set(key, {
                name: row.name,
                family: row.family,
                shapes: by === 'shape' ? shapesText(row.shapes) : '',
                types,
                items: [items[i]],
            });
    });
    return groups;
}

function sideOf(
    found: Found | undefined,
    by: RooflineBy,
    per: RooflinePer,
    total: number,
): RooflineSide | null {
    if (!found) return null;
    const all = mergeItems(found.items);
    const share = per === 'call' ? Math.max(1, all.calls) : 1;
    const limit_ns = all.limit_ns === null ? null : all.limit_ns / share;
    const ns = all.ns / share;
    return {
        ...all,
        key: by === 'shape' ? found.items[0].key : found.name,
        ns,
        limit_ns,
        above_ns: limit_ns === null ? null : ns - limit_ns,
        isSmall: found.items[0].ns < SMALL_SHARE * total,
    };
}

/**
 * Rows of both runs. Shapes and types are equal or they are not: no pair is guessed. The largest
 * difference comes first.
 */
export function rooflineDiffs(
    runs: Both<Roofline>,
    by: RooflineBy,
    per: RooflinePer = 'run',
): RooflineDiff[] {
    const groups = { base: groupsOf(runs.base, by), new: groupsOf(runs.new, by) };
    const keys = new Set([...groups.base.keys(), ...groups.new.keys()]);
    const rows: RooflineDiff[] = [];
    for (const key of keys) {
        const [old, now] = [groups.base.get(key), groups.new.get(key)];
        const found = old ?? now;
        if (!found) continue;
        const { name, family, shapes, types, items } = found;
        const base = sideOf(old, by, per, runs.base.device_ns);
        const fresh = sideOf(now, by, per, runs.new.device_ns);
        const delta = (fresh?.ns ?? 0) - (base?.ns ?? 0);
        rows.push({
            key: `${base ? 'b' : 'n'}${items[0].key}`,
            name,
            family,
            shapes,
            types,
            base,
            new: fresh,
            delta,
            delta_pct: base && fresh && base.ns > 0 ? (100 * delta) / base.ns : null,
        });
    }
    return sortRooflineDiffs(rows, { key: 'size', desc: true });
}

/** Whether both runs have the row. */
export const isShared = (row: RooflineDiff): boolean => row.base !== null && row.new !== null;

/** "memory"; "memory → compute" where the runs differ; '' without a limit in either. */
export function boundText({ base, new: fresh }: RooflineDiff): string {
    const [old, now] = [base, fresh].map((side) =>
        side?.limit_ns == null ? '' : (side.bound ?? 'both'),
    );
    if (!old || !now || old === now) return old || now;
    return `${old} → ${now}`;
}

const VALUES: Record<string, (row: RooflineDiff) => number | string | null> = {
    name: ({ name, shapes }) => `${name} ${shapes}`,
    base_ns: ({ base }) => base?.ns ?? null,
    new_ns: ({ new: fresh }) => fresh?.ns ?? null,
    size: ({ delta }) => Math.abs(delta),
    delta: ({ delta }) => delta,
    delta_pct: ({ delta_pct }) => delta_pct,
    base_percent: ({ base }) => base?.percent ?? null,
    new_percent: ({ new: fresh }) => fresh?.percent ?? null,
    base_above: ({ base }) => base?.above_ns ?? null,
    new_above: ({ new: fresh }) => fresh?.above_ns ?? null,
    bound: (row) => boundText(row) || null,
    calls: ({ base, new: fresh }) => Math.max(base?.calls ?? 0, fresh?.calls ?? 0),
};

/** Rows by a column of the table; those without a value are the last ones. */
export function sortRooflineDiffs(
    rows: readonly RooflineDiff[],
    { key, desc }: { key: string; desc: boolean },
): RooflineDiff[] {
    const valueOf = VALUES[key] ?? VALUES.size;
    const sign = desc ? -1 : 1;
    const most = ({ base, new: fresh }: RooflineDiff) => Math.max(base?.ns ?? 0, fresh?.ns ?? 0);
    return rows
        .map((row) => ({ row, value: valueOf(row) }))
        .sort((a, b) => {
            if (a.value === null || b.value === null)
                return Number(a.value === null) - Number(b.value === null);
            const order =
                typeof a.value === 'string' || typeof b.value === 'string'
                    ? String(a.value).localeCompare(String(b.value))
                    : a.value - b.value;
            return sign * order || most(b.row) - most(a.row);
        })
        .map(({ row }) => row);
}

/** Whether the row has the text that a person searches. */
export const matchesDiff = ({ name, shapes, types }: RooflineDiff, search: Matcher): boolean =>
    [name, shapes, types].some((text) => search.test(text));

/** Query of the tab Roofline of a run that selects the row; null: the run lacks the row. */
export function rooflineQuery(
    row: RooflineDiff,
    side: Side,
    by: RooflineBy,
): Record<string, string> | null {
    const item = row[side];
    if (!item) return null;
    return {
        op: item.key,
        ...(by === 'operator' && { by }),
        ...(item.isSmall && { small: '1' }),
    };
}

const deviceOf = ({ device }: Roofline): string => device || 'the device';
const hasLimits = ({ limit_ns, limited_ns }: Roofline): boolean =>
    limit_ns !== null && limited_ns > 0;

/** Whether the limits of operators are known in one of the runs. */
export const knowsLimits = (runs: Both<Roofline>): boolean =>
    hasLimits(runs.base) || hasLimits(runs.new);

/** "MI300X against H100 SXM"; one name if both runs have the same peaks; '' if no peaks are known. */
export function peaksText({ base, new: fresh }: Both<Roofline>): string {
    if (!base.peaks && !fresh.peaks) return '';
    const [old, now] = [base, fresh].map((run) => run.peaks?.name ?? deviceOf(run));
    return old === now ? old : `${old} against ${now}`;
}

const time = (ns: number): string => `${ms(ns)}${THIN_SPACE}ms`;
const change = (ns: number): string => `${signed(ns / 1e6, 3)}${THIN_SPACE}ms`;

/* What is above the limits, and of which device the peaks are not known. */
function limitsSay(runs: Both<Roofline>): string {
    const sides = (['base', 'new'] as const).map((side) => ({ side, run: runs[side] }));
    const parts = sides
        .filter(({ run }) => hasLimits(run))
        .map(
            ({ side, run }) =>
                `${time(run.limited_ns - (run.limit_ns ?? 0))} of ${ms(run.limited_ns)} in ${side}`,
        );
    const unknown = sides.filter(({ run }) => !hasLimits(run) && run.modelled_ns > 0);
    const devices = [...new Set(unknown.map(({ run }) => deviceOf(run)))].join(' and ');
    return [
        parts.length > 0 ? `Above their limits: ${parts.join(', ')}.` : '',
        devices
            ? `The peaks of ${devices} are not known, so ${parts.length > 0 ? 'its operators have no limits' : 'there are no limits and no percentages'}.`
            : '',
    ]
        .filter(Boolean)
        .join(' ');
}

/**
 * What differs: a sentence with the times of operators with a model, and one with the part of rows
 * with equal shapes and with what is above the limits. `rows` are those by shape, per run.
 */
export function rooflineDiffSays(
    runs: Both<Roofline>,
    rows: readonly RooflineDiff[],
): [first: string, second: string] {
    const [base, fresh] = [runs.base.modelled_ns, runs.new.modelled_ns];
    if (base === 0 && fresh === 0)
        return [
            'No operator has shapes from which its work follows.',
            'Record both runs with record_shapes=True.',
        ];
    const equal = rows.filter((row) => row.base?.hasModel && row.new?.hasModel);
    const delta = equal.reduce((sum, row) => sum + row.delta, 0);
    const percent =
        base > 0
            ? `, ${fresh > base ? '+' : ''}${pct((100 * (fresh - base)) / base)}${THIN_SPACE}%`
            : '';
    const shapes =
        equal.length === 0
            ? 'No operator with a model has equal shapes in both.'
            : `${plural(equal.length, 'row')} with equal shapes ${equal.length === 1 ? 'differs' : 'differ'} by ${change(delta)}, the others by ${change(fresh - base - delta)}.`;
    return [
        `Operators with a model take ${time(base)} → ${time(fresh)} of the ${deviceWord()}${percent}.`,
        `${shapes} ${limitsSay(runs)}`.trim(),
    ];
}
