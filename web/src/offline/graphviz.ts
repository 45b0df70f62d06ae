/* SPDX-License-Identifier: MIT
 *
 * components/graphviz.ts of a file, which carries the worker as text where it has a call graph.
 */
import type { Layouting } from '../components/graphviz';
import { carried, workerOf } from './packed';

export type { Layouting };

type Reply = { json: string } | { error: string };

/** Graphviz' json of a DOT text. */
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
