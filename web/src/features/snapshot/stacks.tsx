/* SPDX-License-Identifier: MIT
 *
 * The table of what is live at the cursor: by stack, file, module or size.
 */
import { useMemo } from 'preact/hooks';
import type { LiveRow, LiveSet, Run } from '../../base/answers';
import { replaceQuery, route } from '../../base/router';
import { bytesText, formatFixed, int, pct } from '../../base/units';
import { GROUP_TOKENS } from '../../canvas/snapshot_theme';
import { copyAndConfirm } from '../../components/context_menu';
import { DataGrid, type GridColumn, type GridSort } from '../../components/data_grid';
import { arraySource, type GridHandle } from '../../components/grid_types';
import { MarkedName } from '../../components/marked_name';
import { ShareBar } from '../../components/share_bar';
import { type FrameTitle, frameTitle, NO_STACK } from '../../model/snapshot_names';
import { libraryPath } from '../../model/labels';
import { sizeOfRow } from '../../model/snapshot_pick';
import { type Matcher, NO_SEARCH } from '../../model/search';
import { rowActions } from '../shared/row_actions';
import type { RowsBy } from './state';

const MIB = 1024 * 1024;

export function GroupSwatch({ group }: { group: number }) {
    const token = GROUP_TOKENS[group] ?? GROUP_TOKENS[7];
    return <i class={`swatch is-${token}`} />;
}

/** A function and its place; of several rows with the same name the place tells them apart. */
export function FrameNameText({ title, search }: { title: FrameTitle; search: Matcher }) {
    const { name, place } = title;
    return (
        <>
            <span class={`snapshot-name${name === NO_STACK ? '' : ' mono'}`}>
                <MarkedName text={name} search={search} />
            </span>
            {place && (
                <span class="mono soft snapshot-place">
                    <MarkedName text={place} search={search} />
                </span>
            )}
        </>
    );
}

function groupName(row: LiveRow, by: RowsBy): string {
    const size = by === 'size' ? sizeOfRow(row) : null;
    return size === null ? plainName(row, by) : bytesText(size);
}

function plainName({ name: own, file }: LiveRow, by: RowsBy): string {
    const name = own ?? '';
    return (by === 'file' ? (file ?? name) : name) || NO_STACK;
}

function rowTitle(row: LiveRow, by: RowsBy): FrameTitle {
    if (by === 'stack') return frameTitle(row);
    const name = groupName(row, by);
    return { name: by === 'file' ? libraryPath(name) : name, place: '' };
}

const FIRST_TITLES: Record<RowsBy, string> = {
    stack: 'Allocated in',
    file: 'File',
    module: 'Module',
    size: 'Size',
};

/** The name of the stack gets the rest. */
const CALLER_PX = 136;

const dash = <span class="zero">–</span>;

function columnsOf(
    live: LiveSet,
    by: RowsBy,
    search: Matcher,
    isNarrow: boolean,
    hasEvents: boolean,
): GridColumn<LiveRow>[] {
    const most = Math.max(1, ...live.rows.map(({ bytes }) => bytes));
    const columns: GridColumn<LiveRow>[] = [
        {
            key: 'name',
            title: FIRST_TITLES[by],
            width: 'rest',
            least: 150,
            sortKey: 'name',
            render: (row) => (
                <span class="named" title={titleOf(row, by)}>
                    {by === 'stack' && <GroupSwatch group={row.group} />}
                    <FrameNameText title={rowTitle(row, by)} search={search} />
                </span>
            ),
        },
    ];
    if (by === 'stack' && !isNarrow)
        columns.push({
            key: 'caller',
            title: 'Called from',
            width: CALLER_PX,
            hideBelow: 700,
            sortKey: 'caller',
            render: ({ caller }) => (
                <span class="mono soft" title={caller?.file ?? undefined}>
                    {caller ? frameTitle(caller).name : ''}
                </span>
            ),
        });
    columns.push(
        {
            key: 'bytes',
            title: 'Live',
            unit: 'MiB',
            width: 92,
            align: 'right',
            numeric: true,
            sortKey: 'bytes',
            render: ({ bytes }) => (
                <ShareBar share={bytes / most} tone="total">
                    <span title={`${int(bytes)} bytes`}>{formatFixed(bytes / MIB, 1)}</span>
                </ShareBar>
            ),
        },
        {
            key: 'share',
            title: '% of live',
            width: 76,
            align: 'right',
            hideBelow: 500,
            render: ({ bytes }) => (
                <span class="soft">{live.live > 0 ? pct((100 * bytes) / live.live) : '–'}</span>
            ),
        },
        {
            key: 'count',
            title: 'Count',
            width: 64,
            align: 'right',
            numeric: true,
            sortKey: 'count',
            render: ({ count }) => int(count),
        },
    );
    if (by === 'stack' && hasEvents)
        columns.push({
            key: 'lifetime',
            title: 'Lifetime',
            unit: 'events',
            width: 124,
            align: 'right',
            numeric: true,
            sortKey: 'lifetime',
            hideBelow: 900,
            title_tip:
                'median number of events from birth to end, over all allocations of the stack; an allocation that is live at the end ends there',
            render: ({ lifetime }) =>
                lifetime === null ? dash : <span class="soft">{int(lifetime)}</span>,
        });
    return columns;
}

