/* SPDX-License-Identifier: MIT
 *
 * Decides which modules share a script. esbuild writes one script for each set of entries that use the
 * same modules, which is dozens of scripts of a few hundred bytes. An import that is added to an
 * entry moves modules into a larger set, so that a page loads three scripts at once: the modules of the
 * first page, the modules that several views share, and the view.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Modules that the same views use stay a script of their own above this size, in bytes: if two views
 * use them, and if more do. */
const OWN_SCRIPT_BYTES = { two: 32 * 1024, more: 96 * 1024 };

const SHARED = 'shared-modules';

function staticImports(inputs, path) {
    return inputs[path].imports
        .filter(({ kind }) => kind === 'import-statement')
        .map((one) => one.path)
        .filter((one) => inputs[one]);
}

/* All modules that this module imports, and itself. */
function reachedFrom(inputs, entry) {
    const reached = new Set([entry]);
    for (const path of reached) staticImports(inputs, path).forEach((one) => reached.add(one));
    return reached;
}

/* Modules that import() loads and that use modules of the first page. Grammars and workers use none. */
function findViews(inputs, main) {
    const lazy = Object.values(inputs).flatMap(({ imports }) =>
        imports.filter(({ kind }) => kind === 'dynamic-import'),
    );
    const paths = [...new Set(lazy.map(({ path }) => path))].filter((path) => inputs[path]);
    return paths.filter((path) => [...reachedFrom(inputs, path)].some((one) => main.has(one)));
}

/* Modules outside of the first page that several views use. */
function findShared(inputs, outputs, main, views) {
    const bytes = {};
    for (const output of Object.values(outputs)) {
        for (const [path, { bytesInOutput }] of Object.entries(output.inputs))
            bytes[path] = bytesInOutput;
    }
    const users = new Map();
    for (const view of views) {
        for (const path of reachedFrom(inputs, view)) {
            if (!main.has(path)) users.set(path, [...(users.get(path) ?? []), view]);
        }
    }
    const setBytes = new Map();
    for (const [path, list] of users) {
        const set = list.join();
        setBytes.set(set, (setBytes.get(set) ?? 0) + (bytes[path] ?? 0));
    }
    const isSmall = (list) =>
        list.length > 1 &&
        setBytes.get(list.join()) <= OWN_SCRIPT_BYTES[list.length > 2 ? 'more' : 'two'];
    const small = new Set([...users.keys()].filter((path) => isSmall(users.get(path))));
    // A shared module must not make each view load a large script.
    const isLight = (path) =>
        [...reachedFrom(inputs, path)].every((one) => main.has(one) || small.has(one));
    return [...small].filter(isLight);
}

/** Plugin that groups the modules of `entry`, as `metafile` of a build without it lists them. */
export function chunkPlugin(root, entry, { inputs, outputs }) {
    const main = reachedFrom(inputs, entry);
    const views = findViews(inputs, main);
    const shared = findShared(inputs, outputs, main, views);
    const lines = (paths) =>
        paths.map((path) => `import ${JSON.stringify(resolve(root, path))};\n`).join('');
    return {
        name: 'chunks',
        setup(build) {
            build.onResolve({ filter: new RegExp(`^${SHARED}$`) }, () => ({
                path: SHARED,
                namespace: SHARED,
                sideEffects: true,
            }));
            build.onLoad({ filter: /.*/, namespace: SHARED }, () => ({
                contents: lines(shared),
                resolveDir: root,
            }));
            for (const view of views) {
                const path = join(root, view);
                build.onLoad(
                    { filter: new RegExp(`^${path.replace(/[.\\/]/g, '\\$&')}$`) },
                    () => ({
                        contents: `import ${JSON.stringify(join(root, entry))};\nimport '${SHARED}';\n${readFileSync(path, 'utf8')}`,
                        loader: path.endsWith('x') ? 'tsx' : 'ts',
                    }),
                );
            }
        },
    };
}
