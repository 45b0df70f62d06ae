/* SPDX-License-Identifier: MIT
 *
 * Replaces components/graphviz.ts in offline files. The file contains the code of the worker if it
 * has a call graph.
 */
import type { LayoutJob } from '../components/graphviz';
import { embeddedText, workerOf } from './packed';

export type { LayoutJob };

type Reply = { json: string } | { error: string };

/** Lays out a DOT graph; the result is Graphviz's JSON. */
export function layoutDot(dot: string): LayoutJob {
    const code = embeddedText('graphviz-worker');
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
