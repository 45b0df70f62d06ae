/* SPDX-License-Identifier: MIT */
/* What the tooltips of flame graphs and sandwiches say. */
import type { Run } from '../../base/answers';
import { axisText } from '../../base/axis';
import { plural } from '../../base/units';
import { familyOf, kindLabel } from '../../model/family';
import type { FrameLayout } from '../../model/frames';
import { shareText, type TipData, type TipRow } from '../../model/tip';
import type { Flame } from '../../model/tree_answers';
import { tipOf, weightRows } from '../../model/tree_tip';
import { estimateText, isStacks } from '../trace/data';
import { linesOf } from './flame_tree';
import { originSuffix } from './parts';
import { hasStretches } from './sample_types';

const LINES_SHOWN = 5;

/* The lines in which a frame spends most. */
function lineRows(flame: Flame, node: number): TipRow[] {
    const lines = linesOf(flame, node);
    const rows = lines.slice(0, LINES_SHOWN).map(({ line, total }) => ({
        label: `line ${line}`,
        value: axisText(total),
        share: shareText(total, flame.total[node], 'of this frame'),
    }));
    const more = lines.length - rows.length;
    return more > 0 ? [...rows, { label: plural(more, 'more line'), value: '' }] : rows;
}

/* Counts of samples as time, if the run has a period. */
function estimateRows(run: Run, { total, self }: Flame, node: number): TipRow[] {
    if (node < 0 || !isStacks(run) || estimateText(run, 0) === '') return [];
    const share = `self ${estimateText(run, self[node])}`;
    return [{ label: 'estimated', value: estimateText(run, total[node]), share }];
}

/* In stack profiles, consecutive samples with the same frame count as one stretch. Time on a device has
 * the slices of the device only: the operators above them have none of their own. */
function countTexts(run: Run, flame: Flame, node: number): string[] {
    const count = flame.count[node];
    const { family, kind } = flame;
    if (isStacks(run)) {
        const origin = originSuffix(flame, node);
        return hasStretches(run)
            ? [`${plural(count, 'stretch', 'stretches')}${origin}`]
            : [origin.replace(/^, /, '')].filter(Boolean);
    }
    const what = `${kindLabel(kind[node])}, ${familyOf(family[node]).label}`;
    return count > 0 ? [plural(count, 'slice'), what] : [what];
}

function footOf(run: Run, flame: Flame, node: number, root: string): string {
    return [...countTexts(run, flame, node), `percentages of ${root}`].join(' · ');
}

/** root: what the whole is. */
export function flameTip(
    run: Run,
    flame: Flame,
    layout: FrameLayout,
    node: number,
    root: string,
): TipData {
    const words = { total: 'total', self: 'self', whole: flame.sum, format: axisText };
    return tipOf(flame, layout, node, {
        root,
        rows: [
            ...weightRows(flame, node, words),
            ...estimateRows(run, flame, node),
            ...lineRows(flame, node),
        ],
        foot: node < 0 ? [] : [footOf(run, flame, node, root)],
    });
}

/** of: name of the function, whose weight is that of the flame; sum: weight of all stacks. */
export function sandwichTip(
    run: Run,
    flame: Flame,
    layout: FrameLayout,
    node: number,
    { of, sum }: { of: string; sum: number },
): TipData {
    const total = flame.total[node];
    const words = { total: 'on this path', whole: flame.sum, of: `of ${of}`, format: axisText };
    const ofAll = {
        label: '',
        value: estimateText(run, total),
        share: shareText(total, sum, 'of all'),
    };
    return tipOf(flame, layout, node, {
        root: of,
        rows: [...weightRows(flame, node, words), ofAll, ...lineRows(flame, node)],
        foot: [countTexts(run, flame, node).join(' · ')],
    });
}
