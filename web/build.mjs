/* SPDX-License-Identifier: MIT
 *
 * Builds web/dist: index.html, hashed scripts and styles, the favicon, the licences of what is
 * bundled, the documentation (docs.mjs), a .gz beside each, and manifest.json, from which the program
 * embeds them. With the engine (server/offline) also offline.html: the same page in one file, into
 * which the program writes runs.
 *
 *   node build.mjs
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chunkPlugin } from './chunks.mjs';
import { buildDocs } from './docs.mjs';
import { kinds } from './kinds.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');

const TYPES = {
    '.html': 'text/html; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
    '.svg': 'image/svg+xml',
    '.txt': 'text/plain; charset=utf-8',
    '.wasm': 'application/wasm',
    '.json': 'application/json',
    '.webp': 'image/webp',
    '.avif': 'image/avif',
};
const PACKED = ['.webp', '.avif']; // gzip gains nothing

/* tokens.css states the dark values once, for [data-theme=dark]; here they are repeated for
 * systems that ask for dark and readers who did not choose light. */
const darkTokens = {
    name: 'dark-tokens',
    setup(build) {
        build.onLoad({ filter: /styles[\\/]tokens\.css$/ }, ({ path }) => {
            const css = readFileSync(path, 'utf8');
            const block = /:root\[data-theme='dark'\]\s*\{([^}]*)\}/.exec(css);
            if (!block) throw new Error('tokens.css has no dark block');
            const system = `@media (prefers-color-scheme: dark) { :root:not([data-theme='light']) {${block[1]}} }`;
            return { contents: css + system, loader: 'css' };
        });
    },
};

/* The page tells of the public views what the schema says: the rest of it is nobody's business. */
const publicViews = {
    name: 'public-views',
    setup(build) {
        build.onLoad({ filter: /schema[\\/]\w+\.sql$/ }, ({ path }) => {
            const sql = readFileSync(path, 'utf8');
            const at = sql.indexOf('-- The public views');
            return { contents: at < 0 ? sql : sql.slice(at), loader: 'text' };
        });
    },
};

const gzip = (bytes) => gzipSync(bytes, { level: 9, memLevel: 9 });

const OPTIONS = {
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
};

const MAIN = 'src/main.tsx';

