/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import type { Matcher } from '../model/search';

/** A name with the hits of the search marked. */
export function MarkedName({ text, search }: { text: string; search: Matcher }) {
    if (search.empty) return <>{text}</>;
    const parts: ComponentChildren[] = [];
    let end = 0;
    for (const [from, to] of search.hits(text)) {
        parts.push(text.slice(end, from), <mark>{text.slice(from, to)}</mark>);
        end = to;
    }
    parts.push(text.slice(end));
    return <>{parts}</>;
}
