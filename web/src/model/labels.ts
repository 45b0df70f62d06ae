/* SPDX-License-Identifier: MIT */
/* Shortens names to the available width. Module names lose components from the left, because the
 * last component distinguishes siblings: `a.b.c`, `.b.c`, `.c`, `c…`. */

export type Measure = (text: string) => number;

const ELLIPSIS = '…';

/** The name `.rest` of a module below the package `above`; the full name of other modules. */
export function relativeName(name: string, above: string | null): string {
    if (
        above &&
        name.length > above.length + 1 &&
        name.startsWith(above) &&
        name[above.length] === '.'
    ) {
        return name.slice(above.length);
    }
    return name;
}

/** Forms of a dotted name from the complete one, relative to the package above, to its last part. */
export function moduleForms(name: string, above: string | null): string[] {
    const forms = [relativeName(name, above)];
    for (let dot = forms[0].indexOf('.', 1); dot > 0; dot = forms[0].indexOf('.', dot + 1))
        forms.push(forms[0].slice(dot));
    return forms;
}

/** The longest form that fits into `maxWidth` px, else the shortest with an ellipsis, or ''. */
export function fitForms(forms: readonly string[], maxWidth: number, measure: Measure): string {
    const fitting = forms.find((form) => measure(form) <= maxWidth);
    return fitting ?? fitEllipsis(forms[forms.length - 1], maxWidth, measure);
}

/** The longest prefix of a string that fits with an ellipsis; '' if fewer than two letters fit. */
export function fitEllipsis(text: string, maxWidth: number, measure: Measure): string {
    if (measure(text) <= maxWidth) return text;
    let lo = 0;
    let hi = text.length - 1;
    while (lo < hi) {
        const mid = (lo + hi + 1) >> 1;
        if (measure(text.slice(0, mid) + ELLIPSIS) <= maxWidth) lo = mid;
        else hi = mid - 1;
    }
    const short = text.slice(0, lo).replace(/[\uD800-\uDBFF]$/, '');
    return short.replace(/^\.+$/, '').length >= 1 && lo >= 2 ? short + ELLIPSIS : '';
}

const BUILTIN = /^<(?:built-in method|built-in function|built-in) (.+)>$/;
const METHOD = /^<(?:method|slot wrapper|wrapper|method-wrapper) '([^']+)' of '([^']+)' objects>$/;

/** Name of a function for tables and frames: `builtins.exec`, `list.append`. The tooltip has the
 * full name. */
export function functionName(name: string): string {
    const builtin = BUILTIN.exec(name);
    if (builtin) return builtin[1];
    const method = METHOD.exec(name);
    return method ? `${method[2]}.${method[1]}` : name;
}

/** `file:line` for display; the profiler writes `~` for functions that are not Python. */
export function placeText(file: string, line: number): string {
    if (file === '~' || file === '') return 'built-in';
    return line > 0 ? `${file}:${line}` : file;
}

/** The last component of a path, with the line. */
export function shortPlace(file: string, line: number): string {
    const text = placeText(file, line);
    if (text === 'built-in' || text.startsWith('<')) return text;
    return text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
}

const LIBRARY = /^.*[\\/](?:site-packages|dist-packages|lib\/python\d\.\d+)[\\/](.+)$/;

/** A path without the prefix that all files of a library share; the tooltip has the full path. */
export function libraryPath(file: string): string {
    return LIBRARY.exec(file)?.[1] ?? file;
}

export function capital(text: string): string {
    return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Characters at the end of a long text that are always shown. */
const TAIL_CHARS = 12;
/** Texts up to this length are cut at their end. */
const MAX_WHOLE_CHARS = 28;

/** Splits a long text into a part that may be cut and an end that is kept; the end of a short text is
 * empty. Does not split characters outside of the Basic Multilingual Plane. */
export function splitTail(text: string): [head: string, tail: string] {
    const chars = [...text];
    if (chars.length <= MAX_WHOLE_CHARS) return [text, ''];
    return [chars.slice(0, -TAIL_CHARS).join(''), chars.slice(-TAIL_CHARS).join('')];
}

/** The end of a text of more than `count` characters, after an ellipsis. */
export function fitTail(text: string, count: number): string {
    const chars = [...text];
    if (chars.length <= count) return text;
    return ELLIPSIS + chars.slice(chars.length - Math.max(1, count - 1)).join('');
}

/* Characters between a name and its place. */
const PLACE_GAP = 3;

/** A name and its place, shortened from the left so that both fit in two lines of `perLine`
 * characters. The place keeps at least a line less its gap, if it needs it. */
export function fitTwoLines(name: string, place: string, perLine: number): [string, string] {
    const gap = place ? PLACE_GAP : 0;
    const room = 2 * perLine - gap;
    const shownPlace = fitTail(place, Math.max(perLine - gap, room - [...name].length));
    return [fitTail(name, room - [...shownPlace].length), shownPlace];
}
