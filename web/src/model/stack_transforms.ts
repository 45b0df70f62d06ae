/* SPDX-License-Identifier: MIT */
/* The call-tree transforms of a stack profile as the parameter `tf` (docs/api-traces.md): their
 * titles, and which of them a frame offers. */
import type { Origin, StackTransform } from '../base/answers';
import { locationStart } from './frame_names';
import { ORIGIN_LABELS, originIndex, ORIGINS } from './tint';
import { nameOf } from './tree';
import type { Flame } from './tree_answers';

export const RECURSION = 'recursion';
export const INVERT = 'invert';
/** As the server; more are refused there. */
export const TRANSFORMS_MAX = 32;
const PATH_MAX = 1024;

export function readTransforms(tf: string | undefined): string[] {
    return tf ? tf.split(',').filter((text) => text !== '') : [];
}

/** The list with one more transform; switches are in it once. */
export function withTransform(list: readonly string[], text: string): string[] {
    return list.includes(text) && (text === RECURSION || text === INVERT)
        ? [...list]
        : [...list, text];
}

const TITLES: Record<string, string> = {
    drop: 'Drop',
    focus: 'Focus',
    merge: 'Merge',
    leaf: 'Hide callees of',
    collapse: 'Collapse',
    recursion: 'Collapse recursion',
    'focus-path': 'Focus frame',
    'merge-path': 'Merge frame',
    invert: 'Invert',
};

/** The transform that merges all frames of an origin into their callers. */
export const mergeOfOrigin = (origin: Origin): string => `merge:origin:${origin}`;

/* `native` of `merge:origin:builtin`; undefined: the transform is not about an origin */
function originOfTransform(text: string): string | undefined {
    const origin = /^[a-z]+:origin:(.*)$/.exec(text)?.[1];
    return origin === undefined ? undefined : ORIGIN_LABELS[ORIGINS[originIndex(origin)]];
}

export function transformTitle(text: string): string {
    return TITLES[text.split(':')[0]] ?? text;
}

/** `time.sleep` of `time.sleep (<built-in>)`. */
export function shortFrameName(name: string): string {
    return name.slice(0, locationStart(name)).trimEnd() || name;
}

export interface Chip {
    text: string;
    title: string;
    /** of the function, file or package; '' if there is none, or until the answer is here */
    name: string;
    removed: number;
}

/** The chips in the order of `tf`, with what the answer says of each of them. */
export function chipsOf(list: readonly string[], answers: readonly StackTransform[]): Chip[] {
    const applied = list.filter((text) => text !== INVERT);
    return list.map((text) => {
        const answer = text === INVERT ? undefined : answers[applied.indexOf(text)];
        const known = answer?.text === text ? answer : undefined;
        return {
            text,
            title: transformTitle(text),
            name: originOfTransform(text) ?? known?.name ?? '',
            removed: known?.removed ?? 0,
        };
    });
}

export interface TransformOffer {
    text: string;
    key: string;
    /** Appended to `tf`; null: not possible for this frame, for the reason in `why`. */
    tf: string | null;
    why?: string;
    detail?: string;
}

/** Text id of the frame of a node; 0: it has no name. */
export const idOf = ({ frame, frames }: Flame, node: number): number =>
    frames.id?.[frame[node]] ?? 0;

/* The path of text ids from the root of the tree to a node, for focus-path and merge-path. */
function pathOf(flame: Flame, node: number): string | null {
    const path: number[] = [];
    for (let i = node; i >= 0; i = flame.parent[i]) path.push(idOf(flame, i));
    return path.length <= PATH_MAX && path.every((id) => id > 0) ? path.reverse().join('.') : null;
}

/** What a transform of this frame is about: a function, or the file or package that it stands for. */
export function targetOf(flame: Flame, node: number): string {
    const { frame, frames } = flame;
    const what = ['', 'file:', 'package:'][frames.collapsed?.[frame[node]] ?? 0];
    return what + String(idOf(flame, node));
}

const NAMELESS = 'This frame has no name.';

/* "Collapse file app.py", or the package of code that is installed. */
function offerCollapse(flame: Flame, node: number): TransformOffer {
    const { origin: origins = [], collapsed = [] } = flame.frames;
    const offer = { text: 'Collapse file', key: 'c', tf: null };
    const fullName = nameOf(flame, node);
    const row = flame.frame[node];
    if (collapsed[row]) return { ...offer, why: 'This frame is collapsed already.' };
    const origin = origins[row];
    if (origin === 1 || origin === 2) {
        const text = origin === 1 ? 'Collapse package' : 'Collapse module';
        return { text, key: 'c', tf: `collapse:package:${idOf(flame, node)}` };
    }
    const place = fullName.slice(locationStart(fullName)).replace(/^[\s([]+|[)\]]+$/g, '');
    if (!place) return { ...offer, why: 'The name of this frame has no file.' };
    return {
        ...offer,
        tf: `collapse:file:${idOf(flame, node)}`,
        detail: place.split(/[\\/]/).pop()?.replace(/:\d+$/, ''),
    };
}

/** The transforms that a frame offers, in the order of the menu. isFromRoots: the tree begins with
 * the roots of the stacks, so that a frame has a path. */
export function offersOf(flame: Flame, node: number, isFromRoots: boolean): TransformOffer[] {
    const isNamed = idOf(flame, node) > 0;
    const isCollapsed = (flame.frames.collapsed?.[flame.frame[node]] ?? 0) > 0;
    const target = targetOf(flame, node);
    const path = pathOf(flame, node);
    const of = (kind: string) => (isNamed ? `${kind}:${target}` : null);
    const along = (kind: string) => ({
        tf: !isFromRoots || path === null ? null : `${kind}:${path}`,
        why: isFromRoots ? NAMELESS : 'Only in the flame graph, whose frames begin at the root.',
    });
    return [
        { text: 'Focus on function', key: 'f', tf: of('focus'), why: NAMELESS },
        { text: 'Focus on this frame', key: 'shift+f', ...along('focus-path') },
        { text: 'Merge function into caller', key: 'm', tf: of('merge'), why: NAMELESS },
        { text: 'Merge only this frame', key: 'shift+m', ...along('merge-path') },
        isNamed
            ? offerCollapse(flame, node)
            : { text: 'Collapse file', key: 'c', tf: null, why: NAMELESS },
        {
            text: 'Collapse recursion',
            key: 'r',
            tf: isCollapsed ? null : of('recursion'),
            why: isCollapsed ? 'A collapsed frame has no recursion of its own.' : NAMELESS,
        },
        { text: 'Drop samples with it', key: 'x', tf: of('drop'), why: NAMELESS },
        { text: 'Hide its callees', key: 'h', tf: of('leaf'), why: NAMELESS },
    ];
}
