/* SPDX-License-Identifier: MIT
 *
 * Two memory snapshots as one flame graph: the colour of a frame is the change of its live bytes.
 */
import { useMemo, useState } from 'preact/hooks';
import type { SnapshotComparison } from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import { bytesText, text } from '../../base/units';
import { FRAME_ROW } from '../../canvas/frame_canvas';
import { changeOptions, paintOf } from '../../canvas/tree_paint';
import { useFolds } from '../../components/folds';
import { FrameView } from '../../components/frame_view';
import { formatDelta } from '../../model/compare';
import type { Matcher } from '../../model/search';
import { diffSums, keyOfNode, nodeOfKey } from '../../model/snapshot_diff';
import { frameLabelForms } from '../../model/snapshot_names';
import { frameOfRow, marksOfFolds, roleOf, searchTree } from '../../model/tree';
import { treeOfSnapshots } from '../../model/tree_answers';
import { changeRows, changeText, tipOf } from '../../model/tree_tip';
import { pictureHeight } from './side_pane';

const deltaText = (change: number): string => text(formatDelta(change, 'B'));

interface SnapshotFlameProps {
    diff: SnapshotComparison;
    selected: string | null;
    search: Matcher | null;
    onSelect: (key: string | null) => void;
}

export function SnapshotDiffFlame({ diff, selected, search, onSelect }: SnapshotFlameProps) {
    const tree = treeOfSnapshots(diff);
    const hidden = useMemo(
        () => Uint8Array.from({ length: tree.n }, (_, i) => +(roleOf(tree, i) === 'none')),
        [tree],
    );
    const { layout, openAt } = useFolds(tree, hidden);
    const title = rootText(diff);
    const paint = useMemo(
        () =>
            paintOf(tree, layout, {
                ...changeOptions(tree, deltaText),
                title,
                formsOf: (node) => frameLabelForms(frameOfRow(tree, tree.frame[node])),
            }),
        [tree, layout, title],
    );
    const match = useMemo(
        () => search && marksOfFolds(tree, layout, searchTree(tree, search)?.set),
        [search, tree, layout],
    );
    const [outlined, setOutlined] = useState({ diff, node: -1 });
    const { stack: baseStacks = [] } = tree.base;
    const { stack: newStacks = [] } = tree.new;
    const chosen = selected === null ? -1 : nodeOfKey(baseStacks, newStacks, selected);
    const inner = outlined.diff === diff ? outlined.node : -1;
    const select = (node: number): void => {
        if (openAt(node)) return;
        const key = keyOfNode(baseStacks, newStacks, node);
        // A frame at which no stack ends is only outlined.
        setOutlined({ diff, node: key === 'none' ? node : -1 });
        onSelect(key === 'none' ? null : key);
    };
    return (
        <FrameView
            label="Difference of live memory by stack"
            tree={tree}
            layout={layout}
            paint={paint}
            match={match}
            onClearSearch={() => replaceQuery({ q: null })}
            selected={chosen >= 0 ? chosen : inner}
            onSelect={select}
            zoom={route.value.query.zoom ?? ''}
            onZoom={(zoom) => replaceQuery({ zoom })}
            tip={(node) =>
                tipOf(tree, layout, node, {
                    root: 'all, also without a Python stack',
                    rows: changeRows(tree, node, {
                        base: diff.base.count,
                        new: diff.new.count,
                    }),
                    foot: [changeText(tree, node)],
                })
            }
            height={Math.min(pictureHeight(), layout.rows * FRAME_ROW + 20)}
            keyless
            empty="Neither run has memory with a Python stack here."
        />
    );
}

function rootText(diff: SnapshotComparison): string {
    const { base_without, new_without } = diffSums(diff);
    const [base, fresh] = [diff.base.live - base_without, diff.new.live - new_without];
    return `with a Python stack, ${bytesText(base)} → ${bytesText(fresh)}`;
}
