/* SPDX-License-Identifier: MIT
 *
 * Imports to make lazy, in the format of the URL and of the API, separated by commas: `numpy` for
 * the first import of numpy in the log, `numpy@app` for the import in app, `numpy@*` for all
 * imports.
 */
import type { LazyImport } from '../../base/answers';

export function readLazy(text: string | undefined): string[] {
    return (text ?? '').split(',').filter(Boolean);
}

/** Adds the items, or removes them if all of them are in the list. */
export function toggleLazy(list: string[], items: string[]): string[] {
    const all = items.every((item) => list.includes(item));
    const rest = list.filter((item) => !items.includes(item));
    return all ? rest : [...rest, ...items];
}

/** Joins the items for the URL; null if there are none. */
export function formatLazy(list: string[]): string | null {
    return list.length ? list.join(',') : null;
}

function importerText({ importer }: LazyImport): string {
    if (importer === '__main__') return 'the program';
    return importer === null || importer === '*' ? 'whatever imports it' : importer;
}

/** Python code that makes the imports lazy, in three variants: PEP 810, import in functions, PEP
 * 562. */
export function lazySnippet(items: LazyImport[]): string {
    const places = [...new Set(items.map(importerText))];
    const parts = places.map((place) => {
        const modules = items
            .filter((item) => importerText(item) === place)
            .map((item) => item.module);
        const lines = [
            `# ${place}: Python 3.15 and later (PEP 810)`,
            ...modules.map((module) => `lazy import ${module}`),
            '',
            '# before: inside the functions that need it',
            'def work():',
            ...modules.map((module) => `    import ${module}`),
        ];
        return lines.join('\n');
    });
    const packageLines = [
        "# a package's __init__.py that offers submodules (PEP 562)",
        'def __getattr__(name):',
        '    import importlib',
        '    if name in {"submodule"}:',
        '        return importlib.import_module("." + name, __name__)',
        '    raise AttributeError(name)',
    ].join('\n');
    return `${[...parts, packageLines].join('\n\n')}\n`;
}
