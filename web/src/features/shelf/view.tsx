/* SPDX-License-Identifier: MIT
 *
 * The shelf: all runs, grouped by day or by series, with imports in progress and failed imports.
 */
import { computed } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { API, asApiError, getJson } from '../../base/client';
import { useEffectOn, useMemoOn } from '../../base/hooks';
import { useKeys, type KeyPress } from '../../base/keys';
import { formatHash, navigate, route, setQuery, type Query } from '../../base/router';
import { int } from '../../base/units';
import {
    DataGrid,
    type GridBand,
    type GridHandle,
    type GridSort,
} from '../../components/data_grid';
import { Notice } from '../../components/notice';
import type { Grouping, RunningImport, ShelfRow } from '../../model/shelf_rows';
import { currentUser, hasRole, mayRemove } from '../login/user';
import { DeleteDialog, EditDialog } from '../report/dialogs';
import {
    cancelJob,
    formats,
    jobs,
    firstSeenMs,
    matches,
    onRunChange,
    shelf,
    shelfError,
} from '../shared/shelf_state';
import { SeriesTrend } from '../trend/link';
import { addedTogether, cancelSending, pickFiles, sending } from '../upload/uploads';
import { CheckBar } from './check_bar';
import { RunningImportLine, shelfColumns } from './columns';
import { EmptyShelf } from './empty_shelf';
import { setGrouping, ShelfFilters } from './filters';
import { ShelfNotices } from './notices';
import { SamplesLine, useSamples } from './samples';
import { followImports, shelfSource, type ShelfSource } from './source';
import { useShelfStatus } from './status';

const BAND_HEIGHT = 28;
const ROW_HEIGHT = 24;

const incoming = computed<readonly RunningImport[]>(() => [
    ...sending.value,
    ...[...jobs.value.values()].map((job) => ({
        key: `job ${job.id}`,
        name: job.name,
        kind: job.kind,
        state: job.state === 'queued' ? ('queued' as const) : ('running' as const),
        done: job.bytes_done,
        total: job.bytes_total,
        records: job.records,
        since: firstSeenMs.get(job.id) ?? Date.now(),
        jobId: job.id,
    })),
]);

function groupingOf({ group, sort }: Query): Grouping {
    if (sort && sort !== 'created_at') return 'none';
    return group === 'series' ? 'series' : 'day';
}

/* Whether a filter is set. A filter hides imports in progress too, because they cannot be matched
 * yet. */
function isFiltered({ q, kind, series, tag, who }: Query): boolean {
    return Boolean(q || kind || series || tag || who);
}

function sortOf(query: Query, grouping: Grouping): GridSort {
    if (query.sort) return { key: query.sort, desc: query.desc !== '0' };
    return grouping === 'series'
        ? { key: 'series', desc: false }
        : { key: 'created_at', desc: true };
}

function useSource(query: Query, grouping: Grouping, sort: GridSort): ShelfSource {
    const source = useMemo(shelfSource, []);
    useEffectOn(() => () => source.dispose(), []);
    useEffectOn(
        () => followImports(source, () => (isFiltered(route.value.query) ? [] : incoming.value)),
        [],
    );
    const version = source.version.value;
    useEffectOn(() => {
        matches.value = source.ready.value ? source.totalRuns : null;
    }, [version]);
    const { q, kind, series, tag, who } = query;
    useEffectOn(() => {
        source.show({ q, kind, series, tag, who, sort: sort.key, desc: sort.desc }, grouping);
    }, [q, kind, series, tag, who, sort.key, sort.desc, grouping]);
    return source;
}

