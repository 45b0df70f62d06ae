/* SPDX-License-Identifier: MIT
 *
 * Two memory snapshots as one flame graph: the colour of a frame is the change of its live bytes.
 */
import { useMemo, useState } from 'preact/hooks';
import type { SnapshotComparison } from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import { bytesText, int, MINUS, pct, text, THIN_SPACE } from '../../base/units';
import { FRAME_ROW } from '../../canvas/frame_canvas';
import { snapshotDiffPaint } from '../../canvas/snapshot_diff_paint';
import { flameNodeName } from '../../canvas/snapshot_flame_paint';
import { FrameView } from '../../components/frame_view';
import { formatDelta } from '../../model/compare';
import { type Matcher, matchSet } from '../../model/search';
import {
    type DiffFlame,
    diffFlame,
    diffSums,
    nodeOfKey,
    stackKey,
} from '../../model/snapshot_diff';
import {
    layoutLiveFlame,
    nodeOfStack,
    openFold,
    type SnapshotFlame,
} from '../../model/snapshot_flame';
import { pictureHeight } from './side_pane';

const NONE_OPEN: ReadonlySet<number> = new Set();

interface SnapshotFlameProps {
    diff: SnapshotComparison;
    selected: string | null;
    search: Matcher | null;
    onSelect: (key: string | null) => void;
}

export function SnapshotDiffFlame({ diff, selected, search, onSelect }: SnapshotFlameProps) {
    const [open, setOpen] = useState({ diff, folds: NONE_OPEN });
    // Numbers of nodes are those of one answer.
    const folds = open.diff === diff ? open.folds : NONE_OPEN;
    const flame = useMemo(() => diffFlame(diff), [diff]);
    const tree = useMemo(() => layoutLiveFlame(flame.nodes, folds), [flame, folds]);
    const title = rootText(diff);
    const paint = useMemo(
        () =>
            snapshotDiffPaint(diff, flame, tree, title, (change) => text(formatDelta(change, 'B'))),
        [diff, flame, tree, title],
    );
    const { nodes, layout } = tree;
    const match = useMemo(
        () =>
            search ? matchSet(search, nodes.length, (i) => flameNodeName(flame, nodes[i])) : null,
        [search, flame, nodes],
    );
    const [outlined, setOutlined] = useState({ diff, node: -1 });
    const chosen = useMemo(() => {
        const node = selected === null ? -1 : nodeOfKey(diff, selected);
        return node < 0 ? -1 : nodeOfStack(flame.nodes, nodes, node);
    }, [diff, flame, nodes, selected]);
    const inner =
        outlined.diff === diff ? nodes.findIndex(({ node }) => node === outlined.node) : -1;
    const select = (index: number): void => {
        const at = index >= 0 ? nodes[index] : null;
        if (at?.kind === 'fold') {
            setOpen({ diff, folds: openFold(flame.nodes, folds, at) });
            return;
        }
        const source = at ? flame.source[at.node] : 0;
        const { base_stack, new_stack } = diff.nodes;
        const hasStack = base_stack[source] !== null || new_stack[source] !== null;
        // A frame at which no stack ends is only outlined.
        setOutlined({ diff, node: at && !hasStack ? at.node : -1 });
        onSelect(
            hasStack
                ? stackKey({ base_stack: base_stack[source], new_stack: new_stack[source] })
                : null,
        );
    };
    return (
        <FrameView
            label="Difference of live memory by stack"
            layout={layout}
            paint={paint}
            match={match?.set ?? null}
            onClearSearch={() => replaceQuery({ q: null })}
            selected={chosen >= 0 ? chosen : inner}
            onSelect={select}
            zoom={route.value.query.zoom ?? ''}
            onZoom={(zoom) => replaceQuery({ zoom })}
            idOf={(index) => index}
            nodeOf={(id) => id}
            nameOf={(index) => flameNodeName(flame, nodes[index])}
            rootName={title}
            tip={(index) => <DiffTip {...{ diff, flame, tree, index }} />}
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

interface DiffTipProps {
    diff: SnapshotComparison;
    flame: DiffFlame;
    tree: SnapshotFlame;
    index: number;
}

function DiffTip({ diff, flame, tree, index }: DiffTipProps) {
    const at = index < 0 ? null : tree.nodes[index];
    const source = at ? flame.source[at.node] : 0;
    const { nodes, base: side } = diff;
    const [base, fresh] = [nodes.base[source], nodes.new[source]];
    const change = fresh - base;
    const share =
        side.live > 0
            ? `${change < 0 ? MINUS : '+'}${pct((100 * Math.abs(change)) / side.live)}${THIN_SPACE}% of base`
            : '';
    const frame = at ? flame.frames[flame.nodes.frame[at.node] ?? -1] : undefined;
    return (
        <>
            <div class="tooltip-title tip-long">
                {at ? flameNodeName(flame, at) : 'all, also without a Python stack'}
            </div>
            <dl>
                <dt>base</dt>
                <dd>{bytesText(base)}</dd>
                <dd>{int(nodes.base_count[source])}</dd>
                <dt>new</dt>
                <dd>{bytesText(fresh)}</dd>
                <dd>{int(nodes.new_count[source])}</dd>
                <dt>Δ</dt>
                <dd>{text(formatDelta(change, 'B'))}</dd>
                <dd>{change === 0 ? '' : share}</dd>
            </dl>
            {frame?.file && <div class="tooltip-foot">{`${frame.file}:${frame.line ?? 0}`}</div>}
        </>
    );
}
