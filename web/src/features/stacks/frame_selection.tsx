/* SPDX-License-Identifier: MIT
 *
 * The pane of the selected frame of a flame graph. All of it follows from the answer that is drawn.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { axisText } from '../../base/axis';
import { int } from '../../base/units';
import type { Action, ActionHead } from '../../components/actions';
import { FamilySwatch } from '../../components/family_swatch';
import { Swatch } from '../../components/origin_legend';
import { type PaneFrame, type PaneValue, SelectionPane } from '../../components/selection_pane';
import { frameForms, frameParts, libraryOfFile } from '../../model/frame_names';
import { shortPlace } from '../../model/labels';
import { foldStack, selectionFacts, type Neighbour, widestNode } from '../../model/selection';
import { ORIGINS } from '../../model/tint';
import { nameOf, type Tree } from '../../model/tree';
import type { Flame } from '../../model/tree_answers';
import { nodeOfId } from '../../model/tree_ids';
import { useFrameSource } from '../lines/frame_source';
import type { SearchedRow } from '../shared/name_search';
import { OtherRuns } from '../shared/other_runs';
import { estimateText, isStacks, searchedSlice } from '../trace/data';
import { linesOf } from './flame_tree';

/** The selected node: that of the URL; else the widest of the selected function, which may have
 * been selected in another tab; else -1. */
export function selectedNode(
    tree: Tree,
    frame: string | undefined,
    name: string | undefined,
): number {
    const node = nodeOfId(tree, frame);
    if (node >= 0 && (!name || nameOf(tree, node) === name)) return node;
    if (!name) return -1;
    const { name: names } = tree.frames;
    const exact = names.indexOf(name);
    if (exact >= 0) return widestNode(tree, exact);
    // Frames may be lines now, or functions: then the names differ in the line.
    const wanted = frameParts(name);
    const same = names.findIndex((one) => {
        const parts = frameParts(one);
        return parts.name === wanted.name && parts.file === wanted.file;
    });
    return same >= 0 ? widestNode(tree, same) : -1;
}

function originOf({ frame, frames: { origin } }: Flame, node: number) {
    return origin ? (ORIGINS[origin[frame[node]]] ?? 'unknown') : null;
}

/** Name, place and swatch of a frame. */
export function frameHead(flame: Flame, node: number): ActionHead {
    const whole = nameOf(flame, node);
    const { name } = frameParts(whole);
    const origin = originOf(flame, node);
    // The form without the folders of an installation, cut to its place.
    const place = frameParts(frameForms(whole)[0]);
    const line = place.line > 0 ? `:${place.line}` : '';
    return {
        name,
        place: place.file ? place.file + line : undefined,
        swatch: origin ? <Swatch origin={origin} /> : <FamilySwatch family={flame.family[node]} />,
    };
}

/* The file without its folders, and the line. */
function shortPlaceOf(whole: string): string | undefined {
    const { file, line } = frameParts(whole);
    return file ? shortPlace(file, line) : undefined;
}

/* The row that other runs are searched for: null for frames without a table of names. */
export function searchedFrame(run: Run, flame: Flame, node: number): SearchedRow | null {
    const row = nameOf(flame, node);
    if (isStacks(run)) return { of: 'functions', row };
    return searchedSlice(row, flame.kind[node]);
}

/** What a flame graph says about the function of a node, as sections of a pane: instances, the
 * heaviest stack, callers and callees. All are empty for the node -1. `leadsOut`: the tree leads from
 * a function to its callers. */
