/* SPDX-License-Identifier: MIT
 *
 * The Modules tab: nn.Module instances by their position in the model, with their time on host and
 * device.
 */
import { useMemo, useRef } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { axisText } from '../../base/axis';
import { withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { useNames } from '../../base/panel';
import { goTo, replaceQuery, route } from '../../base/router';
import type { ModuleRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { int, plural } from '../../base/units';
import { type RowActions, useActionKeys } from '../../components/actions';
import { CopyButton } from '../../components/copy_button';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { MarkedName } from '../../components/marked_name';
import { ExportMenu } from '../../components/menu';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { SearchField } from '../../components/search_field';
import { SelectionLayout } from '../../components/selection_layout';
import { type PaneFrame, type PaneValue, SelectionPane } from '../../components/selection_pane';
import { Spacer, Toolbar } from '../../components/toolbar';
import { readFilters, readSort } from '../../model/filter_query';
import { type Matcher, matcher } from '../../model/search';
import type { WorkerName } from '../../model/worker_names';
import { OtherRuns } from '../shared/other_runs';
import { useJson } from '../shared/use_json';
import { countColumn, percentColumn, timeColumn } from '../trace/columns';
import { traceOf, useRange, viewPath } from '../trace/data';
import { traceNameActions } from '../trace/name_actions';
import { timelineHash } from '../trace/timeline_link';
import { useWorkerNames } from '../trace/worker_names';
import { type ModuleLine, type ModuleSort, ModuleTree } from './module_tree';

const SORT_KEYS: ModuleSort[] = [
    'name',
    'calls',
    'operators',
    'host_self_us',
    'host_total_us',
    'device_self_us',
    'device_total_us',
];
const RECORD_COMMAND = 'torch.profiler.profile(with_stack=True)';

const PREFIX = 'nn.Module: ';

/* The name of the slices of a module. */
const slicesOf = (name: string): string => (name.startsWith(PREFIX) ? name : PREFIX + name);

interface ColumnsOf {
    search: Matcher;
    hasDevice: boolean;
    base: number;
    nameOf: WorkerName | null;
}

function moduleColumns({ search, hasDevice, base, nameOf }: ColumnsOf): GridColumn<ModuleLine>[] {
    const main = hasDevice ? 'device_total_us' : 'host_total_us';
    return [
        {
            key: 'name',
            title: 'module',
            width: 'rest',
            sortKey: 'name',
            render: ({ name, level, worker }) => (
                <span class="mono" title={name}>
                    {nameOf && worker !== null && level === 0 && (
                        <span class="soft">{nameOf(worker)} · </span>
                    )}
                    <MarkedName text={name.replace(/^nn\.Module: /, '')} search={search} />
                </span>
            ),
        },
        countColumn<ModuleLine>('calls', 'calls', { width: 72 }),
        countColumn<ModuleLine>('operators', 'operators', { width: 96, hideBelow: 900 }),
        timeColumn<ModuleLine>('host_self_us', 'host self', { hideBelow: 1100 }),
        timeColumn<ModuleLine>('host_total_us', 'host total', {
            base: hasDevice ? undefined : base,
            tone: 'total',
            width: 116,
        }),
        ...(hasDevice
            ? [
                  timeColumn<ModuleLine>('device_self_us', 'device self', {
                      width: 116,
                      hideBelow: 1100,
                  }),
                  timeColumn<ModuleLine>('device_total_us', 'device total', {
                      base,
                      tone: 'total',
                      width: 124,
                  }),
              ]
            : []),
        percentColumn<ModuleLine>(
            'share',
            hasDevice ? 'device' : 'host',
            '% of all modules',
            (row) => (base > 0 ? (100 * row[main]) / base : null),
            { width: 168, hideBelow: 900 },
        ),
    ];
}

function readExpanded(text: string | undefined, first: Set<number>): Set<number> {
    if (text === undefined) return first;
    return new Set(text.split('.').map((id) => parseInt(id, 36)));
}

function formatExpanded(open: ReadonlySet<number>): string {
    return [...open].map((id) => id.toString(36)).join('.') || '-';
}

export function ModulesTab({ run }: { run: Run }) {
    const query = route.value.query;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const path = withParams(viewPath(run, 'modules'), { format: 'rows', sort: 'ord' });
    const { data, error, loading } = useJson<ModuleRow[]>(path);
    const hasDevice = traceOf(run).devices > 0;
    const main = hasDevice ? 'device_total_us' : 'host_total_us';
    const tree = useMemo(() => new ModuleTree(data ?? []), [data]);
    const base = useMemo(
        () => tree.childrenOf(0).reduce((sum, row) => sum + row[main], 0),
        [main, tree],
    );
    const nameOf = useWorkerNames(run);
    const columns = useMemo(
        () => moduleColumns({ search, hasDevice, base, nameOf }),
        [search, hasDevice, base, nameOf],
    );
    const urlSort = readSort(query, main, true);
    const sort = SORT_KEYS.find((key) => key === urlSort.key) ?? main;
    const open = useMemo(
        () => readExpanded(query.open, tree.initiallyExpanded(main)),
        [main, tree, query.open],
    );
    const keptIds = useMemo(
        () => tree.keptIds(search.empty || search.error ? null : (name) => search.test(name)),
        [tree, search],
    );
    const source = useMemo(
        () => arraySource(tree.flatten(open, keptIds, sort, urlSort.desc)),
        [tree, open, keptIds, sort, urlSort.desc],
    );
    useNames(data ? ['open'] : [], {
        nameOf: (value) => {
            const ids = readExpanded(value, new Set());
            return tree.rows.flatMap(({ id, name }) => (ids.has(id) ? [name] : [])).join('\n');
        },
        valueOf: (names) => {
            const expandedNames = new Set(names.split('\n'));
            const rows = tree.rows.filter(({ name }) => expandedNames.has(name));
            return formatExpanded(new Set(rows.map(({ id }) => id)));
        },
    });
    const selected =
        tree.rows.find(({ id, name }) =>
            query.module ? id === Number(query.module) : slicesOf(name) === query.sel,
        ) ?? null;
    const select = (row: ModuleRow | null): void =>
        replaceQuery({ module: row && String(row.id), sel: row && slicesOf(row.name) });
    const actionsOf = (row: ModuleRow): RowActions =>
        traceNameActions(run, {
            name: row.name,
            slices: slicesOf(row.name),
            of: 'modules',
            place: tree.pathOf(row),
            on: 'wall',
        });
    useKeys(
        'Module',
        selected ? [{ key: 'Escape', label: 'clear selection', run: () => select(null) }] : [],
    );
    function toggle({ id }: ModuleLine): void {
        const next = new Set(open);
        if (!next.delete(id)) next.add(id);
        replaceQuery({ open: formatExpanded(next) });
    }
    return (
        <div class="tab-body">
            <ModulesToolbar
                tree={tree}
                path={path}
                error={search.error}
                count={keptIds ? keptIds.size : null}
            />
            {error && <Notice kind="error" title="The modules could not be read" error={error} />}
            {data?.length === 0 ? (
                <NoModules />
            ) : (
                <SelectionLayout
                    pane={
                        selected && (
                            <ModuleSelection
                                run={run}
                                tree={tree}
                                row={selected}
                                main={main}
                                base={base}
                                {...actionsOf(selected)}
                                onSelect={select}
                            />
                        )
                    }
                >
                    <DataGrid<ModuleLine>
                        label={LABELS.modules}
                        columns={columns}
                        source={source}
                        rowKey={(row) => row.id}
                        sort={{ key: sort, desc: urlSort.desc }}
                        onSort={({ key, desc }) =>
                            replaceQuery({ sort: key, desc: desc ? '1' : '0' })
                        }
                        selected={selected?.id ?? null}
                        onSelect={select}
                        onOpen={(row) => {
                            goTo(timelineHash(run, { slice: row.first_slice }));
                        }}
                        actions={actionsOf}
                        tree={{
                            column: 'name',
                            depth: (row) => row.level,
                            open: (row) => row.open,
                            toggle,
                        }}
                        empty={data ? 'No module matches the search.' : undefined}
                    />
                </SelectionLayout>
            )}
            <LoadingLine active={loading} />
        </div>
    );
}

interface SelectionProps extends RowActions {
    run: Run;
    tree: ModuleTree;
    row: ModuleRow;
    main: 'device_total_us' | 'host_total_us';
    /** µs of all modules, of the column `main` */
    base: number;
    onSelect: (row: ModuleRow | null) => void;
}

function ModuleSelection(props: SelectionProps) {
    const { run, tree, row, main, base, head, actions, onSelect } = props;
    useActionKeys('Selected module', actions);
    const isDevice = main === 'device_total_us';
    const time = (us: number) => axisText(1000 * us);
    const value = (label: string, us: number, isBase: boolean, tone: PaneValue['tone']) => ({
        label,
        text: time(us),
        value: isBase ? us : undefined,
        tone,
    });
    const frameOf = (one: ModuleRow): PaneFrame => ({
        key: one.id,
        name: one.name,
        text: time(one[main]),
        value: one[main],
        onSelect: () => onSelect(one),
    });
    const parents = tree.parentsOf(row);
    const children = [...tree.childrenOf(row.id)].sort((a, b) => b[main] - a[main]);
    return (
        <SelectionPane
            head={head}
            actions={actions}
            base={{
                value: base,
                text: `${time(base)} ${isDevice ? 'on the device' : 'on the host'}`,
            }}
            instance={{
                title: 'This module',
                values: [
                    ...(isDevice
                        ? [
                              value('Device', row.device_total_us, true, 'total'),
                              value('Device self', row.device_self_us, true, 'self'),
                          ]
                        : []),
                    value('Host', row.host_total_us, !isDevice, 'total'),
                    value('Host self', row.host_self_us, !isDevice, 'self'),
                    { label: 'Calls', text: int(row.calls) },
                    { label: 'Operators', text: int(row.operators) },
                ],
            }}
            callers={{ title: 'Inside', rows: parents.map(frameOf), note: 'outermost first' }}
            callees={{ title: 'Modules inside', rows: children.map(frameOf) }}
            otherRuns={
                <OtherRuns
                    run={run}
                    row={{ of: 'modules', row: row.name, place: tree.pathOf(row) }}
                />
            }
            onClose={() => onSelect(null)}
        />
    );
}

function NoModules() {
    return (
        <div class="grid-empty">
            <p>
                No nn.Module calls in this trace. They are read from Python frames. To record
                frames:
            </p>
            <p class="teach">
                <code>{RECORD_COMMAND}</code> <CopyButton text={RECORD_COMMAND} />
            </p>
        </div>
    );
}

interface ToolbarProps {
    tree: ModuleTree;
    path: string;
    error: string | null;
    count: number | null;
}

function ModulesToolbar({ tree, path, error, count }: ToolbarProps) {
    const filters = readFilters(route.value.query);
    const input = useRef<HTMLInputElement | null>(null);
    useKeys('Modules', [
        { key: '/', label: 'search the modules', run: () => input.current?.focus() },
        {
            key: 'x',
            label: 'open all',
            run: () => replaceQuery({ open: formatExpanded(tree.expandableIds()) }),
        },
        { key: 'shift+c', label: 'close all', run: () => replaceQuery({ open: '-' }) },
    ]);
    return (
        <Toolbar label="view options">
            <button
                type="button"
                class="button"
                onClick={() => replaceQuery({ open: formatExpanded(tree.expandableIds()) })}
            >
                Open all <kbd>x</kbd>
            </button>
            <button type="button" class="button" onClick={() => replaceQuery({ open: '-' })}>
                Close all <kbd>c</kbd>
            </button>
            <span class="soft wide-only">{plural(tree.rows.length, 'module')} by position</span>
            <Spacer />
            {useRange() && <span class="soft">values of the whole run, not of the range</span>}
            <SearchField
                value={filters.q}
                inputRef={input}
                placeholder={LABELS.searchModules}
                hint="/"
                width={208}
                count={count}
                regex={filters.regex}
                onRegex={(regex) => replaceQuery({ regex: regex ? '1' : null })}
                error={error}
                onInput={(q) => replaceQuery({ q: q || null })}
            />
            <ExportMenu csv={path.replace('format=rows', 'format=csv')} json={path} />
        </Toolbar>
    );
}
