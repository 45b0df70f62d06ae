/* SPDX-License-Identifier: MIT
 *
 * Results of benchmarks: what to look at first, then one row for each benchmark and set of parameters, in
 * groups. The pane next to it has the samples of the selected row.
 */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useEffectOn, useMemoOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { replaceQuery, route, setQuery } from '../../base/router';
import type { MeasurementRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { formatFixed, int, text, THIN_SPACE } from '../../base/units';
import { DataGrid, type GridBand, type GridHandle } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { ExportMenu } from '../../components/menu';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { SearchField } from '../../components/search_field';
import { Segmented } from '../../components/segmented';
import { Spacer, Toolbar } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { readFilters, readSort } from '../../model/filter_query';
import {
    countShown,
    findExtremes,
    readResults,
    resultLines,
    type Results,
    type Shown,
    spreadOf,
} from '../../model/results';
import { type Matcher, matcher } from '../../model/search';
import { rowActions } from '../shared/row_actions';
import { useAllRows } from './all_rows';
import { betterText, type Line, resultColumns } from './columns';
import { MeasurementPane } from './pane';
import { formatNumber } from './values';

const FILE_ORDER = 'id';
const BAND_HEIGHT = 28;
/* Further metrics are shown at first if the table has at most this many lines with them. */
const MAX_OPEN_LINES = 40;

const selectMeasurement = (id: number | null): void =>
    setQuery({ m: id === null ? null : String(id), id: null }, { replace: true });

export function MeasurementsTab({ run }: { run: Run }) {
    const path = `${API}/runs/${run.id}/measurements`;
    const { rows, total, loading, error } = useAllRows(path);
    const results = useMemo(() => rows && readResults(rows), [rows]);
    return (
        <div class="tab-body">
            {error && (
                <Notice kind="error" title="The measurements could not be read" error={error} />
            )}
            {results && <ResultTable run={run} path={path} results={results} total={total} />}
            <LoadingLine active={loading} />
        </div>
    );
}

function useFolds(results: Results<MeasurementRow>) {
    const nParts = results.all.reduce((sum, { parts }) => sum + parts.length, 0);
    const areOpen = results.all.length + nParts <= MAX_OPEN_LINES;
    const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
    const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set());
    const toggle = <T,>(set: ReadonlySet<T>, one: T): ReadonlySet<T> => {
        const next = new Set(set);
        if (!next.delete(one)) next.add(one);
        return next;
    };
    return {
        folded,
        toggled,
        isOpen: (id: number) => areOpen !== toggled.has(id),
        toggleGroup: (group: string) => setFolded((now) => toggle(now, group)),
        toggleParts: (id: number) => setToggled((now) => toggle(now, id)),
    };
}

interface ResultTableProps {
    run: Run;
    path: string;
    results: Results<MeasurementRow>;
    /** number of rows of the run, of which `results` may have the first */
    total: number;
}

