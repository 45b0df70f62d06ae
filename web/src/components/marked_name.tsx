/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import type { Matcher } from '../model/search';

interface MarkedNameProps {
    text: string;
    search: Matcher;
    /** Draws only [from, to) of the name; the search applies to the complete name, which may be
     * drawn in two parts. */
    from?: number;
    to?: number;
}

/** A name with the search hits highlighted. */
export function MarkedName({ text, search, from = 0, to = text.length }: MarkedNameProps) {
    if (search.empty) return <>{text.slice(from, to)}</>;
    const parts: ComponentChildren[] = [];
    let end = from;
    for (const hit of search.hits(text)) {
        const start = Math.max(hit[0], from);
        const stop = Math.min(hit[1], to);
        if (stop <= start) continue;
        parts.push(text.slice(end, start), <mark>{text.slice(start, stop)}</mark>);
        end = stop;
    }
    parts.push(text.slice(end, to));
    return <>{parts}</>;
}
