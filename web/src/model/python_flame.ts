/* SPDX-License-Identifier: MIT */
/* The flame graph of device time by Python: names of merged modules, what is attributed, and the
 * classes whose modules are shown one by one. */
import type { PythonFlameAnswer } from '../base/answers';
import { axisText } from '../base/axis';
import { pct, THIN_SPACE } from '../base/units';
import { nameOf, type Tree } from './tree';

/** A flame graph of device time by Python. */
export type PythonFlame = PythonFlameAnswer & Tree;

/** The same tree, with the number of merged modules in its names: `TransformerBlock ×36`. */
export function withModuleCounts(flame: PythonFlame): PythonFlame {
    const names = [...flame.frames.name];
    const merged = new Map<string, number>();
    const frame = flame.frame.map((row, node) => {
        const count = flame.modules[node];
        if (count < 2) return row;
        const text = `${names[row]} ×${count}`;
        const index = merged.get(text) ?? names.push(text) - 1;
        merged.set(text, index);
        return index;
    });
    return { ...flame, frame, frames: { name: names } };
}

/** The class of the modules in a node; null: the node is no module. */
export function classOfNode(flame: PythonFlame, node: number): string | null {
    if (node < 0 || !(flame.modules[node] > 0)) return null;
    const name = nameOf(flame, node).replace(/ ×\d+$/, '');
    const single = /^(.+)_\d+$/.exec(name)?.[1];
    return single !== undefined && flame.classes.some((row) => row.name === single) ? single : name;
}

/** Reads the value of `expand` in the URL. */
export function readExpanded(text: string | undefined): string[] {
    return text ? text.split(',') : [];
}

/** The value of `expand` after a class was expanded or merged again; null: none is expanded. */
export function toggleExpanded(text: string | undefined, name: string): string | null {
    const before = readExpanded(text);
    const after = before.includes(name) ? before.filter((one) => one !== name) : [...before, name];
    return after.join(',') || null;
}

/** What is known of the device time, in parts of one sentence. */
export function attributionTexts({ sum, attributed }: PythonFlameAnswer): string[] {
    const share = (ns: number) => `${pct((100 * ns) / sum)}${THIN_SPACE}%`;
    if (!(sum > 0)) return [];
    const { total, python, modules, backward, without_launch, without_frame } = attributed;
    const parts = [`${share(total)} of ${axisText(sum)} attributed`];
    if (total > 0 && !python)
        parts.push('no Python frames in this trace; record with with_stack=True');
    if (python > 0) parts.push(`${share(python)} to Python frames`);
    if (modules > 0) parts.push(`${share(modules)} to modules`);
    if (backward > 0) parts.push(`${share(backward)} backward`);
    if (without_launch > 0) parts.push(`${share(without_launch)} without a recorded launch`);
    if (without_frame > 0)
        parts.push(`${share(without_frame)} launched outside of frames and operators`);
    return parts;
}

/** Why nothing is attributed; null: something is. */
export function nothingAttributed({ sum, attributed }: PythonFlameAnswer): string | null {
    if (!(sum > 0) || attributed.total > 0) return null;
    return attributed.without_frame > 0
        ? 'The trace has the calls that launched the work, but no Python frames, modules, annotations or operators around them.'
        : 'The trace has neither the calls that launched the work (correlation) nor the operators that requested it (External id).';
}

const PLACE = /^(.*[^(])\((\d+)\): /;

/** The file and line of a Python frame, `model.py:35`; null: it has none. */
export function placeOfFrame(name: string): string | null {
    const place = PLACE.exec(name);
    return place && `${place[1]}:${place[2]}`;
}
