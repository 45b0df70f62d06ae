/* SPDX-License-Identifier: MIT
 *
 * Small pieces of set text: a figure with its unit, a key, a search hit, a path.
 */
import type { ComponentChildren } from 'preact';
import { fmtFixed, THIN, type Fig } from '../base/units';

/** `1.534 s`: the unit lighter than the value. */
export function FigText({ fig }: { fig: Fig }) {
    return (
        <>
            {fig.value}
            {fig.unit && <span class="unit">{THIN + fig.unit}</span>}
        </>
    );
}

/** A number of a table column: zeros grey, absent an en dash. */
export function Num({ value, decimals = 0 }: { value: number | null; decimals?: number }) {
    if (value === null) return <span class="zero">–</span>;
    const text = fmtFixed(value, decimals);
    return value === 0 ? <span class="zero">{text}</span> : <>{text}</>;
}

export function Kbd({ children }: { children: ComponentChildren }) {
    return <kbd>{children}</kbd>;
}

/** Text with the parts that match marked. `pattern` must be a global expression, or null. */
export function Marked({ text, pattern }: { text: string; pattern: RegExp | null }) {
    if (!pattern) return <>{text}</>;
    const parts: ComponentChildren[] = [];
    let end = 0;
    for (const match of text.matchAll(pattern)) {
        if (!match[0]) continue;
        parts.push(text.slice(end, match.index), <mark>{match[0]}</mark>);
        end = match.index + match[0].length;
    }
    parts.push(text.slice(end));
    return <>{parts}</>;
}

/** A path that keeps its end when it is too long for its place. */
export function PathText({ path }: { path: string }) {
    return (
        <span class="path-end" title={path}>
            <bdi>{path}</bdi>
        </span>
    );
}