function titleOf(row: LiveRow, by: RowsBy): string {
    if (by !== 'stack') return groupName(row, by);
    if (!row.file) return row.name ?? NO_STACK;
    return `${row.name ?? ''}\n${row.file}:${row.line ?? 0}`;
}

function valueOf(row: LiveRow, key: string, by: RowsBy): number | string {
    if (key === 'name') return by === 'stack' ? frameTitle(row).name : groupName(row, by);
    if (key === 'caller') return row.caller ? frameTitle(row.caller).name : '';
    if (key === 'count') return row.count;
    if (key === 'lifetime') return row.lifetime ?? -1;
    return row.bytes;
}

export function sortRows(rows: readonly LiveRow[], { key, desc }: GridSort, by: RowsBy): LiveRow[] {
    const sign = desc ? -1 : 1;
    return [...rows].sort((a, b) => {
        const [x, y] = [valueOf(a, key, by), valueOf(b, key, by)];
        if (typeof x === 'number' && typeof y === 'number') return sign * (x - y);
        return sign * String(x).localeCompare(String(y));
    });
}

export function matchesRow(row: LiveRow, by: RowsBy, search: Matcher): boolean {
    const texts = [
        by === 'stack' ? (row.name ?? NO_STACK) : groupName(row, by),
        row.file ?? '',
        frameTitle(row).name,
        row.caller?.name ?? '',
        row.caller?.file ?? '',
    ];
    return texts.some((text) => search.test(text));
}

/** Rows as comma-separated values, in the order of the table. */
export function csvOf(rows: readonly LiveRow[]): string {
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const head = 'name,file,line,caller,caller_file,caller_line,bytes,count,lifetime_events';
    const lines = rows.map(({ name, file, line, caller, bytes, count, lifetime }) =>
        [
            quoted(name ?? ''),
            quoted(file ?? ''),
            line ?? '',
            quoted(caller?.name ?? ''),
            quoted(caller?.file ?? ''),
            caller?.line ?? '',
            bytes,
            count,
            lifetime ?? '',
        ].join(','),
    );
    return [head, ...lines, ''].join('\n');
}

interface StackTableProps {
    run: Run;
    live: LiveSet;
    by: RowsBy;
    stack: number | null | undefined;
    /** key of the selected row if rows are not stacks */
    picked: string | null;
    search: Matcher | null;
    /** whether a pane beside the table makes it narrow */
    isNarrow: boolean;
    /** false: no lifetimes are known */
    hasEvents: boolean;
    handle: { current: GridHandle | null };
    onStack: (stack: number | null | undefined) => void;
    onRow: (row: string) => void;
    /** after the selection */
    onOpen: () => void;
}

function actionsOf(run: Run, row: LiveRow) {
    const { name, file, line } = row;
    if (!name) return null;
    const swatch = <GroupSwatch group={row.group} />;
    return rowActions(run, { name, file: file ?? undefined, line, swatch }, [
        { text: 'Copy row', group: 2, run: () => copyAndConfirm(csvOf([row]), 'Row') },
    ]);
}

/** What the URL says of a row. */
export const keyOf = (row: LiveRow, by: RowsBy): string =>
    by === 'stack' ? String(row.stack ?? 'none') : plainName(row, by);

export function readRowSort(): GridSort {
    const { sort, desc } = route.value.query;
    return { key: sort ?? 'bytes', desc: desc !== '0' };
}

export function StackTable(props: StackTableProps) {
    const {
        run,
        live,
        by,
        stack,
        picked,
        search,
        isNarrow,
        hasEvents,
        handle,
        onStack,
        onRow,
        onOpen,
    } = props;
    const { key, desc } = readRowSort();
    const rows = useMemo(() => {
        const shown = search ? live.rows.filter((row) => matchesRow(row, by, search)) : live.rows;
        return sortRows(shown, { key, desc }, by);
    }, [live, key, desc, by, search]);
    const columns = useMemo(
        () => columnsOf(live, by, search ?? NO_SEARCH, isNarrow, hasEvents),
        [live, by, search, isNarrow, hasEvents],
    );
    const source = useMemo(() => arraySource(rows), [rows]);
    return (
        <DataGrid<LiveRow>
            label={`live memory by ${by}`}
            columns={columns}
            source={source}
            rowKey={(row) => keyOf(row, by)}
            sort={{ key, desc }}
            onSort={(next) =>
                replaceQuery({
                    sort: next.key === 'bytes' ? null : next.key,
                    desc: next.desc ? null : '0',
                })
            }
            selected={
                by !== 'stack' ? picked : stack === undefined ? null : String(stack ?? 'none')
            }
            onSelect={(row) => (by === 'stack' ? onStack(row.stack) : onRow(keyOf(row, by)))}
            onOpen={(row) => {
                if (by === 'stack') onStack(row.stack);
                else onRow(keyOf(row, by));
                onOpen();
            }}
            handle={handle}
            actions={by === 'stack' ? (row) => actionsOf(run, row) : undefined}
            empty={search ? 'No row matches the search.' : 'Nothing is live at this event.'}
        />
    );
}