function ResultTable({ run, path, results, total }: ResultTableProps) {
    const { query } = route.value;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const sort = readSort(query, FILE_ORDER, false);
    const shown = (query.show ?? 'all') as Shown;
    const isGrouped = query.flat !== '1';
    const selected = Number(query.m ?? query.id) || null;
    const folds = useFolds(results);
    const lines = useMemoOn(
        () =>
            resultLines(results, {
                sort: sort.key,
                desc: sort.desc,
                search,
                shown,
                isGrouped,
                folded: folds.folded,
                isOpen: folds.isOpen,
            }),
        [results, sort.key, sort.desc, search, shown, isGrouped, folds.folded, folds.toggled],
    );
    const source = useMemo(() => arraySource(lines), [lines]);
    const isNarrow = selected !== null;
    const plotWidth = viewportWidth.value < (isNarrow ? 1200 : 900) ? 200 : 'rest';
    const columns = useMemo(
        () => resultColumns({ results, search, isGrouped, isNarrow, plotWidth }),
        [results, search, isGrouped, isNarrow, plotWidth],
    );
    const grid = useRef<GridHandle | null>(null);
    useShownSelection(selected, lines, results, folds, grid);
    useKeys(
        'Measurement',
        selected
            ? [{ key: 'Escape', label: 'clear selection', run: () => selectMeasurement(null) }]
            : [],
    );
    const count = lines.filter(({ type }) => type === 'row').length;
    const empty = results.all.length
        ? 'No measurement matches the filter. Clear it to see all.'
        : 'This run has no measurements.';
    return (
        <>
            <First results={results} total={total} />
            <ResultToolbar {...{ path, results, search, shown, isGrouped, count }} />
            <div class="panes">
                <section class="pane pane-main">
                    <DataGrid<Line>
                        label={LABELS.measurements}
                        columns={columns}
                        source={source}
                        rowKey={(line) => line.key}
                        sort={sort}
                        onSort={({ key, desc }) =>
                            replaceQuery({ sort: key, desc: desc ? '1' : '0' })
                        }
                        selected={selected === null ? null : String(selected)}
                        onSelect={(line) => line.type !== 'group' && selectMeasurement(line.row.id)}
                        handle={grid}
                        tree={{
                            column: 'name',
                            depth: (line) => (line.type === 'part' ? 1 : 0),
                            open: (line) => (line.type === 'row' ? line.isOpen : null),
                            toggle: (line) => line.type === 'row' && folds.toggleParts(line.row.id),
                        }}
                        band={(line) => groupBand(line, folds.toggleGroup)}
                        rowClass={(line) => (line.type === 'part' ? 'is-part' : '')}
                        actions={(line) =>
                            line.type === 'group'
                                ? null
                                : rowActions(run, {
                                      name: line.row.name,
                                      row: { of: 'measurements', row: line.row.name },
                                  })
                        }
                        resetKey={[sort.key, sort.desc, filters.q, shown, isGrouped].join()}
                        empty={empty}
                    />
                </section>
                {selected && (
                    <MeasurementPane
                        run={run}
                        id={selected}
                        results={results}
                        onClose={() => selectMeasurement(null)}
                    />
                )}
            </div>
        </>
    );
}

/* Opens what hides a row that a link selects, and scrolls to it. */
function useShownSelection(
    selected: number | null,
    lines: Line[],
    results: Results<MeasurementRow>,
    folds: ReturnType<typeof useFolds>,
    grid: { current: GridHandle | null },
): void {
    const done = useRef<number | null>(null);
    useEffectOn(() => {
        if (selected === null || done.current === selected) return;
        const index = lines.findIndex((line) => line.key === String(selected));
        if (index >= 0) {
            done.current = selected;
            grid.current?.show(index);
            return;
        }
        const main = results.all.find(({ parts }) => parts.some(({ id }) => id === selected));
        if (main && !folds.isOpen(main.row.id)) folds.toggleParts(main.row.id);
        const { group } = main ?? results.all.find(({ row }) => row.id === selected) ?? {};
        if (group !== undefined && folds.folded.has(group)) folds.toggleGroup(group);
    }, [selected, lines, results]);
}

function groupBand(line: Line, toggle: (group: string) => void): GridBand | null {
    if (line.type !== 'group') return null;
    const { group, count, isOpen } = line;
    return {
        height: BAND_HEIGHT,
        class: 'result-group',
        body: (
            <button type="button" aria-expanded={isOpen} onClick={() => toggle(group)}>
                <span class={`twisty${isOpen ? ' is-open' : ''}`} aria-hidden="true" />
                <b class={group ? 'mono' : ''}>{group || 'without a group'}</b>
                <span class="soft">{int(count)}</span>
            </button>
        ),
    };
}

interface LinkedRowProps {
    label: string;
    row: MeasurementRow;
    /** what all names begin with, which is left out */
    prefix: string;
    children: ComponentChildren;
}

function LinkedRow({ label, row, prefix, children }: LinkedRowProps) {
    return (
        <button type="button" class="result-first" onClick={() => selectMeasurement(row.id)}>
            <span class="soft">{label}</span>
            <span class="mono ellipsis" title={row.name}>
                {row.name.startsWith(prefix) ? row.name.slice(prefix.length) : row.name}
            </span>
            <b>{children}</b>
        </button>
    );
}

