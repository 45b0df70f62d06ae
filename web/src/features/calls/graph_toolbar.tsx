/* SPDX-License-Identifier: MIT */
import { useRef } from 'preact/hooks';
import type { CallGraph, Run } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { navigate, route, setQuery } from '../../base/router';
import { THIN_SPACE, formatSeconds, int, text } from '../../base/units';
import { Menu } from '../../components/menu';
import { NumberField } from '../../components/number_field';
import { SearchField } from '../../components/search_field';
import { Segmented } from '../../components/segmented';
import { Spacer, Toolbar } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import type { Filters } from '../../model/filter_query';
import { temperature } from '../../model/temperature';
import { pstatsOf } from './data';
import { FunctionPicker } from './function_picker';

/** Default depth around a focused function: unlimited depth would show most of the program. */
export const FOCUS_DEPTH = '2';

/** Number of nodes that Graphviz lays out in about a second. */
export const GRAPH_LIMIT = 100;

const replaceParams = (changes: Record<string, string | null>): void =>
    setQuery({ ...changes, view: null }, { replace: true });

interface ToolbarProps {
    run: Run;
    filters: Filters;
    error: string | null;
    count: number | null;
    graph: CallGraph | null;
    dot: (() => string) | null;
    path: string;
}

type Changes = Record<string, string | null>;

/** Changes the query as a new history entry; clears the zoom and position of the graph. */
function pushQuery(changes: Changes): void {
    const next: Record<string, string> = { ...route.peek().query };
    delete next.view;
    for (const [key, value] of Object.entries(changes)) {
        if (value === null) delete next[key];
        else next[key] = value;
    }
    navigate(route.peek().path, next);
}

function stepBack(): void {
    const { query } = route.peek();
    if (query.fn && query.fn !== query.focus) setQuery({ fn: null }, { replace: true });
    else pushQuery({ focus: null, path_to: null, fn: null, depth: null, dir: null });
}

export function CallGraphToolbar(props: ToolbarProps) {
    const { run, filters, graph } = props;
    const query = route.value.query;
    const input = useRef<HTMLInputElement | null>(null);
    const focus = query.focus ? Number(query.focus) : null;
    useKeys('Call graph tab', [
        { key: '/', label: 'search the graph', run: () => input.current?.focus() },
        ...(focus !== null || query.path_to || query.fn
            ? [{ key: 'Escape', label: 'one step back', run: stepBack }]
            : []),
    ]);
    const wide = viewportWidth.value >= 1280;
    const isWide = viewportWidth.value >= (focus === null ? 1280 : 1560);
    return (
        <Toolbar label="view options">
            <Thresholds wide={wide} />
            <FocusFields run={run} focus={focus} wide={wide} />
            <Spacer />
            {isWide && <ColourLegend graph={graph} />}
            {graph && viewportWidth.value >= 1000 && (
                <span
                    class="soft"
                    title={`${int(graph.edges.length)} arrows drawn, ${int(graph.cut.edges)} left out`}
                >
                    {int(graph.nodes.length)} of {int(pstatsOf(run).functions)}
                </span>
            )}
            <SearchField
                value={filters.q}
                inputRef={input}
                placeholder="Search"
                hint="/"
                width={wide ? 150 : 120}
                count={props.count}
                regex={filters.regex}
                onRegex={(regex) => setQuery({ regex: regex ? '1' : null }, { replace: true })}
                error={props.error}
                onInput={(q) => setQuery({ q: q || null }, { replace: true })}
            />
            <GraphExport {...props} />
        </Toolbar>
    );
}

function Thresholds({ wide }: { wide: boolean }) {
    const query = route.value.query;
    const onNumber = (key: string, standard: number) => (value: number | null) =>
        replaceParams({ [key]: value === null || value === standard ? null : String(value) });
    return (
        <>
            <NumberField
                label="functions ≥"
                unit="%"
                width={58}
                value={Number(query.node ?? 0.5)}
                tip="hide functions with a smaller share of the total"
                onChange={onNumber('node', 0.5)}
            />
            <NumberField
                label="calls ≥"
                unit="%"
                width={58}
                value={Number(query.edge ?? 0.1)}
                tip="hide arrows with a smaller share of the total"
                onChange={onNumber('edge', 0.1)}
            />
            {wide && (
                <NumberField
                    label="at most"
                    unit=""
                    width={48}
                    value={Number(query.limit ?? GRAPH_LIMIT)}
                    tip="largest number of functions, most expensive first; several hundred take seconds to lay out"
                    onChange={onNumber('limit', GRAPH_LIMIT)}
                />
            )}
        </>
    );
}

function FocusFields({ run, focus, wide }: { run: Run; focus: number | null; wide: boolean }) {
    const query = route.value.query;
    return (
        <>
            <FunctionPicker
                run={run}
                label="show only callers and callees of this function"
                placeholder="Focus on"
                picked={focus}
                width={wide ? 170 : 120}
                onPick={(id) => {
                    const at = id === null ? null : String(id);
                    pushQuery({ focus: at, fn: null, depth: at && (query.depth ?? FOCUS_DEPTH) });
                }}
            />
            {focus !== null && <FocusControls />}
            <FunctionPicker
                run={run}
                label="paths from the roots to this function"
                placeholder="Paths to"
                picked={query.path_to ? Number(query.path_to) : null}
                width={wide ? 150 : 110}
                onPick={(id) => pushQuery({ path_to: id === null ? null : String(id) })}
            />
        </>
    );
}

/** Direction and depth of the graph around the focused function. */
function FocusControls() {
    const query = route.value.query;
    return (
        <>
            <Segmented
                label="direction"
                value={query.dir ?? 'both'}
                options={[
                    { value: 'both', text: 'Both' },
                    { value: 'callers', text: 'Callers' },
                    { value: 'callees', text: 'Callees' },
                ]}
                onChange={(dir) => replaceParams({ dir: dir === 'both' ? null : dir })}
            />
            <NumberField
                label="depth"
                unit=""
                width={44}
                placeholder="all"
                value={query.depth ? Number(query.depth) : null}
                tip="number of calls from the focused function"
                onChange={(depth) =>
                    replaceParams({ depth: depth ? String(Math.round(depth)) : null })
                }
            />
        </>
    );
}

function GraphExport({ run, dot, path }: ToolbarProps) {
    return (
        <Menu
            label="Export"
            align="right"
            items={[
                {
                    text: 'DOT',
                    note: 'for Graphviz',
                    onPick: () => dot !== null && saveText(dot(), `${run.name}.dot`),
                },
                { text: 'JSON', note: 'nodes and edges', href: path, download: true },
            ]}
        />
    );
}

const LEGEND_SHARES = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1];

function ColourLegend({ graph }: { graph: CallGraph | null }) {
    const base = graph ? `${graph.base} ${text(formatSeconds(graph.total))}` : '';
    return (
        <span class="temperature" title={`colour of a function: its cumtime in percent ${base}`}>
            0
            <span class="temperature-scale">
                {LEGEND_SHARES.map((share) => (
                    <i key={share} style={{ background: temperature(share) }} />
                ))}
            </span>
            {`100${THIN_SPACE}% ${base}`}
        </span>
    );
}

function saveText(content: string, name: string): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([content], { type: 'text/vnd.graphviz' }));
    link.download = name.replace(/[\\/:*?"<>|]+/g, '_');
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
