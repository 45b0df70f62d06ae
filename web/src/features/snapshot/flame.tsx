/* SPDX-License-Identifier: MIT
 *
 * The flame graph of the memory that is live at the cursor: width is bytes, the last frame of a stack has
 * the colour of its group.
 */
import { useMemo, useState } from 'preact/hooks';
import type { LiveFlame, Run } from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import { bytesText, plural } from '../../base/units';
import { coloursByGroup, paintOf } from '../../canvas/tree_paint';
import type { Action } from '../../components/actions';
import { copyAndConfirm } from '../../components/context_menu';
import { useFolds } from '../../components/folds';
import { FrameView } from '../../components/frame_view';
import type { FrameLayout } from '../../model/frames';
import type { Matcher } from '../../model/search';
import { frameLabelForms } from '../../model/snapshot_names';
import type { Pick } from '../../model/snapshot_pick';
import type { TipData } from '../../model/tip';
import {
    foldedFrames,
    frameOfRow,
    framesUpTo,
    marksOfFolds,
    nodeOfStack,
    nodesOfStacks,
    roleOf,
    searchTree,
    stacksBelow,
    type Tree,
} from '../../model/tree';
import { tipOf, weightRows } from '../../model/tree_tip';
import { rowActions } from '../shared/row_actions';

/** What is live, with the names of frames as shown. */
export type LiveTree = LiveFlame & Tree;

interface FlameProps {
    run: Run;
    flame: LiveTree;
    /** selected; undefined: none */
    stack: number | null | undefined;
    /** selected, if it is not one stack: its stacks are marked */
    pick: Pick | null;
    search: Matcher | null;
    onStack: (stack: number | null | undefined) => void;
}

/* Frames of a node from the innermost to the outermost, one a line. */
function stackLines(tree: Tree, node: number): string {
    return framesUpTo(tree, node, -1)
        .map((row) => frameOfRow(tree, row))
        .map(({ name, file, line }) => `${name ?? ''} (${file ?? ''}:${line ?? 0})`)
        .join('\n');
}

function livePaint(tree: Tree, layout: FrameLayout) {
    return paintOf(tree, layout, {
        title: `all, ${bytesText(tree.sum)}`,
        colours: coloursByGroup(tree),
        formsOf: (node) => frameLabelForms(frameOfRow(tree, tree.frame[node])),
    });
}

export function LiveFlameView({ run, flame: tree, stack, pick, search, onStack }: FlameProps) {
    const { layout, openAt } = useFolds(tree);
    const paint = useMemo(() => livePaint(tree, layout), [tree, layout]);
    const match = useMemo(() => {
        if (search) return marksOfFolds(tree, layout, searchTree(tree, search)?.set);
        return pick?.stacks ? nodesOfStacks(tree, pick.stacks) : null;
    }, [search, pick, tree, layout]);
    const [inner, setInner] = useState<{ tree: Tree; node: number } | null>(null);
    const selected = useMemo(() => {
        if (inner && inner.tree === tree) return inner.node;
        return nodeOfStack(tree, stack);
    }, [tree, stack, inner]);
    const select = (node: number): void => {
        if (openAt(node)) return;
        const below = node < 0 ? [] : [...stacksBelow(tree, node)];
        // A frame with several stacks below it is only outlined.
        setInner(node >= 0 && below.length !== 1 ? { tree, node } : null);
        onStack(below.length === 1 ? below[0] : undefined);
    };
    return (
        <FrameView
            label="Live memory by stack"
            tree={tree}
            layout={layout}
            paint={paint}
            match={match}
            onClearSearch={() => replaceQuery(search ? { q: null } : { row: null })}
            selected={selected}
            onSelect={select}
            zoom={route.value.query.fz ?? ''}
            onZoom={(zoom) => replaceQuery({ fz: zoom })}
            tip={(node) => flameTip(tree, layout, node)}
            actions={(node) => flameActions(run, tree, layout, node)}
            keyless
            empty="Nothing is live at this event."
        />
    );
}

function isOneFrame(tree: Tree, layout: FrameLayout, node: number): boolean {
    return roleOf(tree, node) === 'frame' && foldedFrames(tree, layout, layout.frameOf[node]) === 1;
}

function flameActions(run: Run, tree: Tree, layout: FrameLayout, node: number): readonly Action[] {
    if (node < 0 || !isOneFrame(tree, layout, node)) return [];
    const frame = frameOfRow(tree, tree.frame[node]);
    const { actions } = rowActions(run, {
        name: frame.name ?? '',
        file: frame.file ?? undefined,
        line: frame.line,
    });
    return [
        {
            text: 'Copy stack',
            key: 'y',
            group: 2,
            run: () => copyAndConfirm(stackLines(tree, node), 'Stack'),
        },
        ...actions,
    ];
}

const MAX_FOLD_LINES = 12;

function flameTip(tree: Tree, layout: FrameLayout, node: number): TipData {
    const frame = layout.frameOf[node];
    const isFolded = frame >= 0 && foldedFrames(tree, layout, frame) > 1;
    return tipOf(tree, layout, node, {
        root: 'all',
        rows: weightRows(tree, node, {
            total: 'live',
            count: 'allocations',
            whole: layout.total,
            of: 'of live',
            format: bytesText,
        }),
        foot: isFolded ? foldLines(tree, layout, frame) : [],
    });
}

/* The folded frames, outermost first. */
function foldLines(tree: Tree, { node, last }: FrameLayout, frame: number): string[] {
    const lines = framesUpTo(tree, last[frame], tree.parent[node[frame]])
        .map((row) => tree.frames.name[row])
        .reverse();
    const more = lines.length - MAX_FOLD_LINES;
    return more > 0
        ? [...lines.slice(0, MAX_FOLD_LINES), `and ${plural(more, 'more frame')}`]
        : lines;
}
