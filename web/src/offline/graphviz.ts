/* SPDX-License-Identifier: MIT
 *
 * components/graphviz.ts for offline files. The worker's code is embedded in the file if it has a
 * call graph.
 */
import type { Layouting } from '../components/graphviz';
import { carried, workerOf } from './packed';

export type { Layouting };

type Reply = { json: string } | { error: string };

/** Lays out a DOT graph; the result is Graphviz's JSON. */
export function layoutDot(dot: string): Layouting {
    const code = carried('graphviz-worker');
    if (code === null) {
        const none = new Error(
            'This file does not include Graphviz. Open the call graph on the shelf that made the file.',
        );
        return { done: Promise.reject(none), stop: () => undefined };
    }
    const worker = workerOf(code);
    const done = new Promise<string>((resolve, reject) => {
        worker.onmessage = ({ data }: MessageEvent<Reply>) => {
            worker.terminate();
            if ('json' in data) resolve(data.json);
            else reject(new Error(data.error));
        };
        worker.onerror = (event) => {
            worker.terminate();
            reject(new Error(event.message));
        };
        worker.postMessage({ dot });
    });
    return { done, stop: () => worker.terminate() };
}
