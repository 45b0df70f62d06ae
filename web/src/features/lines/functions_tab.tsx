/* SPDX-License-Identifier: MIT
 *
 * Functions of a line-level profile, including those that never ran; Enter shows the lines.
 */
import type { Run } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { navigate } from '../../base/router';
import type { LineFunctionRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { formatFixed, int, pct } from '../../base/units';
import type { GridColumn } from '../../components/data_grid';
import { MarkedName } from '../../components/marked_name';
import { ShareBar } from '../../components/share_bar';
import { placeText } from '../../model/labels';
import type { Matcher } from '../../model/search';
import { TableTab } from '../shared/table_tab';
import { heatSort, timedSummary } from './data';
import { lineFunctionActions, linesQuery } from './place_actions';
import { NESTED_REMARK } from './text';

type Column = GridColumn<LineFunctionRow>;

export function LineFunctionsTab({ run }: { run: Run }) {
    return (
        <TableTab<LineFunctionRow>
            run={run}
            view="line_functions"
            title={LABELS.functions}
            sort={heatSort(run, 'functions')}
            hide
            remark={
                timedSummary(run)?.nested ? NESTED_REMARK : 'Enter shows the lines of a function'
            }
            selectKey="fn"
            rowKey={(row) => row.id}
            identityOf={(row) => ({ name: row.function ?? '', file: row.file })}
            columns={(search) => columnsOf(run, search)}
            onOpen={(row) => navigate(['run', run.id, 'lines'], linesQuery(row))}
            actions={(row) => lineFunctionActions(run, row)}
            empty={(filtered) =>
                filtered
                    ? 'No function matches the filters. Clear them to see all.'
                    : 'No function was profiled.'
            }
        />
    );
}

function nameColumns(search: Matcher): Column[] {
    return [
        {
            key: 'function',
            title: 'function',
            width: 'rest',
            sortKey: 'function',
            render: (row) => (
                <span title={row.function ?? ''}>
                    <span class="mono">
                        <MarkedName text={row.function ?? 'unnamed'} search={search} />
                    </span>
                    {row.executed === 0 && row.cpu_python_pct === null && (
                        <span class="name-note">never ran</span>
                    )}
                </span>
            ),
        },
        {
            key: 'file',
            title: 'file:line',
            width: 300,
            sortKey: 'file',
            hideBelow: 1000,
            render: (row) => (
                <span class="path-end soft mono" title={row.file}>
                    <bdi>
                        <MarkedName
                            text={placeText(row.file, row.first_line ?? 0)}
                            search={search}
                        />
                    </bdi>
                </span>
            ),
        },
    ];
}

/* Column of plain numbers; a missing value leaves its cell empty. */
function numberColumn(
    key: keyof LineFunctionRow,
    title: string,
    unit: string | undefined,
    width: number,
    text: (value: number) => string,
    sortKey?: string,
): Column {
    return {
        key,
        title,
        unit,
        width,
        align: 'right',
        numeric: true,
        sortKey,
        render: (row) => {
            const value = row[key] as number | null;
            if (value === null) return '';
            const label = text(value);
            return /[1-9]/.test(label) ? label : <span class="zero">{label}</span>;
        },
    };
}

const mib = (value: number) => formatFixed(value, 3);

function barOf(part: (row: LineFunctionRow) => number | null): Column['render'] {
    return (row) => {
        const percent = part(row);
        if (percent === null) return '';
        return (
            <ShareBar share={percent / 100} tone="total">
                {pct(percent)}
            </ShareBar>
        );
    };
}

function timeColumns(): Column[] {
    return [
        numberColumn('lines', 'lines', undefined, 76, int, 'lines'),
        numberColumn('hits', 'hits', undefined, 116, int, 'hits'),
        numberColumn('time_s', 'time', 's', 120, (s) => formatFixed(s, 6), 'time_s'),
        {
            key: 'file_pct',
            title: 'time',
            unit: '% of file',
            width: 116,
            align: 'right',
            title_tip: 'of the sum over the functions of its file',
            render: barOf(({ file_pct }) => file_pct),
        },
    ];
}

function memoryColumns(): Column[] {
    return [
        numberColumn('lines', 'lines', undefined, 76, int, 'lines'),
        numberColumn('increment_mib', 'increment', 'MiB', 130, mib, 'increment_mib'),
        numberColumn('peak_mib', 'peak', 'MiB', 120, mib, 'peak_mib'),
    ];
}

function cpuColumns(): Column[] {
    const oneDecimal = (value: number) => formatFixed(value, 1);
    return [
        {
            key: 'cpu',
            title: 'CPU',
            unit: '% of all',
            width: 116,
            align: 'right',
            numeric: true,
            sortKey: 'cpu',
            title_tip: 'percent of all samples of the program',
            render: barOf(
                (row) =>
                    (row.cpu_python_pct ?? 0) +
                    (row.cpu_native_pct ?? 0) +
                    (row.cpu_system_pct ?? 0),
            ),
        },
        numberColumn('cpu_python_pct', 'Python', '%', 84, oneDecimal),
        numberColumn('cpu_native_pct', 'native', '%', 84, oneDecimal),
        numberColumn('cpu_system_pct', 'not running', '%', 104, oneDecimal),
        numberColumn('peak_mib', 'peak', 'MiB', 96, oneDecimal, 'peak_mib'),
        numberColumn('malloc_mib', 'alloc', 'MiB', 100, oneDecimal, 'malloc_mib'),
        { ...numberColumn('copy_mib_s', 'copy', 'MiB/s', 96, oneDecimal), hideBelow: 1000 },
    ];
}

function columnsOf(run: Run, search: Matcher): Column[] {
    const names = nameColumns(search);
    if (kindHas(run.kind, 'line_times')) return [...names, ...timeColumns()];
    if (kindHas(run.kind, 'line_cpu')) return [...names, ...cpuColumns()];
    return [...names, ...memoryColumns()];
}
