/* SPDX-License-Identifier: MIT
 *
 * The stacks of two memory snapshots: what each holds in both runs, and the difference.
 */
import { useMemo } from 'preact/hooks';
import type { Comparison, SnapshotComparison, SnapshotDiffRow } from '../../base/answers';
import { formatHash, replaceQuery, route } from '../../base/router';
import { formatFixed, int, MINUS, signed } from '../../base/units';
import type { Action, RowActions } from '../../components/actions';
import { copyAndConfirm } from '../../components/context_menu';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { arraySource, type GridHandle } from '../../components/grid_types';
import { MarkedName } from '../../components/marked_name';
import { changeWord } from '../../model/compare';
import { readSort } from '../../model/filter_query';
import type { Matcher } from '../../model/search';
import { sortDiffRows, stackKey } from '../../model/snapshot_diff';
import { shortPlace } from '../../model/labels';
import { frameTitle } from '../../model/snapshot_names';
import { rowActions } from '../shared/row_actions';
import { DiffBar } from './columns';
import type { Side } from './diff_tree';
import { SMALL_SHARE } from './waterfall';

export const MIB = 1024 * 1024;

type Tone = 'slower' | 'faster' | 'faint';

const VERDICTS: Record<SnapshotDiffRow['verdict'], { glyph: string; word: string }> = {
    new: { glyph: '+', word: 'new' },
    gone: { glyph: MINUS, word: 'gone' },
    more: { glyph: '▲', word: changeWord(true, 'B') },
    less: { glyph: '▼', word: changeWord(false, 'B') },
    same: { glyph: '·', word: '' },
};

export function verdictText({ verdict }: SnapshotDiffRow): string {
    return VERDICTS[verdict].word || 'unchanged';
}

function toneOf({ change }: SnapshotDiffRow, most: number): Tone {
    if (Math.abs(change) < SMALL_SHARE * most || change === 0) return 'faint';
    return change > 0 ? 'slower' : 'faster';
}

const dash = <span class="zero">–</span>;

/* Bytes in MiB; small values have the digits that tell them from 0. */
export function mibText(bytes: number): string {
    const mib = bytes / MIB;
    return formatFixed(mib, Math.abs(mib) >= 0.05 || mib === 0 ? 1 : 3);
}

function changeText(bytes: number): string {
    const mib = bytes / MIB;
    return signed(mib, Math.abs(mib) >= 0.05 || mib === 0 ? 1 : 3);
}

function FrameCell({ row, search }: { row: SnapshotDiffRow; search: Matcher }) {
    const { name, place } = frameTitle(row);
    return (
        <span
            class="compare-row-name"
            title={row.file ? `${row.file}:${row.line ?? 0}` : undefined}
        >
            <span class="mono ellipsis">
                <MarkedName text={name} search={search} />
            </span>
            {place && (
                <small class="mono faint ellipsis">
                    <MarkedName text={place} search={search} />
                </small>
            )}
        </span>
    );
}

function bytesColumn(side: Side, title: string): GridColumn<SnapshotDiffRow> {
    return {
        key: side,
        title,
        unit: 'MiB',
        width: 88,
        align: 'right',
        numeric: true,
        sortKey: side,
        hideBelow: 560,
        render: (row) =>
            row[`${side}_count`] === 0 ? (
                dash
            ) : (
                <span title={`${int(row[side])} bytes`}>{mibText(row[side])}</span>
            ),
    };
}

function columnsOf(most: number, search: Matcher): GridColumn<SnapshotDiffRow>[] {
    return [
        {
            key: 'name',
            title: 'Allocated in',
            width: 'rest',
            least: 130,
            sortKey: 'name',
            render: (row) => <FrameCell row={row} search={search} />,
        },
        {
            key: 'caller',
            title: 'Called from',
            width: 176,
            hideBelow: 1100,
            sortKey: 'caller',
            render: ({ caller }) =>
                caller ? (
                    <span class="mono soft ellipsis" title={caller.file ?? undefined}>
                        {caller.file ? shortPlace(caller.file, caller.line ?? 0) : caller.name}
                    </span>
                ) : (
                    dash
                ),
        },
        bytesColumn('base', 'Base'),
        bytesColumn('new', 'New'),
        {
            key: 'size',
            title: 'Δ',
            unit: 'MiB',
            width: 92,
            align: 'right',
            numeric: true,
            sortKey: 'size',
            title_tip: 'new − base, largest change first',
            render: (row) => (
                <span class={toneOf(row, most)} title={`${signed(row.change, 0)} bytes`}>
                    {changeText(row.change)}
                </span>
            ),
        },
        {
            key: 'delta',
            title: `${changeWord(false, 'B')} · ${changeWord(true, 'B')}`,
            width: 140,
            sortKey: 'delta',
            numeric: true,
            hideBelow: 800,
            cellClass: 'diff-cell',
            title_tip: 'sort by Δ with its sign: largest increase or decrease first',
            render: (row) => (
                <DiffBar delta={row.change} maxDelta={most} tone={toneOf(row, most)} />
            ),
        },
        {
            key: 'count',
            title: 'Count',
            unit: 'Δ',
            width: 76,
            align: 'right',
            numeric: true,
            sortKey: 'count',
            hideBelow: 700,
            title_tip: 'allocations, new − base',
            render: ({ base_count, new_count }) => signed(new_count - base_count, 0),
        },
        {
            key: 'verdict',
            title: 'Verdict',
            width: 84,
            sortKey: 'verdict',
            render: (row) => {
                const { glyph, word } = VERDICTS[row.verdict];
                return (
                    <span class={`verdict ${toneOf(row, most)}`}>
                        <i>{glyph}</i> {word || <span class="sr-only">unchanged</span>}
                    </span>
                );
            },
        },
    ];
}