const SPLIT = {
    ...OPTIONS,
    outdir: join(dist, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
};

/* Written first, since the page contains its address. A classic script: exports run it from a blob. */
async function graphvizWorker() {
    const { build } = await import('esbuild');
    const entry = 'src/components/graphviz_worker.ts';
    const { metafile } = await build({
        ...SPLIT,
        splitting: false,
        format: 'iife',
        entryPoints: { graphviz: entry },
    });
    const file = `assets/${outputOf(metafile, entry)}`;
    checkInline('Graphviz', readFileSync(join(dist, file), 'utf8'));
    return { file, metafile };
}

async function bundle(graphviz) {
    const { build } = await import('esbuild');
    const plugins = [darkTokens, publicViews, kinds];
    const page = {
        ...SPLIT,
        entryPoints: { main: MAIN, styles: 'styles/index.css' },
        define: { GRAPHVIZ_WORKER: JSON.stringify(`/${graphviz.file}`) },
    };
    const draft = await build({ ...page, plugins, write: false });
    const chunks = chunkPlugin(root, MAIN, draft.metafile);
    const results = [
        graphviz,
        await build({ ...page, plugins: [...plugins, chunks] }),
        // The documentation has pages of its own, which share no script with this page.
        await build({
            ...SPLIT,
            entryPoints: { docs: 'src/docs/main.ts', 'docs-styles': 'styles/docs.css' },
            plugins,
        }),
    ];
    const merged = (key) => Object.assign({}, ...results.map(({ metafile }) => metafile[key]));
    return { inputs: merged('inputs'), outputs: merged('outputs') };
}

/* --- the page as one file -------------------------------------------------------------------- */

/* A file has no address from which a worker could load a module. */
const ownGraphviz = {
    name: 'own-graphviz',
    setup(build) {
        build.onResolve({ filter: /\/graphviz$/ }, ({ importer }) =>
            importer.includes(`${join('src', 'components')}`) ||
            importer.includes(join('src', 'features'))
                ? { path: join(root, 'src', 'offline', 'graphviz.ts') }
                : undefined,
        );
    },
};

/* One script or style sheet as text that may stand inside its element. */
async function inlined(entry, plugins, format = 'esm') {
    const { build } = await import('esbuild');
    const { outputFiles } = await build({
        ...OPTIONS,
        entryPoints: [entry],
        write: false,
        outdir: dist,
        format,
        plugins,
        // No module of the file has an address of its own.
        define: format === 'iife' ? { 'import.meta.url': '""' } : {},
        logOverride: { 'empty-import-meta': 'silent' },
    });
    // The parser of Markdown has this in strings and regular expressions, which stay the same.
    return outputFiles[0].text.trim().replaceAll('<!--', '<\\x21--');
}

/* Text inside a script element ends at </script, and a comment there hides what follows. */
function checkInline(name, text) {
    if (/<\/script|<!--/i.test(text)) throw new Error(`${name} cannot stand in a script element`);
    return text;
}

/* A file as web/src/offline/packed.ts reads it. */
function packed(name, bytes) {
    const base64 = gzipSync(bytes, { level: 9 }).toString('base64');
    return `<script type="application/gzip;base64" data-file="${name}" data-bytes="${bytes.length}">${base64}</script>`;
}

function policyFor(script) {
    const hash = createHash('sha256').update(script).digest('base64');
    return [
        "default-src 'none'",
        `script-src 'sha256-${hash}' 'wasm-unsafe-eval'`,
        'worker-src blob:',
        "style-src 'unsafe-inline'",
        'img-src data: blob:',
        "base-uri 'none'",
        "form-action 'none'",
    ].join('; ');
}

/*
 * Without an engine there is no such page, and the program says so when it is asked for one. The
 * page is embedded as three gzip files in a row: before Graphviz, Graphviz as it is served, after it.
 */
async function offlinePage(ours, graphviz) {
    const engine = join(root, '..', 'build', 'engine', 'engine.wasm');
    if (!existsSync(engine)) return;
    const its = readFileSync(join(root, '..', 'build', 'engine-sources', 'licences.txt'), 'utf8');
    const licences = `${ours}\n${'-'.repeat(80)}\n\n${its}`;
    const main = await inlined('src/offline/main.tsx', [
        darkTokens,
        publicViews,
        kinds,
        ownGraphviz,
    ]);
    const icon = readFileSync(join(root, 'favicon.svg')).toString('base64');
    const parts = {
        policy: policyFor(main),
        favicon: `data:image/svg+xml;base64,${icon}`,
        styles: await inlined('styles/index.css', [darkTokens]),
        main: checkInline('the page', main),
        licences: checkInline('the licences', licences),
        worker: checkInline('the worker', await inlined('src/offline/worker.ts', [], 'iife')),
        engine: packed('engine', readFileSync(engine)),
    };
    const sides = readFileSync(join(root, 'offline.html'), 'utf8')
        .replace(/%(\w+)%/g, (whole, name) => parts[name] ?? whole)
        .split('%graphviz%');
    const page = sides.join(readFileSync(join(dist, graphviz.file), 'utf8'));
    writeFileSync(join(dist, 'offline.html'), page);
    sides.forEach((side, index) => writeFileSync(join(dist, `offline-${index}.gz`), gzip(side)));
    for (const [name, text] of Object.entries(parts)) {
        console.log(`${String(text.length).padStart(9)}             offline.html: ${name}`);
    }
    console.log(`${String(page.length).padStart(9)}             offline.html`);
}

/* --- all of it ------------------------------------------------------------------------------- */

/* The name an entry point got, from esbuild's own record. */
function outputOf(metafile, entry) {
    const found = Object.entries(metafile.outputs).find(([, o]) => o.entryPoint === entry);
    if (!found) throw new Error(`no output for ${entry}`);
    return basename(found[0]);
}

/* What the first script imports at once, so that the browser asks for all of it in one go. */
function preloads(metafile, entry) {
    const [, output] = Object.entries(metafile.outputs).find(([, o]) => o.entryPoint === entry);
    return output.imports
        .filter(({ kind, external }) => kind === 'import-statement' && !external)
        .map(({ path }) => `<link rel="modulepreload" href="/assets/${basename(path)}" />`)
        .join('');
}

function licences(metafile) {
    const packages = new Set();
    for (const input of Object.keys(metafile.inputs)) {
        const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
        if (match) packages.add(match[1]);
    }
    const texts = [...packages].sort().map((name) => {
        const folder = join(root, 'node_modules', name);
        const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
        const text = file ? readFileSync(join(folder, file), 'utf8').trim() : '';
        return `${name} ${about.version} (${about.license})\n\n${text}\n`;
    });
    return `What this page is made of besides perfshelf itself.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/* Writes path + .gz and returns its row of the manifest. */
function publish(path, file, hashed) {
    const bytes = readFileSync(join(dist, file));
    const type = TYPES[extname(file)];
    if (PACKED.includes(extname(file))) return { path, file, type, hashed };
    writeFileSync(join(dist, `${file}.gz`), gzip(bytes));
    return { path, file, gz: `${file}.gz`, type, hashed };
}

async function main() {
    rmSync(dist, { recursive: true, force: true });
    mkdirSync(join(dist, 'assets'), { recursive: true });
    const graphviz = await graphvizWorker();
    const metafile = await bundle(graphviz);
    const html = readFileSync(join(root, 'index.html'), 'utf8')
        .replace('%styles%', `/assets/${outputOf(metafile, 'styles/index.css')}`)
        .replace('%preload%', preloads(metafile, MAIN))
        .replace('%main%', `/assets/${outputOf(metafile, MAIN)}`);
    writeFileSync(join(dist, 'index.html'), html);
    writeFileSync(join(dist, 'favicon.svg'), readFileSync(join(root, 'favicon.svg')));
    const texts = licences(metafile);
    writeFileSync(join(dist, 'licences.txt'), texts);
    await offlinePage(texts, graphviz);
    const docs = buildDocs({
        folder: join(root, '..', 'docs'),
        converted: join(root, '..', 'build', 'pictures'),
        template: readFileSync(join(root, 'docs.html'), 'utf8'),
        dist,
        styles: `/assets/${outputOf(metafile, 'styles/docs.css')}`,
        main: `/assets/${outputOf(metafile, 'src/docs/main.ts')}`,
    });

    const manifest = [
        publish('/', 'index.html', false),
        publish('/favicon.svg', 'favicon.svg', false),
        publish('/licences.txt', 'licences.txt', false),
        ...readdirSync(join(dist, 'assets'))
            .sort()
            .map((name) => publish(`/assets/${name}`, `assets/${name}`, true)),
        ...docs.map(({ path, file }) => publish(path, file, false)),
    ];
    writeFileSync(join(dist, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    for (const row of manifest) {
        const raw = readFileSync(join(dist, row.file)).length;
        const gz = row.gz ? readFileSync(join(dist, row.gz)).length : raw;
        console.log(`${String(raw).padStart(9)} ${String(gz).padStart(8)} gz  ${row.path}`);
    }
}

if (!existsSync(join(root, 'node_modules'))) {
    console.error('web/node_modules is missing: run `npm ci` in web/ first');
    process.exit(1);
}
await main();
