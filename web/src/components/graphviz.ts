/* SPDX-License-Identifier: MIT
 *
 * Runs Graphviz in a worker, so that a large graph does not block the page. This module is both
 * sides: the page imports it and starts a worker from the module's own URL; in the worker it
 * handles the requests.
 */
import { Graphviz } from '@hpcc-js/wasm-graphviz';

interface LayoutRequest {
    dot: string;
}

type Reply = { json: string } | { error: string };

async function layoutHere(dot: string): Promise<string> {
    const graphviz = await Graphviz.load();
    return graphviz.layout(dot, 'json', 'dot');
}

function errorText(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}

if (typeof document === 'undefined') {
    addEventListener('message', (event: MessageEvent<LayoutRequest>) => {
        layoutHere(event.data.dot)
            .then((json): Reply => ({ json }))
            .catch((error: unknown): Reply => ({ error: errorText(error) }))
            .then((reply) => postMessage(reply))
            .catch(() => undefined);
    });
}

export interface LayoutJob {
    done: Promise<string>;
    /** stops the layout immediately */
    stop: () => void;
}

/** Lays out a DOT graph; the result is Graphviz's JSON. */
export function layoutDot(dot: string): LayoutJob {
    const worker = new Worker(import.meta.url, { type: 'module' });
    const done = new Promise<string>((resolve, reject) => {
        worker.onmessage = (event: MessageEvent<Reply>) => {
            worker.terminate();
            if ('json' in event.data) resolve(event.data.json);
            else reject(new Error(event.data.error));
        };
        worker.onerror = () => {
            worker.terminate();
            // The browser has no module workers: run on the page's thread.
            layoutHere(dot).then(resolve, reject);
        };
        worker.postMessage({ dot } satisfies LayoutRequest);
    });
    return { done, stop: () => worker.terminate() };
}
