/* SPDX-License-Identifier: MIT
 *
 * The pane of the selected function of a cProfile dump: its sums, callers and callees as pstats has
 * them, and the heaviest stack through it in the call tree.
 */
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { FunctionDetail, RelatedRow, Run } from '../../base/answers';
import { formatFixed, int, THIN_SPACE } from '../../base/units';
import { type Action, useActionKeys } from '../../components/actions';
import { Notice } from '../../components/notice';
import { Swatch } from '../../components/origin_legend';
import { LoadingLine } from '../../components/progress';
import { type PaneFrame, type PaneValue, SelectionPane } from '../../components/selection_pane';
import { libraryOfFile } from '../../model/frame_names';
import { functionName, libraryPath, placeText, shortPlace } from '../../model/labels';
import { foldStack, selectionFacts, widestNode } from '../../model/selection';
import { nodeOfId } from '../../model/tree_ids';
import { useFrameSource } from '../lines/frame_source';
import { OtherRuns } from '../shared/other_runs';
import { useJson } from '../shared/use_json';
import { callsText, functionsPath, isSampled, pstatsOf } from './data';
import { functionActions, functionOfNode, type NamedFunction } from './function_actions';
import { callValue, type Calls } from './tree_pane';

/** Callers and callees that the pane lists. */
const MAX_RELATED = 30;

/* The picture of the tree binds the keys of its selected call. */
const NO_ACTIONS: readonly Action[] = [];

/** The selected node: that of the URL, if it is a call of the function; else its widest call. */
export function selectedCall(
    tree: Calls | null,
    frame: string | undefined,
    fn: number | null,
): number {
    if (!tree) return -1;
    const node = nodeOfId(tree, frame);
    if (node >= 0 && (fn === null || functionOfNode(tree, node).id === fn)) return node;
    return fn === null ? -1 : widestNode(tree, tree.frames.id?.indexOf(fn) ?? -1);
}

const seconds = (value: number | null): string =>
    value === null ? '–' : `${formatFixed(value, 3)}${THIN_SPACE}s`;

const headOf = ({ name, file, line, origin }: NamedFunction) => ({
    name: functionName(name),
    place: placeText(libraryPath(file), line),
    swatch: origin && <Swatch origin={origin} />,
});

interface FunctionSelectionProps {
    run: Run;
    id: number;
    /** the tree that has the heaviest stack; null while it is not loaded */
    tree: Calls | null;
    /** a call of the function in the tree, or -1 */
    node: number;
    /** the picture shows the calls of the tree, so that they can be selected */
    onNode?: (node: number) => void;
    onFunction: (id: number) => void;
    onClose: () => void;
    /** the actions of the selected call, instead of those of the function */
    actions?: readonly Action[];
    /** sections before the other runs */
    children?: (detail: FunctionDetail) => ComponentChildren;
}

export function FunctionSelection(props: FunctionSelectionProps) {
    const { run, id } = props;
    const { data, error, loading } = useJson<FunctionDetail>(
        `${functionsPath(run)}/${id}?limit=${MAX_RELATED}`,
    );
    if (error) return <Notice kind="error" title="This function could not be read" error={error} />;
    if (!data) return <LoadingLine active={loading} />;
    return <FunctionFacts {...props} data={data} />;
}

function FunctionFacts(props: FunctionSelectionProps & { data: FunctionDetail }) {
    const { run, data, children } = props;
    const { fn } = data;
    const actions = props.actions ?? functionActions(run, fn).actions;
    useActionKeys('Selected function', props.onNode ? NO_ACTIONS : actions);
    const total = pstatsOf(run).total_tt_s;
    const source = useFrameSource(run, fn);
    return (
        <SelectionPane
            head={headOf(fn)}
            actions={actions}
            base={{ value: total, text: `${seconds(total)} total` }}
            {...useInstances(props, fn)}
            stack={useStack(props)}
            callers={relatedOf(props, data.callers, data.callers_total)}
            callees={relatedOf(props, data.callees, data.callees_total)}
            source={source}
            otherRuns={
                <OtherRuns run={run} row={{ of: 'functions', row: fn.name, place: fn.file }} />
            }
            onClose={props.onClose}
        >
            {children?.(data)}
        </SelectionPane>
    );
}

