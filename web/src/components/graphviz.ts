/* SPDX-License-Identifier: MIT
 *
 * Runs Graphviz in a worker, so that a large graph does not block the page.
 */
import type { LayoutReply, LayoutRequest } from './graphviz_worker';

/** URL of the script of the worker; the build replaces it. */
declare const GRAPHVIZ_WORKER: string;

export interface LayoutJob {
    done: Promise<string>;
    /** stops the layout immediately */
    stop: () => void;
}

/** Lays out a DOT graph in the worker; the result is Graphviz's JSON. */
export function layoutIn(worker: Worker, dot: string): LayoutJob {
    const done = new Promise<string>((resolve, reject) => {
        worker.onmessage = ({ data }: MessageEvent<LayoutReply>) => {
            worker.terminate();
            if ('json' in data) resolve(data.json);
            else reject(new Error(data.error));
        };
        worker.onerror = (event) => {
            worker.terminate();
            reject(new Error(event.message || 'cannot load Graphviz'));
        };
        worker.postMessage({ dot } satisfies LayoutRequest);
    });
    return { done, stop: () => worker.terminate() };
}

export function layoutDot(dot: string): LayoutJob {
    return layoutIn(new Worker(GRAPHVIZ_WORKER), dot);
}
