/* SPDX-License-Identifier: MIT */
/*
 * What files, functions and lines of one run are called, so that they are found in another: a file
 * by its path or the end of it, a line by its text, where it stands among its like in its function.
 */

const BETWEEN = '\n';

/** The index of the path that is this one, or alone ends as it does; -1: none. */
export function findPath(paths: readonly string[], path: string): number {
    const exact = paths.indexOf(path);
    if (exact >= 0) return exact;
    const parts = path.split(/[\\/]/);
    for (let n = Math.min(4, parts.length); n > 0; n--) {
        const tail = parts.slice(-n).join('/');
        const found = paths
            .map((other, i) => ({ end: other.replaceAll('\\', '/'), i }))
            .filter(({ end }) => end === tail || end.endsWith(`/${tail}`));
        if (found.length === 1) return found[0].i;
    }
    return -1;
}

export interface NamedLine {
    key: string;
    /** the function it belongs to, '' none */
    owner: string;
    text: string;
}

function like(a: NamedLine, b: NamedLine): boolean {
    return a.owner === b.owner && a.text.trim() === b.text.trim();
}

/** `function\nN\ntext`: the N-th of its like. */
export function lineName(lines: readonly NamedLine[], key: string): string | null {
    const line = lines.find((one) => one.key === key);
    if (!line) return null;
    const nth = lines.filter((one) => like(one, line)).indexOf(line);
    return [line.owner, nth, line.text.trim()].join(BETWEEN);
}

/** The key of the line of this name; the last of its like where there are fewer. */
export function lineKey(lines: readonly NamedLine[], name: string): string | null {
    const [owner, nth, text] = name.split(BETWEEN);
    const wanted = { key: '', owner, text };
    const found = lines.filter((one) => like(one, wanted));
    return found[Math.min(Number(nth), found.length - 1)]?.key ?? null;
}
