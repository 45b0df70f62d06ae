/* SPDX-License-Identifier: MIT
 *
 * How the user has arranged the tracks: pinned, folded, reordered, resized, filtered. The
 * arrangement is in the URL; this module parses and writes it. Tracks are named by lane keys (`t3`,
 * `m1:0`, `c2`); the lane of the busy share follows its stream.
 */
import type { Query } from '../../base/router';

/** Lane `key` stands above lane `before`; '' is the end. */
interface Move {
    key: string;
    before: string;
}

export interface Arrangement {
    /** keys of the pinned lanes; null: the default, which depends on the trace */
    pinned: readonly string[] | null;
    isFolded: (key: string) => boolean;
    moves: readonly Move[];
    /** height in px by lane key */
    heights: ReadonlyMap<string, number>;
    /** words of the track filter; `*` shows all tracks of a trace with many tracks */
    filter: string;
}

export const ARRANGEMENT_KEYS = ['pin', 'fold', 'order', 'high', 'tracks'] as const;

type Changes = Record<string, string | null>;

const NONE = 'none';
/** all lanes but the listed ones are folded */
const ALL = '*';
const SEPARATOR = ',';
const JOINT = '.';

const listOf = (text: string | undefined): string[] => (text ? text.split(SEPARATOR) : []);

interface Folds {
    /** true: the keys are those of the lanes that are not folded */
    isInverse: boolean;
    keys: Set<string>;
}

function parseFolds(text: string | undefined): Folds {
    const keys = new Set(listOf(text));
    return { isInverse: keys.delete(ALL), keys };
}

function parsePairs(text: string | undefined): [string, string][] {
    return listOf(text).flatMap((pair): [string, string][] => {
        const at = pair.indexOf(JOINT);
        return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)]] : [];
    });
}

const textOfPairs = (pairs: Iterable<readonly [string, string | number]>): string | null =>
    [...pairs].map(([key, value]) => `${key}${JOINT}${value}`).join(SEPARATOR) || null;

export function parseArrangement(query: Query): Arrangement {
    const { isInverse, keys } = parseFolds(query.fold);
    const heights = parsePairs(query.high)
        .map(([key, px]): [string, number] => [key, Number(px)])
        .filter(([, px]) => px > 0 && px < 10_000);
    return {
        pinned: query.pin ? (query.pin === NONE ? [] : listOf(query.pin)) : null,
        isFolded: (key) => keys.has(key) !== isInverse,
        moves: parsePairs(query.order).map(([key, before]) => ({ key, before })),
        heights: new Map(heights),
        filter: query.tracks ?? '',
    };
}

/** Folds the lanes, or unfolds them if all of them are folded. */
export function foldChanges(query: Query, lanes: readonly string[]): Changes {
    const { isInverse, keys } = parseFolds(query.fold);
    const listed = lanes.filter((key) => keys.has(key)).length;
    const unfolds = isInverse ? listed === 0 : listed === lanes.length;
    for (const key of lanes) {
        if (unfolds === isInverse) keys.add(key);
        else keys.delete(key);
    }
    return { fold: [...(isInverse ? [ALL] : []), ...keys].join(SEPARATOR) || null };
}

/** Folds all lanes, or unfolds all if all are folded. */
export function foldAllChanges(query: Query): Changes {
    return { fold: query.fold === ALL ? null : ALL };
}

/** Pins a lane, or unpins it; `pinned` are the keys that are pinned now. */
export function pinChanges(pinned: readonly string[], key: string): Changes {
    const next = pinned.includes(key) ? pinned.filter((one) => one !== key) : [...pinned, key];
    return { pin: next.join(SEPARATOR) || NONE };
}

/** Moves a lane above another one; '' moves it to the end. */
export function moveChanges(query: Query, key: string, before: string): Changes {
    const moves = parsePairs(query.order).filter(([moved]) => moved !== key);
    return { order: textOfPairs([...moves, [key, before]]) };
}

/** Sets the height of a lane; null restores its own height. */
export function heightChanges(query: Query, key: string, px: number | null): Changes {
    const heights = new Map(parsePairs(query.high));
    heights.delete(key);
    if (px !== null) heights.set(key, String(Math.round(px)));
    return { high: textOfPairs(heights) };
}

/** Applies the moves in the order in which the user made them. Unknown keys are ignored. */
export function applyMoves<T extends { key: string }>(
    items: readonly T[],
    moves: readonly Move[],
): T[] {
    const list = [...items];
    for (const { key, before } of moves) {
        const from = list.findIndex((item) => item.key === key);
        if (from < 0) continue;
        const [item] = list.splice(from, 1);
        const to = before ? list.findIndex((other) => other.key === before) : list.length;
        list.splice(to < 0 ? from : to, 0, item);
    }
    return list;
}

interface FilterTerm {
    isExcluded: boolean;
    /** `kind`, `device` and so on; '' for a word that may be anywhere */
    field: string;
    word: string;
}

/** What a filter compares of a track, in lower case. */
export interface FilterTexts {
    /** everything that the label and its tooltip contain */
    all: string;
    /** words by field: `kind`, `device`, `stream`, `process`, `thread`, `rank` */
    fields: Readonly<Record<string, string>>;
}

export const FILTER_FIELDS = ['kind', 'device', 'stream', 'process', 'thread', 'rank'] as const;

function parseTerm(text: string): FilterTerm {
    const isExcluded = text.length > 1 && text.startsWith('-');
    const rest = isExcluded ? text.slice(1) : text;
    const at = rest.indexOf(':');
    const field = at > 0 ? rest.slice(0, at) : '';
    return (FILTER_FIELDS as readonly string[]).includes(field)
        ? { isExcluded, field, word: rest.slice(at + 1) }
        : { isExcluded, field: '', word: rest };
}

const isNumber = (text: string): boolean => /^\d+$/.test(text);

/* A number is compared as a whole, so that `device:1` is not device 10. */
function matchesTerm({ field, word }: FilterTerm, { all, fields }: FilterTexts): boolean {
    if (!field) return all.includes(word);
    const value = fields[field] ?? '';
    return isNumber(word) && field !== 'thread' ? value === word : value.includes(word);
}

/** Returns a function that tests a track: all words must match, and no word with `-` may. */
export function trackFilter(filter: string): (texts: FilterTexts) => boolean {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const terms = words.filter((word) => word !== ALL).map(parseTerm);
    return (texts) => terms.every((term) => matchesTerm(term, texts) !== term.isExcluded);
}