/** Address of a stack in the snapshot of one run, at the event that is compared. */
export function stackHref(
    comparison: Comparison,
    diff: SnapshotComparison,
    side: Side,
    stack: number | null,
): string {
    const { device, at } = diff[side];
    return formatHash(['run', comparison[side][0].id, 'snapshot'], {
        d: String(device),
        at: String(at),
        s: stack === null ? 'none' : String(stack),
    });
}

export function sideLinks(
    comparison: Comparison,
    diff: SnapshotComparison,
    row: SnapshotDiffRow,
): Action[] {
    return (['base', 'new'] as const)
        .filter((side) => row[`${side}_count`] > 0)
        .map((side) => ({
            text: `Show in ${side}`,
            group: 0,
            href: stackHref(comparison, diff, side, row[`${side}_stack`]),
        }));
}

function actionsOf(
    comparison: Comparison,
    diff: SnapshotComparison,
    row: SnapshotDiffRow,
): RowActions {
    const { name, file, line } = row;
    return rowActions(
        row.new_stack === null && row.base_stack !== null ? comparison.base[0] : comparison.new[0],
        { name: frameTitle(row).name, file: name === null ? undefined : (file ?? undefined), line },
        [
            ...sideLinks(comparison, diff, row),
            { text: 'Copy row', group: 2, run: () => copyAndConfirm(csvOf([row]), 'Row') },
        ],
    );
}

/** Rows as comma-separated values, in the order given. */
export function csvOf(rows: readonly SnapshotDiffRow[]): string {
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const head =
        'name,file,line,caller,caller_file,caller_line,base_bytes,new_bytes,change_bytes,base_count,new_count,verdict';
    const lines = rows.map((row) =>
        [
            quoted(row.name ?? ''),
            quoted(row.file ?? ''),
            row.line ?? '',
            quoted(row.caller?.name ?? ''),
            quoted(row.caller?.file ?? ''),
            row.caller?.line ?? '',
            row.base,
            row.new,
            row.change,
            row.base_count,
            row.new_count,
            row.verdict,
        ].join(','),
    );
    return [head, ...lines, ''].join('\n');
}

function matchesRow({ name, file, caller, line }: SnapshotDiffRow, search: Matcher): boolean {
    const title = frameTitle({ name, file, line });
    return [title.name, title.place, file ?? '', caller ? frameTitle(caller).name : ''].some(
        (text) => search.test(text),
    );
}

/** The rows that the URL asks for, in its order. */
export function useShownRows(
    diff: SnapshotComparison,
    onlyChanges: boolean,
    search: Matcher | null,
): SnapshotDiffRow[] {
    const { key, desc } = readSort(route.value.query, 'size', true);
    return useMemo(() => {
        const rows = diff.rows.filter(
            (row) =>
                (!onlyChanges || row.verdict === 'new' || row.verdict === 'gone') &&
                (!search || matchesRow(row, search)),
        );
        return sortDiffRows(rows, { key, desc }, (frame) => frameTitle(frame).name);
    }, [diff, onlyChanges, search, key, desc]);
}

interface SnapshotTableProps {
    comparison: Comparison;
    diff: SnapshotComparison;
    rows: SnapshotDiffRow[];
    search: Matcher;
    selected: string | null;
    onSelect: (key: string) => void;
    handle: { current: GridHandle | null };
    empty: string;
}

export function SnapshotTable(props: SnapshotTableProps) {
    const { comparison, diff, rows, search, selected, onSelect, handle, empty } = props;
    const most = Math.max(0, ...diff.rows.map(({ change }) => Math.abs(change)));
    const columns = useMemo(() => columnsOf(most, search), [most, search]);
    const source = useMemo(() => arraySource(rows), [rows]);
    return (
        <DataGrid<SnapshotDiffRow>
            label="Stacks"
            columns={columns}
            source={source}
            rowKey={stackKey}
            sort={readSort(route.value.query, 'size', true)}
            onSort={({ key, desc }) => replaceQuery({ sort: key, desc: desc ? '1' : '0' })}
            selected={selected}
            onSelect={(row) => onSelect(stackKey(row))}
            handle={handle}
            rowClass={(row) => (row.verdict === 'same' ? 'is-quiet' : '')}
            actions={(row) => actionsOf(comparison, diff, row)}
            empty={empty}
        />
    );
}
