/* SPDX-License-Identifier: MIT
 *
 * The flame graph of the memory that is live at the cursor: width is bytes, the last frame of a stack has
 * the colour of its group.
 */
import { useMemo, useState } from 'preact/hooks';
import type { LiveFlame, Run } from '../../base/answers';
import { useMemoOn } from '../../base/hooks';
import { replaceQuery, route } from '../../base/router';
import { bytesText, int, pct, plural, THIN_SPACE } from '../../base/units';
import { flameNodeName, snapshotFlamePaint } from '../../canvas/snapshot_flame_paint';
import type { Action } from '../../components/actions';
import { copyAndConfirm } from '../../components/context_menu';
import { FrameView } from '../../components/frame_view';
import {
    type FlameNode,
    layoutLiveFlame,
    nodeOfStack,
    nodesOfStacks,
    openFold,
    type SnapshotFlame,
    stacksBelow,
} from '../../model/snapshot_flame';
import { frameText } from '../../model/snapshot_names';
import type { Pick } from '../../model/snapshot_pick';
import { type Matcher, matchSet } from '../../model/search';
import { rowActions } from '../shared/row_actions';

interface FlameProps {
    run: Run;
    flame: LiveFlame;
    /** selected; undefined: none */
    stack: number | null | undefined;
    /** selected, if it is not one stack: its stacks are marked */
    pick: Pick | null;
    search: Matcher | null;
    onStack: (stack: number | null | undefined) => void;
}

/* Frames of a node from the innermost to the outermost, one a line. */
function stackLines(flame: LiveFlame, node: number): string {
    const lines: string[] = [];
    for (let at = node; at > 0; at = flame.nodes.parent[at]) {
        const frame = flame.frames[flame.nodes.frame[at] ?? -1];
        if (frame) lines.push(`${frame.name ?? ''} (${frame.file ?? ''}:${frame.line ?? 0})`);
    }
    return lines.join('\n');
}

export function LiveFlameView({ run, flame, stack, pick, search, onStack }: FlameProps) {
    const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
    const [openAt, setOpenAt] = useState(flame);
    // Numbers of nodes are those of one answer.
    const shownOpen = openAt === flame ? open : NONE_OPEN;
    const tree = useMemo(() => layoutLiveFlame(flame.nodes, shownOpen), [flame, shownOpen]);
    const paint = useMemo(() => snapshotFlamePaint(flame, tree), [flame, tree]);
    const { nodes, layout } = tree;
    const match = useMemo(() => {
        if (search)
            return (
                matchSet(search, nodes.length, (i) => flameNodeName(flame, nodes[i]))?.set ?? null
            );
        return pick?.stacks ? nodesOfStacks(flame.nodes, nodes, pick.stacks) : null;
    }, [search, pick, flame, nodes]);
    const [inner, setInner] = useState<{ flame: LiveFlame; node: number } | null>(null);
    const selected = useMemoOn(() => {
        if (inner && inner.flame === flame)
            return nodes.findIndex(({ node }) => node === inner.node);
        return stack === undefined ? -1 : nodeOfStack(flame.nodes, nodes, stack);
    }, [tree, stack, inner]);
    const select = (index: number): void => {
        const at = index >= 0 ? nodes[index] : null;
        if (at?.kind === 'fold') {
            setOpen(openFold(flame.nodes, shownOpen, at));
            setOpenAt(flame);
            return;
        }
        const below = at && at.kind !== 'rest' ? [...stacksBelow(flame.nodes, at.node)] : [];
        // A frame with several stacks below it is only outlined.
        setInner(at && below.length !== 1 ? { flame, node: at.node } : null);
        onStack(below.length === 1 ? below[0] : undefined);
    };
    const actionsOf = (index: number): readonly Action[] =>
        index < 0 ? [] : flameActions(run, flame, nodes[index]);
    return (
        <FrameView
            label="Live memory by stack"
            layout={layout}
            paint={paint}
            match={match}
            onClearSearch={() => replaceQuery(search ? { q: null } : { row: null })}
            selected={selected}
            onSelect={select}
            zoom={route.value.query.fz ?? ''}
            onZoom={(zoom) => replaceQuery({ fz: zoom })}
            idOf={(index) => index}
            nodeOf={(id) => id}
            nameOf={(index) => flameNodeName(flame, nodes[index])}
            rootName={`all, ${bytesText(layout.total)}`}
            tip={(index) => <FlameTip flame={flame} tree={tree} index={index} />}
            actions={actionsOf}
            keyless
            empty="Nothing is live at this event."
        />
    );
}

const NONE_OPEN: ReadonlySet<number> = new Set();

function flameActions(run: Run, flame: LiveFlame, at: FlameNode): readonly Action[] {
    if (at.kind !== 'frame') return [];
    const frame = flame.frames[flame.nodes.frame[at.node] ?? 0];
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
            run: () => copyAndConfirm(stackLines(flame, at.node), 'Stack'),
        },
        ...actions,
    ];
}

const MAX_FOLD_LINES = 12;

function FlameTip({
    flame,
    tree,
    index,
}: {
    flame: LiveFlame;
    tree: SnapshotFlame;
    index: number;
}) {
    const whole = tree.layout.total;
    if (index < 0) return <div>{`all, ${bytesText(whole)}`}</div>;
    const at = tree.nodes[index];
    const bytes = flame.nodes.bytes[at.node];
    const share = whole > 0 ? `${pct((100 * bytes) / whole)}${THIN_SPACE}% of live` : '';
    const file = flame.frames[flame.nodes.frame[at.node] ?? -1]?.file;
    return (
        <>
            <div class="tooltip-title tip-long">{flameNodeName(flame, at)}</div>
            <dl>
                <dt>live</dt>
                <dd>{bytesText(bytes)}</dd>
                <dd>{share}</dd>
                <dt>allocations</dt>
                <dd>{int(flame.nodes.count[at.node])}</dd>
            </dl>
            {at.kind === 'frame' && file && <div class="tooltip-foot">{file}</div>}
            {at.kind === 'fold' && (
                <div class="tooltip-foot">
                    {foldLines(flame, at).map((line) => (
                        <div key={line}>{line}</div>
                    ))}
                </div>
            )}
        </>
    );
}

/* The folded frames, outermost first. */
function foldLines(flame: LiveFlame, fold: FlameNode): string[] {
    const lines: string[] = [];
    for (let at = fold.last; ; at = flame.nodes.parent[at]) {
        const frame = flame.frames[flame.nodes.frame[at] ?? -1];
        if (frame) lines.unshift(frameText(frame));
        if (at === fold.node) break;
    }
    const more = lines.length - MAX_FOLD_LINES;
    return more > 0
        ? [...lines.slice(0, MAX_FOLD_LINES), `and ${plural(more, 'more frame')}`]
        : lines;
}
