/* SPDX-License-Identifier: MIT
 *
 * Callers of a function, the function, and its callees: three tables with the same columns, one
 * below the other. A click or Enter on a row selects the function of the row; Back returns.
 */
import { useMemo } from 'preact/hooks';
import type { Run } from '../../base/types';
import { THIN_SPACE, formatFixed, int } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { Swatch } from '../../components/origin_legend';
import { ShareBar } from '../../components/share_bar';
import { functionName, placeText, shortPlace } from '../../model/labels';
import { type FunctionDetail, type RelatedRow, callsText, openFunction } from '../calls/data';
import { functionActions } from '../calls/function_actions';
import { Seconds } from './columns';

const HEAD_HEIGHT = 28;
const ROW_HEIGHT = 24;
const MAX_CALLER_ROWS = 7;

function columns(title: string, tip: string): GridColumn<RelatedRow>[] {
    const right = { align: 'right' as const };
    return [
        {
            key: 'ncalls',
            title: 'ncalls',
            width: 78,
            ...right,
            render: (row) => callsText(row.ncalls, row.primitive_calls, int),
        },
        {
            key: 'tottime',
            title: 'tottime',
            unit: 's',
            width: 80,
            hideBelow: 620,
            ...right,
            render: (row) => <Seconds value={row.tottime_s} />,
        },
        {
            key: 'cumtime',
            title: 'cumtime',
            unit: 's',
            width: 88,
            ...right,
            render: (row) => (
                <ShareBar share={(row.pct ?? 0) / 100} tone="total">
                    <Seconds value={row.cumtime_s} />
                </ShareBar>
            ),
        },
        {
            key: 'pct',
            title: '',
            unit: '% of this',
            width: 74,
            title_tip: 'cumtime of these calls in percent of the cumtime of the selected function',
            ...right,
            render: (row) =>
                row.pct === null ? <span class="zero">–</span> : formatFixed(row.pct, 1),
        },
        {
            key: 'name',
            title,
            width: 'rest',
            title_tip: tip,
            render: (row) => <CallTable row={row} />,
        },
    ];
}

function CallTable({
    row,
}: {
    row: { name: string; file: string; line: number; origin: RelatedRow['origin'] };
}) {
    return (
        <span title={`${row.name}\n${placeText(row.file, row.line)}`}>
            <Swatch origin={row.origin} />
            <span class="mono">{functionName(row.name)}</span>{' '}
            <span class="mono soft">{shortPlace(row.file, row.line)}</span>
        </span>
    );
}

interface RelatedProps {
    run: Run;
    label: string;
    title: string;
    tip: string;
    rows: RelatedRow[];
    empty: string;
}

function RelatedTable({ run, label, title, tip, rows, empty }: RelatedProps) {
    const source = useMemo(() => arraySource(rows), [rows]);
    const tableColumns = useMemo(() => columns(title, tip), [title, tip]);
    return (
        <DataGrid<RelatedRow>
            label={label}
            columns={tableColumns}
            source={source}
            rowKey={(row) => row.id}
            onOpen={(row) => openFunction(row.id)}
            openOnClick
            actions={(row) => functionActions(run, row)}
            empty={empty}
        />
    );
}

function countText(noun: string, total: number, shown: number): string {
    return total > shown
        ? `${noun} ${int(total)}, the first ${int(shown)}`
        : `${noun} ${int(total)}`;
}

export function Sandwich({ run, detail }: { run: Run; detail: FunctionDetail }) {
    const { fn, callers, callees, callers_total, callees_total } = detail;
    const rows = Math.min(MAX_CALLER_ROWS, Math.max(1, callers.length));
    const height = callers.length > 0 ? HEAD_HEIGHT + rows * ROW_HEIGHT : HEAD_HEIGHT + 44;
    return (
        <div class="sandwich">
            <div class="sandwich-callers" style={{ height }}>
                <RelatedTable
                    run={run}
                    label={`Callers of ${fn.name}`}
                    title={countText('called by', callers_total, callers.length)}
                    tip="values count calls from each caller to the selected function"
                    rows={callers}
                    empty="No callers: this function is a root."
                />
            </div>
            <div class="sandwich-self">
                <span class="is-right">{callsText(fn.ncalls, fn.primitive_calls, int)}</span>
                <span class="is-right hide-small">
                    <Seconds value={fn.tottime_s} />
                </span>
                <span class="is-right">
                    <Seconds value={fn.cumtime_s} />
                </span>
                <span class="is-right" title={`of its cumulative time; ${selfShare(detail)}`}>
                    100.0
                </span>
                <span class="cut">
                    <CallTable row={fn} />
                </span>
            </div>
            <div class="sandwich-callees">
                <RelatedTable
                    run={run}
                    label={`Called by ${fn.name}`}
                    title={countText('calls', callees_total, callees.length)}
                    tip="values count calls from the selected function to each callee"
                    rows={callees}
                    empty="No callees were recorded."
                />
            </div>
        </div>
    );
}

function selfShare({ fn }: FunctionDetail): string {
    if (fn.cumtime_s <= 0) return 'its time is zero';
    return `${formatFixed((100 * fn.tottime_s) / fn.cumtime_s, 1)}${THIN_SPACE}% of that is self time`;
}
