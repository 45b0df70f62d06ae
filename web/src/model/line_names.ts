/* SPDX-License-Identifier: MIT */
/* Names of files, functions and lines that can be found again in another run. A file is named by
 * its path or the end of its path. A line is named by its function, its text, and its number among
 * equal lines of the function. */

const SEPARATOR = '\n';

/** Index of the path that equals `path`, or of the only one that ends like it; -1 if there is none. */
export function findPath(paths: readonly string[], path: string): number {
    const exact = paths.indexOf(path);
    if (exact >= 0) return exact;
    const parts = path.split(/[\\/]/);
    for (let n = Math.min(4, parts.length); n > 0; n--) {
        const tail = parts.slice(-n).join('/');
        const matches = paths
            .map((other, i) => ({ end: other.replaceAll('\\', '/'), i }))
            .filter(({ end }) => end === tail || end.endsWith(`/${tail}`));
        if (matches.length === 1) return matches[0].i;
    }
    return -1;
}

export interface NamedLine {
    key: string;
    /** name of its function; '' if it has none */
    functionName: string;
    text: string;
}

function isSameLine(a: NamedLine, b: NamedLine): boolean {
    return a.functionName === b.functionName && a.text.trim() === b.text.trim();
}

/** `function\nN\ntext`: the N-th line of this function with this text, from 0. */
export function lineName(lines: readonly NamedLine[], key: string): string | null {
    const line = lines.find((candidate) => candidate.key === key);
    if (!line) return null;
    const nth = lines.filter((candidate) => isSameLine(candidate, line)).indexOf(line);
    return [line.functionName, nth, line.text.trim()].join(SEPARATOR);
}

/** Key of the line with this name. If the function has fewer equal lines, returns the last of them. */
export function lineKey(lines: readonly NamedLine[], name: string): string | null {
    const [functionName, nth, text] = name.split(SEPARATOR);
    const line = { key: '', functionName, text };
    const matches = lines.filter((candidate) => isSameLine(candidate, line));
    return matches[Math.min(Number(nth), matches.length - 1)]?.key ?? null;
}
