/* SPDX-License-Identifier: MIT
 *
 * Replaces components/graphviz.ts in offline files. The file contains the code of the worker if it
 * has a call graph.
 */
import { layoutIn, type LayoutJob } from '../components/graphviz';
import { embeddedText, workerOf } from './packed';

export type { LayoutJob };

export function layoutDot(dot: string): LayoutJob {
    const code = embeddedText('graphviz-worker');
    if (code === null) {
        const none = new Error(
            'This file does not include Graphviz. Open the call graph on the shelf that made the file.',
        );
        return { done: Promise.reject(none), stop: () => undefined };
    }
    return layoutIn(workerOf(code), dot);
}
