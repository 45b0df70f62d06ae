/* SPDX-License-Identifier: MIT */
/* The search language of the page, and of tables on the server: words that must all occur in name
 * or file, ignoring case; a word with a leading `-` must not occur. Or a single regular expression.
 */

export interface Matcher {
    empty: boolean;
    /** error message of an invalid regular expression */
    error: string | null;
    test: (name: string, file?: string) => boolean;
    /** [from, to) ranges of the hits in a string, for highlighting */
    hits: (text: string) => [number, number][];
}

/** Matcher of an empty search: matches everything, highlights nothing. */
export const NO_SEARCH: Matcher = { empty: true, error: null, test: () => true, hits: () => [] };

export function matcher(query: string, regex: boolean): Matcher {
    if (query.trim() === '') return NO_SEARCH;
    return regex ? regexMatcher(query) : wordMatcher(query);
}

function wordMatcher(query: string): Matcher {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const required = words.filter((w) => !(w.startsWith('-') && w.length > 1));
    const excluded = words.filter((w) => w.startsWith('-') && w.length > 1).map((w) => w.slice(1));
    return {
        empty: false,
        error: null,
        test: (name, file = '') => {
            const text = `${name}\n${file}`.toLowerCase();
            return (
                required.every((w) => text.includes(w)) && !excluded.some((w) => text.includes(w))
            );
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
): { set: Uint8Array; count: number } | null {
    if (m.empty) return null;
    const set = new Uint8Array(n);
    let count = 0;
    for (let i = 0; i < n; i++) {
        if (!m.test(name(i), file?.(i))) continue;
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
