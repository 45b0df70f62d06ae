/* SPDX-License-Identifier: MIT */
/* URL of two reports side by side: `#/compare/side/VIEW?base=…&new=…&sort=…&base.fn=…`.
 *
 * Keys that both panels share are stored once: sort, search, filters, units. Ids and positions of
 * one run are stored for each panel, as `base.KEY` and `new.KEY`. */
import { kindHas } from '../base/kinds';
import type { Side } from '../base/panel';
import type { Query } from '../base/router';
import { formatAlign, parseAlign, swapAlign } from './time_align';

export const SIDES: readonly Side[] = ['base', 'new'];

export function otherSide(side: Side): Side {
    return side === 'base' ? 'new' : 'base';
}

/** Key of the id of the run that is shown, if a group has several. */
export const RUN_KEY = 'run';
/** Key of the alignment of the two time axes, see time_align.ts. */
export const ALIGN_KEY = 'align';

/** Keys whose values are ids or positions in one run. */
const PER_RUN_KEYS = new Set([
    RUN_KEY,
    ...['sel', 'open', 'module', 'zoom', 'frame', 'fn', 'focus', 'path_to', 'root', 'view'],
    ...['flame_zoom', 'flame_frame', 'sandwich_zoom', 'sandwich_frame', 'tf', 'threads'],
    ...['track', 'slice', 'file', 'line', 'calls', 'runs', 'path', 'm', 'span'],
    ...['action', 'y', 'pin', 'fold', 'order', 'high'],
    ...['request', 'engine_step', 'result'],
]);

/** The same for memory snapshots: events, stacks and allocations have other numbers in each. */
const SNAPSHOT_KEYS = new Set(['d', 'at', 'z', 's', 'a', 'fz']);

/* Whether the value of a URL key is valid in one run only. Operators of printed tables are
 * identified by number, operators of a trace by name. */
function isPerRun(key: string, kind: string): boolean {
    if (kindHas(kind, 'snapshot') && SNAPSHOT_KEYS.has(key)) return true;
    if (key === 'op') return kindHas(kind, 'printed_operators');
    return PER_RUN_KEYS.has(key);
}

/** The comparison table whose row ids are the values of a URL key; null if there is none. */
export function tableOfKey(kind: string, view: string, key: string): string | null {
    if (kindHas(kind, 'imports')) return ['sel', 'zoom', 'module'].includes(key) ? 'imports' : null;
    if (key === 'module') return 'modules';
    if (key === 'm') return 'measurements';
    if (key === 'op') return 'operators';
    if (key === 'action') return 'actions';
    if (view === 'lines' || view === 'across') return null;
    return ['fn', 'focus', 'path_to', 'root'].includes(key) ? 'functions' : null;
}

/** The query that one panel shows. */
export function panelQuery(query: Query, side: Side, kind: string): Query {
    const out: Query = {};
    for (const [key, value] of Object.entries(query)) {
        const ownKey = key.startsWith(`${side}.`) ? key.slice(side.length + 1) : null;
        if (ownKey !== null && ownKey !== RUN_KEY) out[ownKey] = value;
        if (ownKey === null && !key.includes('.') && key !== 'base' && key !== 'new') {
            if (!isPerRun(key, kind)) out[key] = value;
        }
    }
    return out;
}

/** The part of the query that stays when the view changes: groups, selected runs and alignment. */
export function groupKeys(query: Query): Query {
    const out: Query = {};
    for (const side of SIDES) {
        for (const key of [side, `${side}.${RUN_KEY}`]) if (query[key]) out[key] = query[key];
    }
    if (query[ALIGN_KEY]) out[ALIGN_KEY] = query[ALIGN_KEY];
    return out;
}

/** Merges `panelQueryOfSide`, the query of one panel, into the query of the page; the keys of the
 * other side stay. */
export function mergeQuery(query: Query, side: Side, panelQueryOfSide: Query, kind: string): Query {
    const out = groupKeys(query);
    const otherPrefix = `${otherSide(side)}.`;
    for (const [key, value] of Object.entries(query))
        if (key.startsWith(otherPrefix)) out[key] = value;
    for (const [key, value] of Object.entries(panelQueryOfSide)) {
        // a shared key can have a value for each panel: the tracks of two ranks of one run
        const isOwn = isPerRun(key, kind) || `${side}.${key}` in query;
        out[isOwn ? `${side}.${key}` : key] = value;
    }
    return out;
}

/** Selects another run of a group and removes the ids of the previous run. */
export function selectGroupRun(query: Query, side: Side, id: string): Query {
    const otherKeys = Object.entries(query).filter(([key]) => !key.startsWith(`${side}.`));
    return { ...Object.fromEntries(otherKeys), [`${side}.${RUN_KEY}`]: id };
}

/** Per-run keys of one side for which the other side has no value. */
export function unmatchedKeys(query: Query, side: Side): [key: string, value: string][] {
    return Object.entries(query)
        .filter(([key]) => key.startsWith(`${side}.`))
        .map(([key, value]): [string, string] => [key.slice(side.length + 1), value])
        .filter(([key]) => key !== RUN_KEY && query[`${otherSide(side)}.${key}`] === undefined);
}

/** Changed values of per-run keys; '' if a key was removed. */
export function perRunChanges(
    before: Query,
    after: Query,
    kind: string,
): [key: string, value: string][] {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys]
        .filter((key) => isPerRun(key, kind) && before[key] !== after[key])
        .map((key) => [key, after[key] ?? '']);
}

/** Swaps base and new, with all their keys. */
export function swapSides(query: Query): Query {
    const out: Query = {};
    for (const [key, value] of Object.entries(query)) {
        const side = SIDES.find(
            (candidate) => key === candidate || key.startsWith(`${candidate}.`),
        );
        out[side ? otherSide(side) + key.slice(side.length) : key] = value;
    }
    const align = formatAlign(swapAlign(parseAlign(query[ALIGN_KEY])));
    if (align) out[ALIGN_KEY] = align;
    return out;
}