/* The checked runs. A checked run remains checked while the filter hides it. */
function useChecks(source: ShelfSource) {
    const [checked, setChecked] = useState<ReadonlyMap<string, Run>>(new Map());
    const last = useRef<string | null>(null);
    useEffect(
        () =>
            onRunChange((change) => {
                setChecked((now) => {
                    const next = new Map(now);
                    if (change.type === 'gone') next.delete(change.id);
                    if (change.type === 'run' && now.has(change.run.id)) {
                        next.set(change.run.id, change.run);
                    }
                    return next;
                });
            }),
        [],
    );

    const added = addedTogether.value;
    useEffectOn(() => {
        if (!added.length) return;
        addedTogether.value = [];
        void Promise.all(added.map((id) => getJson<Run>(`${API}/runs/${id}`))).then(
            (runs) => setChecked(new Map(runs.map((run) => [run.id, run]))),
            (error) => (shelfError.value = asApiError(error)),
        );
    }, [added]);

    function toggle(run: Run, withShift: boolean): void {
        const next = new Map(checked);
        const on = !next.has(run.id);
        const ids = source.runs.map((other) => other.id);
        const [a, b] = [ids.indexOf(last.current ?? ''), ids.indexOf(run.id)];
        const range =
            withShift && a >= 0 ? source.runs.slice(Math.min(a, b), Math.max(a, b) + 1) : [run];
        for (const one of range) {
            if (on) next.set(one.id, one);
            else next.delete(one.id);
        }
        last.current = run.id;
        setChecked(next);
    }

    const shown = source.runs.filter((run) => checked.has(run.id)).length;
    const all = shown === 0 ? false : shown === source.runs.length ? true : null;
    const clear = () => setChecked(new Map());
    const toggleAll = () =>
        setChecked(all === true ? new Map() : new Map(source.runs.map((run) => [run.id, run])));
    return { checked, toggle, clear, all, toggleAll };
}

function bandOf(row: ShelfRow, grouping: Grouping): GridBand | null {
    if (row.type === 'run') return null;
    if (row.type === 'incoming') {
        const { key, jobId } = row.incoming;
        const cancel = () => (jobId ? void cancelJob(jobId) : cancelSending(key));
        return {
            height: ROW_HEIGHT,
            class: 'is-incoming',
            body: (
                <RunningImportLine
                    incoming={row.incoming}
                    isUnderDay={grouping === 'day'}
                    onCancel={hasRole('uploader') ? cancel : null}
                />
            ),
        };
    }
    const count = row.count === null ? '' : `${int(row.count)} shown`;
    return {
        height: BAND_HEIGHT,
        body: (
            <>
                <b>{row.title}</b> {[row.date, count].filter(Boolean).join(', ')}
                {row.key.startsWith('series ') && <SeriesTrend series={row.key.slice(7)} />}
            </>
        ),
    };
}

function openRow(row: ShelfRow): void {
    if (row.type !== 'run') return;
    navigate(['run', row.run.id]);
}

interface RunDialog {
    type: 'edit' | 'delete';
    runs: Run[];
}

interface ShelfKeysProps {
    source: ShelfSource;
    handle: { current: GridHandle | null };
    check: (run: Run, withShift: boolean) => void;
    openDialog: (dialog: RunDialog) => void;
}

/* Keys of the shelf, for the grid's current row or for the complete shelf. */
function useShelfKeys({ source, handle, check, openDialog }: ShelfKeysProps): void {
    const { query } = route.value;
    const withCurrent = (act: (run: Run, event: KeyPress) => void) => (event: KeyPress) => {
        const row = source.rowAt(handle.current?.cursor() ?? -1);
        if (row?.type === 'run') act(row.run, event);
    };
    const forward = (event: KeyPress) => {
        handle.current?.focus();
        handle.current?.key(event as KeyboardEvent);
    };
    const regroup = () => setGrouping(groupingOf(query) === 'series' ? 'day' : 'series');
    useKeys('Shelf', [
        { key: 'ArrowUp', label: 'move', run: forward },
        { key: 'ArrowDown', label: 'move', run: forward },
        ...['PageUp', 'PageDown', 'Home', 'End'].map((key) => ({ key, label: '', run: forward })),
        { key: 'Enter', label: 'open the run', run: forward },
        {
            key: ' ',
            label: 'select the run',
            run: withCurrent((run, event) => check(run, event.shiftKey)),
        },
        ...(hasRole('uploader')
            ? [
                  {
                      key: 'e',
                      label: 'edit name, series, tags, note',
                      run: withCurrent((run) => openDialog({ type: 'edit', runs: [run] })),
                  },
                  {
                      key: 'Delete',
                      label: 'delete',
                      run: withCurrent(
                          (run) => mayRemove(run) && openDialog({ type: 'delete', runs: [run] }),
                      ),
                  },
              ]
            : []),
        { key: 'g', label: 'group by day or by series', run: regroup },
        { key: 'Escape', label: 'clear the filters', run: () => navigate([], groupQuery(query)) },
    ]);
}

