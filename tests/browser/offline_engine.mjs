/* SPDX-License-Identifier: MIT
 *
 * The engine of an exported page without a browser, and the questions that it is asked beside the
 * server: every view with every column to sort by, and each kind of filter.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ROOT } from './lib.mjs';

const { transformSync } = createRequire(join(ROOT, 'web', 'package.json'))('esbuild');

async function engineClass() {
    const source = readFileSync(join(ROOT, 'web', 'src', 'offline', 'engine.ts'), 'utf8');
    const { code } = transformSync(source, { loader: 'ts' });
    return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).Engine;
}

/* name -> bytes, of all that the page carries */
export function carriedFiles(html) {
    const parts = new Map();
    for (const [, name, bytes, base64] of html.matchAll(
        /<script type="application\/gzip;base64" data-file="([^"]*)" data-bytes="(\d+)">([^<]*)<\/script>/g,
    )) {
        const file = parts.get(name) ?? { bytes: Number(bytes), text: [] };
        file.text.push(Buffer.from(base64, 'base64'));
        parts.set(name, file);
    }
    return new Map([...parts].map(([name, { bytes, text }]) => {
        const whole = gunzipSync(Buffer.concat(text));
        if (whole.length !== bytes) throw new Error(`${name}: ${whole.length} bytes, it says ${bytes}`);
        return [name, whole];
    }));
}

/* Answers as the page would get them: {status, text}. */
export async function engineOf(path) {
    const files = carriedFiles(readFileSync(path, 'utf8'));
    const Engine = await engineClass();
    const engine = await Engine.start(files.get('engine'));
    for (const [name, bytes] of files) {
        if (name === 'engine') continue;
        const at = engine.alloc(bytes.length);
        engine.fill(at, bytes);
        engine.addFile(name, at, bytes.length);
    }
    if (!engine.open()) throw new Error(`${path}: the engine does not open it`);
    return (url) => {
        const { status, body } = engine.request(url);
        return { status, text: new TextDecoder().decode(body) };
    };
}

const API = '/api/v1';

/* Tables of each view; a kind answers 404 for those of others, which is compared too. */
const TABLES = [
    'imports', 'packages', 'functions', 'files', 'reports', 'actions', 'sections', 'operators', 'kernels',
    'steps', 'gaps', 'modules', 'allocations', 'memory_operators', 'line_functions', 'line_files', 'spans',
    'measurements', 'stack_functions', 'notes',
];

/* Views of other shapes, with what the page asks them at first and what it asks them later. */
const OTHERS = [
    'imports/tree', 'imports/1', 'functions/1', 'calltree', 'calltree?min_pct=1&depth=5', 'calltree?root=2',
    'graph', 'graph?focus=1&depth=2&direction=callers', 'categories?px=200', 'categories?px=50&from_s=0.1',
    'source?file=1', 'sources', 'memory', 'memory?px=50&from_s=0.1&to_s=0.9', 'timeline?px=400', 'window?px=300',
    'window?from_ns=1000&to_ns=900000&px=900', 'names?ids=1,2,3', 'curves?px=100', 'slices/1', 'slices/2',
    'named?name=1&px=40', 'find?q=a&limit=5', 'find?q=%5Ea&regex=1', 'flame', 'flame?on=device', 'flame?on=python&expand=*', 'flame?on=wall&limit=50',
    'overview', 'utilisation', 'utilisation?px=7', 'findings', 'workers', 'summaries', 'summary?report=cuda_gpu_kern_sum',
    'measurements/1', 'stack_flame', 'stack_flame?limit=9', 'sandwich?name_id=1', 'bound', 'bound?cpus=2',
    'processes?of=cpu', 'processes?of=res&limit=3', 'what_if', 'nothing',
    'snapshot', 'snapshot?plumbing=1', 'snapshot/timeline?columns=70', 'snapshot/timeline?columns=9&x=time&from=100&to=900', 'snapshot/live?by=file',
    'snapshot/live?by=module&plumbing=1&limit=3', 'snapshot/live?by=size&at=7', 'snapshot/flame?at=99', 'snapshot/flame?plumbing=1', 'snapshot/segments',
    'snapshot/segments?at=42', 'snapshot/lifetimes?limit=9', 'snapshot/lifetimes?from=5&to=80', 'snapshot/allocation?id=1', 'snapshot/leaks',
    'snapshot/leaks?steps=4', 'snapshot/live?by=nothing',
];

const FILTERS = [
    '', 'q=a', 'q=-a', 'q=e+-s', 'q=%5E.a&regex=1', 'q=%5B&regex=1', 'hide=a', 'hide=%28', 'origin=own,stdlib',
    'limit=3&offset=2', 'limit=0', 'format=csv', 'format=rows', 'sort=nothing', 'by_shape=1', 'group=1', 'cached=1',
];

/* Each table once for its columns, then by each of them. */
async function tableQuestions(ask, run, view) {
    const path = `${API}/runs/${run}/${view}`;
    const first = await ask(path);
    if (first.status !== 200) return [path];
    const { columns } = JSON.parse(first.text);
    const sorts = columns.flatMap((column) => [`sort=${column}`, `sort=${column}&desc=1&limit=7`]);
    return [...FILTERS, ...sorts].map((query) => `${path}?${query}`);
}

/* All questions about a run; `ask` answers as the server does. */
export async function runQuestions(ask, run) {
    const tables = await Promise.all(TABLES.map((view) => tableQuestions(ask, run, view)));
    return [...tables.flat(), ...OTHERS.map((view) => `${API}/runs/${run}/${view}`)];
}

/* All questions about two groups, each ids with commas between them. */
export async function compareQuestions(ask, base, fresh) {
    const groups = `${base ? `base=${base}&` : ''}new=${fresh}`;
    const first = `${API}/compare?${groups}`;
    const { tables } = JSON.parse((await ask(first)).text);
    const rows = tables.flatMap(({ of, metrics }) => [
        ...['', 'q=a', 'q=-a', 'verdict=up', 'change=added,removed', 'hide=a', 'limit=2&offset=1', 'format=csv'].map(
            (query) => `${API}/compare/${of}?${groups}&${query}`,
        ),
        ...['size', 'name', 'base', 'new', 'median', 'delta_pct', 'share'].map((sort) => `${API}/compare/${of}?${groups}&sort=${sort}`),
        ...metrics.map(({ metric }) => `${API}/compare/${of}?${groups}&metric=${metric}&limit=9`),
        `${API}/compare/${of}/1?${groups}`,
    ]);
    const one = !base.includes(',') && !fresh.includes(',') && base !== '';
    const twins = one ? tables.map(({ of }) => `${API}/compare/twin/${of}?${groups}&side=base&id=1`) : [];
    return [first, ...rows, ...twins, `${API}/compare/tree?${groups}`, `${API}/compare/tree?${groups}&limit=5`];
}