/* The rows that a reader looks for first. */
function First({ results, total }: { results: Results<MeasurementRow>; total: number }) {
    const { slowest, leastStable } = useMemo(() => findExtremes(results), [results]);
    const nRead = results.all.reduce((sum, { parts }) => sum + 1 + parts.length, 0);
    if (results.all.length < 2) return null;
    return (
        <div class="result-summary">
            <span>
                <b>{int(results.all.length)}</b> results
                {results.nGroups > 1 && (
                    <>
                        {' '}
                        in <b>{int(results.nGroups)}</b> groups
                    </>
                )}
                {total > nRead && `, the first ${int(nRead)} of ${int(total)} rows`}
            </span>
            {slowest && (
                <LinkedRow label="slowest" row={slowest} prefix={results.prefix}>
                    {text(formatNumber(slowest.value ?? 0, slowest.unit, slowest.resolution))}
                </LinkedRow>
            )}
            {leastStable && (
                <LinkedRow label="most unstable" row={leastStable} prefix={results.prefix}>
                    ± {formatFixed(100 * (spreadOf(leastStable) ?? 0), 0)}
                    {THIN_SPACE}%
                </LinkedRow>
            )}
        </div>
    );
}

interface ResultToolbarProps {
    path: string;
    results: Results<MeasurementRow>;
    search: Matcher;
    shown: Shown;
    isGrouped: boolean;
    /** number of rows that are shown */
    count: number;
}

function ResultToolbar(props: ResultToolbarProps) {
    const { path, results, search, shown, isGrouped, count } = props;
    const filters = readFilters(route.value.query);
    const input = useRef<HTMLInputElement | null>(null);
    useKeys(LABELS.measurements, [
        { key: '/', label: 'search the measurements', run: () => input.current?.focus() },
    ]);
    const exported = {
        q: filters.q || undefined,
        regex: filters.regex ? 1 : undefined,
        sort: FILE_ORDER,
        desc: false,
    };
    return (
        <Toolbar label="view options">
            {results.nGroups > 1 && (
                <Segmented
                    label="order"
                    value={isGrouped ? 'groups' : 'flat'}
                    options={[
                        { value: 'groups', text: 'Groups' },
                        { value: 'flat', text: 'All in one', tip: 'one list, on one scale' },
                    ]}
                    onChange={(value) => replaceQuery({ flat: value === 'flat' ? '1' : null })}
                />
            )}
            <ShownSwitch results={results} shown={shown} />
            {route.value.query.sort && route.value.query.sort !== FILE_ORDER && (
                <button
                    type="button"
                    class="quiet"
                    onClick={() => replaceQuery({ sort: null, desc: null })}
                >
                    Order of the file
                </button>
            )}
            <span class="soft toolbar-remark wide-only">{remarkOf(results)}</span>
            <Spacer />
            <SearchField
                value={filters.q}
                inputRef={input}
                placeholder="Search measurements"
                hint="/"
                width={208}
                count={count}
                regex={filters.regex}
                onRegex={(regex) => replaceQuery({ regex: regex ? '1' : null })}
                error={search.error}
                onInput={(q) => replaceQuery({ q: q || null })}
            />
            <ExportMenu
                csv={withParams(path, { ...exported, format: 'csv' })}
                json={withParams(path, { ...exported, format: 'rows' })}
            />
        </Toolbar>
    );
}

/* What all rows have in common. */
function remarkOf({ all, prefix }: Results<MeasurementRow>) {
    const better = [...new Set(all.map(({ row }) => row.better))];
    const text = better.length === 1 ? betterText(better[0]) : null;
    return (
        <>
            {text}
            {text && prefix && ', '}
            {prefix && (
                <>
                    in <span class="mono">{prefix.replace(/(::|[/.])$/, '')}</span>
                </>
            )}
        </>
    );
}

const SHOWN_WORDS: [Exclude<Shown, 'all'>, string][] = [
    ['unstable', 'Unstable'],
    ['failed', 'Failed'],
    ['skipped', 'Skipped'],
];

function ShownSwitch({ results, shown }: { results: Results<MeasurementRow>; shown: Shown }) {
    const counts = useMemo(() => countShown(results), [results]);
    const options = SHOWN_WORDS.filter(([value]) => counts[value] > 0 || value === shown);
    if (!options.length) return null;
    return (
        <Segmented<Shown>
            label="which measurements"
            value={shown}
            options={[
                { value: 'all', text: 'All' },
                ...options.map(([value, word]) => ({
                    value,
                    text: (
                        <>
                            {word} <span class="soft">{int(counts[value])}</span>
                        </>
                    ),
                })),
            ]}
            onChange={(value) => replaceQuery({ show: value === 'all' ? null : value })}
        />
    );
}