/* This call of the tree, if one is selected, and all calls of the function. */
function useInstances(props: FunctionSelectionProps, fn: FunctionDetail['fn']) {
    const { tree, node, onNode } = props;
    const facts = useMemo(
        () => (tree && node >= 0 ? selectionFacts(tree, node) : null),
        [tree, node],
    );
    const all: PaneValue[] = [
        { label: 'Total', text: seconds(fn.cumtime_s), value: fn.cumtime_s },
        { label: 'Self', text: seconds(fn.tottime_s), value: fn.tottime_s, tone: 'self' },
        {
            label: isSampled(props.run) ? 'Samples' : 'Calls',
            text: callsText(fn.ncalls, fn.primitive_calls, int),
        },
        ...(isSampled(props.run) ? [] : [{ label: 'Per call', text: seconds(fn.cum_percall_s) }]),
    ];
    const instances = facts?.instances ?? [];
    if (!tree || !onNode || instances.length < 2)
        return { instance: { title: 'This function', values: all } };
    const self = tree.self[node];
    const index = instances.indexOf(node);
    return {
        instance: {
            values: [
                { label: 'Total', text: callValue(tree, node), value: tree.total[node] },
                ...(self === null
                    ? []
                    : [{ label: 'Self', text: seconds(self), value: self, tone: 'self' as const }]),
            ],
        },
        instances: {
            count: instances.length,
            index,
            values: all,
            onStep: (by: 1 | -1) => {
                const { length } = instances;
                onNode(instances[(index + by + length) % length]);
            },
        },
    };
}

function useStack({ tree, node, onNode, onFunction }: FunctionSelectionProps) {
    const [isFolded, setFolded] = useState(true);
    const stack = useMemo(
        () => (tree && node >= 0 ? selectionFacts(tree, node).stack : []),
        [tree, node],
    );
    if (!tree) return undefined;
    const libraryOf = (at: number): string | null => {
        const { origin, file } = functionOfNode(tree, at);
        const isLibrary = origin === 'third-party' || origin === 'stdlib';
        return isLibrary && tree.frame[at] !== tree.frame[node] ? libraryOfFile(file) : null;
    };
    const rowOf = (at: number): PaneFrame => {
        const fn = functionOfNode(tree, at);
        return {
            ...headOf(fn),
            place: shortPlace(fn.file, fn.line),
            key: at,
            text: callValue(tree, at),
            value: tree.total[at],
            isSelected: at === node,
            onSelect: () => (onNode ? onNode(at) : onFunction(fn.id)),
        };
    };
    const rows = isFolded ? foldStack(stack, libraryOf) : stack.map((at) => ({ node: at }));
    return {
        rows: rows.map((row) =>
            'fold' in row ? { key: `fold ${row.node}`, fold: row.fold } : rowOf(row.node),
        ),
        count: stack.length,
        isFolded,
        onFold: setFolded,
    };
}

function relatedOf({ run, onFunction }: FunctionSelectionProps, rows: RelatedRow[], total: number) {
    const tip = ({ name, file, line, ncalls, primitive_calls, tottime_s, pct }: RelatedRow) =>
        [
            name,
            placeText(file, line),
            `${callsText(ncalls, primitive_calls, int)} ${isSampled(run) ? 'samples' : 'calls'}, self ${seconds(tottime_s)}`,
            ...(pct === null ? [] : [`${formatFixed(pct, 1)}${THIN_SPACE}% of this function`]),
        ].join('\n');
    return {
        note: total > rows.length ? `of ${int(total)}` : undefined,
        rows: rows.map((row): PaneFrame => ({
            ...headOf(row),
            place: shortPlace(row.file, row.line),
            key: row.id,
            text: seconds(row.cumtime_s),
            value: row.cumtime_s ?? undefined,
            tip: tip(row),
            onSelect: () => onFunction(row.id),
        })),
    };
}
