/* SPDX-License-Identifier: MIT
 *
 * Graphviz in a worker of its own, so that a large graph never holds the page up. This module is both
 * sides: imported by the page it starts a worker from its own address; in the worker it answers.
 */
import { Graphviz } from '@hpcc-js/wasm-graphviz';

interface Request {
    dot: string;
}

type Reply = { json: string } | { error: string };

async function layoutHere(dot: string): Promise<string> {
    const graphviz = await Graphviz.load();
    return graphviz.layout(dot, 'json', 'dot');
}

function said(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}

if (typeof document === 'undefined') {
    addEventListener('message', (event: MessageEvent<Request>) => {
        layoutHere(event.data.dot)
            .then((json): Reply => ({ json }))
            .catch((error: unknown): Reply => ({ error: said(error) }))
            .then((reply) => postMessage(reply))
            .catch(() => undefined);
    });
}

export interface Layouting {
    done: Promise<string>;
    /** stops it at once, however large the graph is */
    stop: () => void;
}

/** Graphviz' json of a DOT text. */
export function layoutDot(dot: string): Layouting {
    const worker = new Worker(import.meta.url, { type: 'module' });
    const done = new Promise<string>((resolve, reject) => {
        worker.onmessage = (event: MessageEvent<Reply>) => {
            worker.terminate();
            if ('json' in event.data) resolve(event.data.json);
            else reject(new Error(event.data.error));
        };
        worker.onerror = () => {
            worker.terminate();
            // Browsers without module workers: the page waits instead.
            layoutHere(dot).then(resolve, reject);
        };
        worker.postMessage({ dot } satisfies Request);
    });
    return { done, stop: () => worker.terminate() };
}
