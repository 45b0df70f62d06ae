/* SPDX-License-Identifier: MIT
 *
 * The call graph of a comparison: the calls of the last run of a group, with each function coloured
 * by the change of its total.
 */
import { useCallback } from 'preact/hooks';
import type {
    CallGraph,
    Comparison,
    ComparisonRow,
    GraphNode,
    Page,
    Run,
} from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useCallbackOn, useMemoOn } from '../../base/hooks';
import { replaceQuery, route } from '../../base/router';
import { signed, text, THIN_SPACE } from '../../base/units';
import { CallGraphView } from '../../components/call_graph_view';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Segmented } from '../../components/segmented';
import { Spacer, Toolbar } from '../../components/toolbar';
import { Tip } from '../../components/tip';
import { formatDelta, formatValueOf, verdictOf } from '../../model/compare';
import { nodeText } from '../../model/graph_text';
import type { Measure } from '../../model/labels';
import { useGraphLayout } from '../calls/graph_tab';
import { objectsOf } from '../shared/paged_source';
import { useJson } from '../shared/use_json';
import type { TipData } from '../../model/tip';
import { rowColourLevel, type Side } from './diff_tree';
import { DiffLegend } from './picture';
import { comparePath } from './state';

export const GRAPH_TAB = 'graph';
const MAX_NODES = 150;
const MAX_ROWS = 1000;
/** Depth around a focused function. */
const FOCUS_DEPTH = 2;

/* A row of values that are not per call. */
type TotalRow = ComparisonRow & { base: number; new: number; delta: number };

const keyOf = (name: string, file: string | null, line: number | null) =>
    `${name}\n${file ?? ''}\n${line ?? 0}`;

/* Rows of the functions table, by the name and location that each function has on one side. */
function useRows(side: Side) {
    const path = comparePath(route.value.query, '/functions', {
        metric: 'cumtime_s',
        per: 'run',
        sort: side,
        desc: 1,
        limit: MAX_ROWS,
    });
    const { data, error } = useJson<Page>(path);
    const rows = useMemoOn(() => {
        if (!data) return null;
        const rowKey = (row: TotalRow) =>
            side === 'new'
                ? keyOf(row.name, row.place, row.line)
                : keyOf(row.name, row.base_place ?? row.place, row.base_line ?? row.line);
        return new Map(objectsOf<TotalRow>(data).map((row) => [rowKey(row), row]));
    }, [data]);
    return { rows, error };
}

function useGraph(run: Run, focus: string | undefined) {
    return useJson<CallGraph>(
        withParams(`${API}/runs/${run.id}/graph`, {
            node_pct: 0.5,
            edge_pct: 0.1,
            limit: MAX_NODES,
            focus,
            depth: focus && FOCUS_DEPTH,
        }),
    );
}

const seconds = (value: number) => text(formatValueOf(value, 's'));

export function CompareGraph({ comparison }: { comparison: Comparison }) {
    const { query } = route.value;
    const side: Side = query.width === 'base' ? 'base' : 'new';
    const runs = comparison[side];
    const run = runs[runs.length - 1];
    const answer = useGraph(run, query.focus);
    const { rows, error } = useRows(side);
    const rowOf = useCallback(
        (node: GraphNode) => rows?.get(keyOf(node.name, node.file, node.line)),
        [rows],
    );
    const textOf = useCallbackOn(
        (node: GraphNode, measure: Measure) => {
            const row = rowOf(node);
            const numbers = row
                ? `${text(formatDelta(row.delta, 's'))} · ${seconds(row[side])}`
                : seconds(node.total ?? 0);
            return { ...nodeText(node, measure), numbers };
        },
        [rowOf],
    );
    const { drawn, error: layoutError, busy } = useGraphLayout(rows ? answer.data : null, textOf);
    const shownError =
        answer.error ?? error ?? (layoutError ? { text: layoutError, at: null, hint: null } : null);
    const whole = drawn?.graph.total ?? 0;
    return (
        <div class="tab-body">
            <GraphToolbar side={side} run={run} count={runs.length} focus={query.focus} />
            {shownError && (
                <Notice kind="error" title="The call graph cannot be drawn" error={shownError} />
            )}
            <div class="graph-room">
                {drawn && (
                    <CallGraphView
                        graph={drawn.graph}
                        picture={drawn.picture}
                        texts={drawn.texts}
                        selected={query.fn ? Number(query.fn) : null}
                        focus={query.focus ? Number(query.focus) : null}
                        onSelect={(id) => replaceQuery({ fn: id === null ? null : String(id) })}
                        onFocus={(id) => replaceQuery({ focus: String(id), fn: null, view: null })}
                        match={null}
                        view={query.view ?? ''}
                        onView={(view) => replaceQuery({ view })}
                        tip={(node) => <Tip {...graphTip(node, rowOf(node))} />}
                        fillOf={(node) => {
                            const row = rowOf(node);
                            return `var(--diff-${4 + (row ? rowColourLevel(row, whole) : 0)})`;
                        }}
                    />
                )}
                <LoadingLine active={answer.loading || busy} />
            </div>
        </div>
    );
}

interface GraphToolbarProps {
    side: Side;
    run: Run;
    count: number;
    focus: string | undefined;
}

function GraphToolbar({ side, run, count, focus }: GraphToolbarProps) {
    return (
        <Toolbar label="view options">
            <Segmented
                label="whose calls"
                value={side}
                options={[
                    { value: 'new', text: 'Calls: new' },
                    { value: 'base', text: 'Calls: base', tip: 'also draws removed functions' },
                ]}
                onChange={(value) =>
                    replaceQuery({
                        width: value === 'base' ? 'base' : null,
                        fn: null,
                        focus: null,
                        view: null,
                    })
                }
            />
            {focus !== undefined && (
                <button
                    type="button"
                    class="quiet"
                    onClick={() => replaceQuery({ focus: null, view: null })}
                >
                    Whole graph
                </button>
            )}
            <span class="soft wide-only ellipsis">
                colour = Δ of the total against base; arrows as in {run.name}
                {count > 1 && ', the last of its group'}
            </span>
            <Spacer />
            <DiffLegend unit="s" />
        </Toolbar>
    );
}

function graphTip({ name, file }: GraphNode, row: TotalRow | undefined): TipData {
    if (!row)
        return {
            title: name,
            place: file,
            rows: [],
            foot: [`not among the ${MAX_ROWS} largest functions that are compared`],
        };
    const { in_base, base, in_new, new: fresh, delta, delta_pct: percent } = row;
    const share = percent === null ? '' : `${signed(percent, 1)}${THIN_SPACE}% of base`;
    const verdict = verdictOf(row, 's')?.label;
    return {
        title: name,
        place: file,
        rows: [
            { label: 'base', value: in_base ? seconds(base) : '–' },
            { label: 'new', value: in_new ? seconds(fresh) : '–' },
            { label: 'Δ', value: text(formatDelta(delta, 's')), share },
        ],
        foot: verdict ? [verdict] : [],
    };
}
