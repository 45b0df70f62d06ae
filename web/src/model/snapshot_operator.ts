/* SPDX-License-Identifier: MIT */
/* Which thread of a trace made an allocation of a memory snapshot. */
import type { AllocationFrame, OperatorsAt } from '../base/answers';

const fileName = (path: string): string =>
    path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

/* Number of functions of the thread that the stack has too, by function and file name: the number in
 * the trace is the first line of the function. */
function countCommon(python: readonly string[], functions: ReadonlySet<string>): number {
    return python.filter((text) => {
        const match = /^(.*)\(\d+\): (.+)$/.exec(text);
        return match && functions.has(`${match[2]} ${fileName(match[1])}`);
    }).length;
}

/** The only thread, or the one whose Python functions agree most with the stack of the allocation;
 * null: none, or several agree equally well. */
export function chooseThread({ threads }: OperatorsAt, frames: readonly AllocationFrame[]) {
    if (threads.length === 1) return threads[0];
    const functions = new Set(
        frames.map(({ name, file }) => `${name ?? ''} ${fileName(file ?? '')}`),
    );
    const ranked = threads
        .map((thread) => ({ thread, common: countCommon(thread.python, functions) }))
        .sort((a, b) => b.common - a.common);
    const [first, second] = ranked;
    return first && first.common > second.common ? first.thread : null;
}
