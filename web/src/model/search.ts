/* SPDX-License-Identifier: MIT */
/* The search language of the page, and of tables on the server: words that must all occur in name
 * or file, ignoring case. A word with a leading `-` must not occur; `file:word` must occur in the
 * file, `line:20` must be the line. Or a single regular expression. */

export interface Matcher {
    empty: boolean;
    /** error message of an invalid regular expression */
    error: string | null;
    test: (name: string, file?: string, line?: number) => boolean;
    /** [from, to) ranges of the hits in a string, for highlighting */
    hits: (text: string) => [number, number][];
}

/** Matcher of an empty search: matches everything, highlights nothing. */
export const NO_SEARCH: Matcher = { empty: true, error: null, test: () => true, hits: () => [] };

export function matcher(query: string, regex: boolean): Matcher {
    if (query.trim() === '') return NO_SEARCH;
    return regex ? regexMatcher(query) : wordMatcher(query);
}

interface Word {
    field: 'any' | 'file' | 'line';
    text: string;
    isExcluded: boolean;
}

function readWord(word: string): Word {
    const isExcluded = word.startsWith('-') && word.length > 1;
    const rest = isExcluded ? word.slice(1) : word;
    const field = /^(file|line):(.+)$/.exec(rest);
    if (field?.[1] === 'file') return { field: 'file', text: field[2], isExcluded };
    if (field && /^\d+$/.test(field[2])) return { field: 'line', text: field[2], isExcluded };
    return { field: 'any', text: rest, isExcluded };
}

/* Samplers write the place after the name: `load (app.py:20)`. Other names are a place as a whole. */
function placeOfName(name: string): string {
    const at = name.lastIndexOf(' (');
    return at >= 0 ? name.slice(at) : name;
}

function hasLine(place: string, line: string): boolean {
    for (let at = place.indexOf(line); at >= 0; at = place.indexOf(line, at + 1)) {
        const [before, after] = [place.charAt(at - 1), place.charAt(at + line.length)];
        if ((before === ':' || before === '(') && !/\d/.test(after)) return true;
    }
    return false;
}

function occurs({ field, text }: Word, name: string, file: string, line?: number): boolean {
    if (field === 'any') return name.includes(text) || file.includes(text);
    if (field === 'file') return (file || placeOfName(name)).includes(text);
    return line === undefined ? hasLine(placeOfName(name), text) : line === Number(text);
}

function wordMatcher(query: string): Matcher {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean).map(readWord);
    const required = words.filter((w) => !w.isExcluded && w.field !== 'line').map((w) => w.text);
    return {
        empty: false,
        error: null,
        test: (name, file = '', line) => {
            const [lowerName, lowerFile] = [name.toLowerCase(), file.toLowerCase()];
            return words.every((w) => occurs(w, lowerName, lowerFile, line) !== w.isExcluded);
        },
        hits: (text) => {
            const lower = text.toLowerCase();
            const out: [number, number][] = [];
            for (const w of required) {
                for (let at = lower.indexOf(w); at >= 0; at = lower.indexOf(w, at + w.length)) {
                    out.push([at, at + w.length]);
                }
            }
            return mergeRanges(out);
        },
    };
}

function regexMatcher(query: string): Matcher {
    let pattern: RegExp;
    try {
        pattern = new RegExp(query, 'iu');
    } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        return { empty: false, error: text, test: () => false, hits: () => [] };
    }
    return {
        empty: false,
        error: null,
        test: (name, file = '') => pattern.test(name) || (file !== '' && pattern.test(file)),
        hits: (text) => {
            const out: [number, number][] = [];
            for (const hit of text.matchAll(new RegExp(pattern.source, 'giu'))) {
                if (hit[0].length > 0) out.push([hit.index, hit.index + hit[0].length]);
            }
            return out;
        },
    };
}

function mergeRanges(ranges: [number, number][]): [number, number][] {
    const out: [number, number][] = [];
    for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
        const last = out[out.length - 1];
        if (last && from <= last[1]) last[1] = Math.max(last[1], to);
        else out.push([from, to]);
    }
    return out;
}

/** `set`: 1 for each matching index; `count`: number of matches; null if there is no search. */
export function matchSet(
    m: Matcher,
    n: number,
    name: (i: number) => string,
    file?: (i: number) => string,
    line?: (i: number) => number,
): { set: Uint8Array; count: number } | null {
    if (m.empty) return null;
    const set = new Uint8Array(n);
    let count = 0;
    for (let i = 0; i < n; i++) {
        if (!m.test(name(i), file?.(i), line?.(i))) continue;
        set[i] = 1;
        count++;
    }
    return { set, count };
}

/** 1 for each node that an origin filter or the hide pattern removes; null if there is no filter. */
export function hiddenSet(
    n: number,
    origin: ArrayLike<number>,
    offOrigins: ReadonlySet<number>,
    hide: string,
    name: (i: number) => string,
    file?: (i: number) => string,
): Uint8Array | null {
    const pattern = hide === '' ? null : matcher(hide, true);
    if (offOrigins.size === 0 && (!pattern || pattern.error)) return null;
    const hidden = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
        const out =
            offOrigins.has(origin[i]) ||
            (pattern && !pattern.error && pattern.test(name(i), file?.(i)));
        if (out) hidden[i] = 1;
    }
    return hidden;
}
