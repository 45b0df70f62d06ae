/* SPDX-License-Identifier: MIT */
/* The URI that opens a place of source in an editor. */

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** Schemes that would run or load something in the browser instead. */
const UNSAFE = new Set(['javascript:', 'data:', 'vbscript:', 'blob:']);

/** What is wrong with a template; null: nothing. An empty one means that there is no editor. */
export function templateError(template: string): string | null {
    const text = template.trim();
    if (text === '') return null;
    const scheme = SCHEME.exec(text)?.[0].toLowerCase();
    if (!scheme) return 'A URI begins with a scheme such as vscode:';
    if (UNSAFE.has(scheme)) return `${scheme} is not the scheme of an editor`;
    return text.includes('{file}') ? null : 'The template needs {file}';
}

/** Null without a valid template. */
export function editorUri(template: string, file: string, line: number): string | null {
    const text = template.trim();
    if (text === '' || templateError(text) !== null) return null;
    const path = encodeURI(file).replace(/[?#]/g, encodeURIComponent);
    return text.replaceAll('{file}', path).replaceAll('{line}', String(Math.max(1, line)));
}
