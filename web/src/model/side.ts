/* SPDX-License-Identifier: MIT */
/*
 * The address of two reports side by side: `#/compare/side/VIEW?base=…&new=…&sort=…&base.fn=…`.
 *
 * What both panels share stands in it once: sort, search, filters, units. What is an id or a
 * position of one run stands there for each of them, as `base.KEY` and `new.KEY`.
 */
import type { Side } from '../base/panel';
import type { Query } from '../base/router';
import { alignText, readAlign, swapped } from './time_align';

export const SIDES: readonly Side[] = ['base', 'new'];

export function otherSide(side: Side): Side {
    return side === 'base' ? 'new' : 'base';
}

/** Which of several runs of a group is shown: its id. */
export const RUN_KEY = 'run';
/** At which moment two runs are laid one above the other. */
export const ALIGN_KEY = 'align';

/** Keys whose values are ids and positions of one run. */
const OWN = new Set([
    RUN_KEY,
    ...['sel', 'open', 'module', 'zoom', 'frame', 'fn', 'focus', 'path_to', 'root', 'view'],
    ...['flame_zoom', 'flame_frame', 'callers_zoom', 'callers_frame', 'callees_zoom'],
    ...['callees_frame', 'track', 'slice', 'file', 'line', 'calls', 'runs', 'path', 'm', 'span'],
    ...['action', 'y'],
]);

const TIMELINES = [
    'torch-trace',
    'trace',
    'nsys',
    'folded',
    'speedscope',
    'gecko',
    'flamegraph-svg',
];

/* Operators of printed tables are told by their number, those of a trace by their name; what is
 * folded of a timeline are its tracks, what is taken out elsewhere are origins. */
function isOwn(key: string, kind: string): boolean {
    if (key === 'op') return kind === 'key-averages';
    if (key === 'off') return TIMELINES.includes(kind);
    return OWN.has(key);
}

/** The table of a comparison in which a key of the URL is the id of a row. */
export function tableOfKey(kind: string, view: string, key: string): string | null {
    if (kind === 'importtime') return ['sel', 'zoom', 'module'].includes(key) ? 'imports' : null;
    if (key === 'module') return 'modules';
    if (key === 'm') return 'measurements';
    if (key === 'op') return 'operators';
    if (key === 'action') return 'actions';
    if (view === 'lines' || view === 'across') return null;
    return ['fn', 'focus', 'path_to', 'root'].includes(key) ? 'functions' : null;
}

/** What one panel is asked to show. */
export function panelQuery(query: Query, side: Side, kind: string): Query {
    const out: Query = {};
    for (const [key, value] of Object.entries(query)) {
        const own = key.startsWith(`${side}.`) ? key.slice(side.length + 1) : null;
        if (own !== null && own !== RUN_KEY) out[own] = value;
        if (own === null && !key.includes('.') && key !== 'base' && key !== 'new') {
            if (!isOwn(key, kind)) out[key] = value;
        }
    }
    return out;
}

/** The groups and the runs picked of them: what stays when the view changes. */
export function groupKeys(query: Query): Query {
    const out: Query = {};
    for (const side of SIDES) {
        for (const key of [side, `${side}.${RUN_KEY}`]) if (query[key]) out[key] = query[key];
    }
    if (query[ALIGN_KEY]) out[ALIGN_KEY] = query[ALIGN_KEY];
    return out;
}

/** The whole query, when the panel of one side asks for `asked`; the other keeps its own keys. */
export function mergeQuery(query: Query, side: Side, asked: Query, kind: string): Query {
    const out = groupKeys(query);
    const beside = `${otherSide(side)}.`;
    for (const [key, value] of Object.entries(query)) if (key.startsWith(beside)) out[key] = value;
    for (const [key, value] of Object.entries(asked)) {
        out[isOwn(key, kind) ? `${side}.${key}` : key] = value;
    }
    return out;
}

/** Another run of a group: what was chosen in the one before is nothing in it. */
export function pickRun(query: Query, side: Side, id: string): Query {
    const kept = Object.entries(query).filter(([key]) => !key.startsWith(`${side}.`));
    return { ...Object.fromEntries(kept), [`${side}.${RUN_KEY}`]: id };
}

/** Own keys of one side that the other has no value for. */
export function aloneKeys(query: Query, side: Side): [key: string, value: string][] {
    return Object.entries(query)
        .filter(([key]) => key.startsWith(`${side}.`))
        .map(([key, value]): [string, string] => [key.slice(side.length + 1), value])
        .filter(([key]) => key !== RUN_KEY && query[`${otherSide(side)}.${key}`] === undefined);
}

/** What changed among the keys of one run; '' where one went. */
export function ownChanges(
    before: Query,
    after: Query,
    kind: string,
): [key: string, value: string][] {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys]
        .filter((key) => isOwn(key, kind) && before[key] !== after[key])
        .map((key) => [key, after[key] ?? '']);
}

/** Base and new change places, with all that is of one of them. */
export function swapSides(query: Query): Query {
    const out: Query = {};
    for (const [key, value] of Object.entries(query)) {
        const side = SIDES.find((one) => key === one || key.startsWith(`${one}.`));
        out[side ? otherSide(side) + key.slice(side.length) : key] = value;
    }
    const align = alignText(swapped(readAlign(query[ALIGN_KEY])));
    if (align) out[ALIGN_KEY] = align;
    return out;
}
