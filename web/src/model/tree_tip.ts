/* SPDX-License-Identifier: MIT */
/* What the tooltip of a frame says, as data: the same rows for every tree. A kind of tree says what its
 * values are called and how they are written. Node -1 is the whole. */
import { int, MINUS, pct, text } from '../base/units';
import { changeWord, formatDelta, formatValueOf } from './compare';
import type { FrameLayout } from './frames';
import { placeText } from './labels';
import { shareText, type TipData, type TipRow } from './tip';
import { BOUNDED, certaintyOf, EXACT, OMITTED_CALLS, shownName, type Tree, UNKNOWN } from './tree';
import type { DiffTree } from './tree_answers';
import { boundsOf, deltaOf, deltaRange, isOpen, levelOf, nodeChangeOf } from './tree_diff';

/** What the values of a tree are called. */
export interface TipWords {
    total: string;
    self?: string;
    /** Without it, the number of a node is no row. */
    count?: string;
    /** 100 %, and what that is: `of live`. Without the name, the foot says it. */
    whole: number;
    of?: string;
    format: (value: number) => string;
}

const CERTAINTY_TEXTS = [
    '',
    'bounded: the value is between the two numbers',
    'unknown: a recursive call; nothing is drawn below it',
];

/** A total: a number, its bounds in brackets, or `? of` its upper bound. */
export function totalText(
    tree: Tree,
    node: number,
    [low, high]: readonly [number, number],
    format: (value: number) => string,
): string {
    const certainty = certaintyOf(tree, node);
    if (certainty === UNKNOWN) return `? of ${format(high)}`;
    return certainty === BOUNDED ? `[${format(low)}–${format(high)}]` : format(high);
}

function shareOfTotal(tree: Tree, node: number, { whole, of }: TipWords): string {
    const [low, high] = boundsOf(tree, node);
    const share = shareText(high, whole, of);
    const certainty = certaintyOf(tree, node);
    if (certainty === UNKNOWN) return `≤ ${share}`;
    return certainty === BOUNDED && whole > 0 ? `${pct((100 * low) / whole)}–${share}` : share;
}

/** The weights of a node, with their shares. */
export function weightRows(tree: Tree, node: number, words: TipWords): TipRow[] {
    const { total, self: selfLabel, count: countLabel, whole, of, format } = words;
    const value = totalText(tree, node, boundsOf(tree, node), format);
    const rows: TipRow[] = [{ label: total, value, share: shareOfTotal(tree, node, words) }];
    const self = tree.self?.[node];
    const count = tree.count?.[node];
    if (selfLabel && typeof self === 'number')
        rows.push({ label: selfLabel, value: format(self), share: shareText(self, whole, of) });
    if (countLabel && typeof count === 'number')
        rows.push({ label: countLabel, value: int(count) });
    return rows;
}

const CHANGE_TEXTS = {
    new: 'new on this path',
    gone: 'removed from this path',
    below: 'below the threshold of a profile, or not called',
    kept: '',
};
const VERDICT_TEXTS = ['', 'too few runs for a test', 'within noise', '', ''];

function sideText(tree: DiffTree, side: 'base' | 'new', node: number): string {
    const format = (value: number) => text(formatValueOf(value, tree.unit));
    if (nodeChangeOf(tree, node) === (side === 'base' ? 'new' : 'gone')) return '–';
    const bounds = boundsOf(tree[side], node);
    if (!isOpen(tree[side], node)) return totalText(tree, node, bounds, format);
    return isFinite(bounds[1]) ? `< ${format(bounds[1])}` : '?';
}

function deltaText(tree: DiffTree, node: number): string {
    const format = (value: number) => text(formatDelta(value, tree.unit));
    const [low, high] = deltaRange(tree, node);
    if (low === high) return format(low);
    return isFinite(high - low) ? `${format(low)} to ${format(high)}` : '?';
}

function shareOfBase(tree: DiffTree, node: number): string {
    const [low, high] = boundsOf(tree.base, node);
    const delta = deltaOf(tree, node);
    const isExact = certaintyOf(tree, node) === EXACT && nodeChangeOf(tree, node) !== 'below';
    if (!isExact || low !== high || low <= 0 || delta === 0) return '';
    return `${delta < 0 ? MINUS : '+'}${shareText(Math.abs(delta), low, 'of base')}`;
}

/** Both sides of a node and their difference; in the third column the numbers, if there are any.
 * counts: those of the whole. */
export function changeRows(
    tree: DiffTree,
    node: number,
    counts?: Record<'base' | 'new', number>,
): TipRow[] {
    const sideRow = (side: 'base' | 'new'): TipRow => {
        const count = node < 0 ? counts?.[side] : tree[side].count?.[node];
        const share = count === undefined ? '' : int(count);
        return { label: side, value: sideText(tree, side, node), share };
    };
    const change = { label: 'Δ', value: deltaText(tree, node), share: shareOfBase(tree, node) };
    return [sideRow('base'), sideRow('new'), change];
}

/** What the colour of a frame of a comparison says. */
export function changeText(tree: DiffTree, node: number): string {
    const level = node < 0 ? 0 : levelOf(tree, node);
    const verdict =
        VERDICT_TEXTS[tree.verdict?.[node] ?? 0] || (level ? changeWord(level > 0, tree.unit) : '');
    return [CHANGE_TEXTS[nodeChangeOf(tree, node)], verdict, certaintyText(tree, node)]
        .filter(Boolean)
        .join(', ');
}

/** Says that a total is no exact number; '' if it is. */
export function certaintyText(tree: Tree, node: number): string {
    return CERTAINTY_TEXTS[certaintyOf(tree, node)];
}

/* File and line of a node. A node that shows a folded chain of frames has none: each of its frames
 * has its own. */
function placeOf(tree: Tree, layout: FrameLayout, node: number): string | undefined {
    const { file, line } = tree.frames;
    const row = tree.frame[node] ?? -1;
    const frame = layout.frameOf[node] ?? -1;
    const isFolded = frame >= 0 && layout.last[frame] !== node;
    const path = row < 0 || isFolded ? '' : file?.[row];
    return path ? placeText(path, line?.[row] ?? 0) : undefined;
}

/** The tooltip of a node: its name and place, and what `rows` and `foot` add. */
export function tipOf(
    tree: Tree,
    layout: FrameLayout,
    node: number,
    { root, rows, foot }: { root: string; rows: readonly TipRow[]; foot?: readonly string[] },
): TipData {
    if (node === OMITTED_CALLS) return { title: 'calls too small to draw', rows: [] };
    const title = node < 0 ? root : shownName(tree, layout, node);
    return { title, place: placeOf(tree, layout, node), rows, foot: foot?.filter(Boolean) };
}
