/* SPDX-License-Identifier: MIT
 *
 * Which imports are to become lazy, as the URL and the server's question hold them: `numpy` where
 * the log has it first, `numpy@app` in app, with commas between.
 */
export function readLazy(text: string | undefined): string[] {
    return (text ?? '').split(',').filter(Boolean);
}

/** With the words, or without them when all are there. */
export function toggleLazy(list: string[], words: string[]): string[] {
    const all = words.every((word) => list.includes(word));
    const rest = list.filter((word) => !words.includes(word));
    return all ? rest : [...rest, ...words];
}

/** null: nothing is lazy. */
export function formatLazy(list: string[]): string | null {
    return list.length ? list.join(',') : null;
}

export interface LazyWord {
    module: string;
    importer: string | null;
}

function placeOf({ importer }: LazyWord): string {
    if (importer === '__main__') return 'the program';
    return importer === null || importer === '*' ? 'whatever imports it' : importer;
}

/** What to write, in the three ways that Python has. */
export function lazySnippet(words: LazyWord[]): string {
    const places = [...new Set(words.map(placeOf))];
    const parts = places.map((place) => {
        const modules = words.filter((word) => placeOf(word) === place).map((word) => word.module);
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
    const package_ = [
        "# a package's __init__.py that offers submodules (PEP 562)",
        'def __getattr__(name):',
        '    import importlib',
        '    if name in {"submodule"}:',
        '        return importlib.import_module("." + name, __name__)',
        '    raise AttributeError(name)',
    ].join('\n');
    return `${[...parts, package_].join('\n\n')}\n`;
}
