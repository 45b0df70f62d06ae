/* SPDX-License-Identifier: MIT */
/* Names of stacks and frames in a memory snapshot: the function and its place. A function whose name
 * says nothing gives way to the file and line. */
import type { SnapshotFrame } from '../base/answers';
import { shortPlace } from './labels';

const UNTELLING = new Set(['forward', 'call', '__call__', '<module>', 'run', 'main']);

export const NO_STACK = 'no Python stack';

export interface FrameTitle {
    /** what tells the frame from others */
    name: string;
    /** '' if there is nothing else to say */
    place: string;
}

export function frameTitle(frame: SnapshotFrame): FrameTitle {
    const { file, line } = frame;
    const name = frame.name ?? '';
    const place = file ? shortPlace(file, line ?? 0) : '';
    if (name === '' && place === '') return { name: NO_STACK, place: '' };
    if (place !== '' && (UNTELLING.has(name) || name === '')) return { name: place, place: name };
    return { name, place };
}

/** One line: `silu functional.py:2072`. */
export function frameText(frame: SnapshotFrame): string {
    const { name, place } = frameTitle(frame);
    return place ? `${name} ${place}` : name;
}

/** Forms for a frame of a picture, from complete to short. */
export function frameLabelForms(frame: SnapshotFrame): string[] {
    const { name, place } = frameTitle(frame);
    const forms = [place ? `${name} ${place}` : name, name];
    if (frame.line !== null && frame.line > 0) forms.push(`:${frame.line}`);
    return forms;
}