export function useFrameFacts(
    flame: Flame,
    node: number,
    onSelect: (node: number) => void,
    onOpen?: (node: number) => void,
    leadsOut = false,
) {
    const [isFolded, setFolded] = useState(true);
    const facts = useMemo(() => {
        const found = selectionFacts(flame, node);
        if (!leadsOut) return found;
        const { stack, callers, callees } = found;
        return { ...found, stack: stack.reverse(), callers: callees, callees: callers };
    }, [flame, node, leadsOut]);
    const key = flame.frame[node];
    const libraryOf = (at: number): string | null => {
        const origin = originOf(flame, at);
        const isLibrary = origin === 'third-party' || origin === 'stdlib';
        const { file } = frameParts(nameOf(flame, at));
        return isLibrary && flame.frame[at] !== key && file ? libraryOfFile(file) : null;
    };
    const rows = isFolded
        ? foldStack(facts.stack, libraryOf)
        : facts.stack.map((at) => ({ node: at }));
    const frameRow = (at: number, total: number): PaneFrame => ({
        ...frameHead(flame, at),
        place: shortPlaceOf(nameOf(flame, at)),
        key: at,
        text: axisText(total),
        value: total,
        tip: nameOf(flame, at),
        isSelected: at === node,
        onSelect: () => onSelect(at),
        onOpen: onOpen && (() => onOpen(at)),
    });
    const neighbours = (list: Neighbour[]) => ({
        rows: list.map((one) => frameRow(one.node, one.total)),
        note: 'all instances',
    });
    return {
        facts,
        stack: {
            rows: rows.map((row) =>
                'fold' in row
                    ? { key: `fold ${row.node}`, fold: row.fold }
                    : frameRow(row.node, flame.total[row.node]),
            ),
            count: facts.stack.length,
            isFolded,
            onFold: setFolded,
        },
        callers: neighbours(facts.callers),
        callees: neighbours(facts.callees),
    };
}

interface FrameSelectionProps {
    run: Run;
    flame: Flame;
    node: number;
    /** function that the flame graph is of; undefined: of all */
    of?: string;
    /** The tree leads from a function to its callers. */
    leadsOut?: boolean;
    actions: readonly Action[];
    onSelect: (node: number) => void;
    onOpen: (node: number) => void;
}

export function FrameSelection(props: FrameSelectionProps) {
    const { run, flame, node, of, leadsOut, actions, onSelect, onOpen } = props;
    const { facts, ...sections } = useFrameFacts(flame, node, onSelect, onOpen, leadsOut);
    const index = facts.instances.indexOf(node);
    const estimate = estimateText(run, flame.total[node]);
    const lines = useMemo(() => linesOf(flame, node), [flame, node]);
    const source = useFrameSource(run, {
        ...frameParts(nameOf(flame, node)),
        lines,
        total: flame.total[node],
        valueText: axisText,
    });
    const instance: PaneValue[] = [
        { label: 'Total', text: axisText(flame.total[node]), value: flame.total[node] },
        { label: 'Self', text: axisText(flame.self[node]), value: flame.self[node], tone: 'self' },
        // Operators above the slices of a device have none of their own.
        ...(flame.count[node] > 0
            ? [{ label: isStacks(run) ? 'Stretches' : 'Slices', text: int(flame.count[node]) }]
            : []),
        ...(estimate ? [{ label: 'Estimated', text: estimate }] : []),
    ];
    return (
        <SelectionPane
            head={frameHead(flame, node)}
            actions={actions}
            base={{
                value: flame.sum,
                text: `${axisText(flame.sum)} ${of === undefined ? 'shown' : `in ${of}`}`,
            }}
            instance={{ values: instance }}
            instances={{
                count: facts.instances.length,
                index,
                values: [
                    { label: 'Total', text: axisText(facts.total), value: facts.total },
                    { label: 'Self', text: axisText(facts.self), value: facts.self, tone: 'self' },
                ],
                onStep: (by) => {
                    const { length } = facts.instances;
                    onSelect(facts.instances[(index + by + length) % length]);
                },
            }}
            {...sections}
            source={source}
            otherRuns={<OtherRuns run={run} row={searchedFrame(run, flame, node)} />}
            onClose={() => onSelect(-1)}
        />
    );
}