interface TableProps {
    source: ShelfSource;
    checks: ReturnType<typeof useChecks>;
    grouping: Grouping;
    sort: GridSort;
    handle: { current: GridHandle | null };
}

function ShelfTable({ source, checks, grouping, sort, handle }: TableProps) {
    const { query } = route.value;
    const { checked, toggle, all, toggleAll } = checks;
    const isUnderDay = grouping === 'day';
    const columns = useMemoOn(
        () => shelfColumns({ has: (id) => checked.has(id), toggle, all, toggleAll }, isUnderDay),
        [checked, all, isUnderDay],
    );
    return (
        <DataGrid<ShelfRow>
            label="runs"
            class={checked.size ? 'shelf-grid has-bar' : 'shelf-grid'}
            columns={columns}
            source={source}
            rowKey={(row) => row.key}
            sort={sort}
            onSort={({ key, desc }) => setQuery({ sort: key, desc: desc ? '1' : '0', group: null })}
            rowClass={(row) => (checked.has(row.key) ? 'is-selected' : '')}
            band={(row) => bandOf(row, grouping)}
            onOpen={openRow}
            openOnClick
            anchored
            handle={handle}
            resetKey={formatHash([], query)}
            empty={<NoMatch filtered={isFiltered(query)} />}
        />
    );
}

export function ShelfView() {
    const { query } = route.value;
    const grouping = groupingOf(query);
    const sort = sortOf(query, grouping);
    const source = useSource(query, grouping, sort);
    void source.version.value; // The header's checkbox depends on which runs are shown.
    const checks = useChecks(source);
    const handle = useRef<GridHandle | null>(null);
    const [dialog, openDialog] = useState<RunDialog | null>(null);
    useSamples();
    useShelfStatus(checks.checked.size);
    useShelfKeys({ source, handle, check: checks.toggle, openDialog });

    const isEmpty =
        shelf.value !== null &&
        shelf.value.runs === 0 &&
        !incoming.value.length &&
        !isFiltered(query);
    const runs = [...checks.checked.values()];
    return (
        <main class="shelf">
            {shelfError.value && (
                <Notice kind="error" title="The shelf could not be read" error={shelfError.value} />
            )}
            <ShelfNotices />
            {isEmpty ? (
                <EmptyShelf
                    formats={formats.value}
                    shelf={shelf.value!}
                    needsToken={currentUser.value?.tokens ?? false}
                    onAdd={hasRole('uploader') ? pickFiles : null}
                />
            ) : (
                <>
                    <SamplesLine />
                    <ShelfFilters shelf={shelf.value} counts={source.kinds} grouping={grouping} />
                    <ShelfTable {...{ source, checks, grouping, sort, handle }} />
                </>
            )}
            {runs.length > 0 && (
                <CheckBar
                    runs={runs}
                    onEdit={hasRole('uploader') ? () => openDialog({ type: 'edit', runs }) : null}
                    onDelete={
                        runs.every(mayRemove) ? () => openDialog({ type: 'delete', runs }) : null
                    }
                    onClear={checks.clear}
                />
            )}
            {dialog?.type === 'edit' && (
                <EditDialog runs={dialog.runs} onClose={() => openDialog(null)} />
            )}
            {dialog?.type === 'delete' && (
                <DeleteDialog runs={dialog.runs} onClose={() => openDialog(null)} />
            )}
        </main>
    );
}

function groupQuery({ group }: Query): Query {
    return group ? { group } : {};
}

function NoMatch({ filtered }: { filtered: boolean }) {
    if (!filtered) return null;
    return (
        <>
            No run matches.{' '}
            <button type="button" class="link" onClick={() => navigate([], {})}>
                Clear the filters
            </button>
        </>
    );
}
