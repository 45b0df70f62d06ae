/* SPDX-License-Identifier: MIT
 *
 * Measured files with their shares; Enter shows the lines of a file.
 */
import type { Run } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { navigate } from '../../base/router';
import type { LineFileRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { formatFixed, int, pct } from '../../base/units';
import type { GridColumn } from '../../components/data_grid';
import { MarkedName } from '../../components/marked_name';
import { Swatch } from '../../components/origin_legend';
import { ShareBar } from '../../components/share_bar';
import type { Matcher } from '../../model/search';
import { TableTab } from '../shared/table_tab';
import { heatSort, timedSummary } from './data';
import { lineFileActions } from './place_actions';

type Column = GridColumn<LineFileRow>;

export function LineFilesTab({ run }: { run: Run }) {
    return (
        <TableTab<LineFileRow>
            run={run}
            view="line_files"
            title={LABELS.files}
            sort={heatSort(run, 'files')}
            origins
            remark="Enter shows the lines of a file"
            selectKey="file"
            rowKey={(row) => row.id}
            identityOf={({ file }) => ({ name: '', file })}
            columns={(search) => columnsOf(run, search)}
            onOpen={({ id }) => navigate(['run', run.id, 'lines'], { file: String(id) })}
            actions={(row) => lineFileActions(run, row)}
            empty={() => 'No file matches the filters. Clear them to see all.'}
        />
    );
}

function numberColumn(
    key: keyof LineFileRow,
    title: string,
    unit: string | undefined,
    text: (value: number) => string,
): Column {
    return {
        key,
        title,
        unit,
        width: 120,
        align: 'right',
        numeric: true,
        sortKey: key,
        render: (row) => {
            const value = row[key] as number | null;
            return value === null ? '' : text(value);
        },
    };
}

function shareColumn(
    title: string,
    unit: string,
    sortKey: string,
    part: (row: LineFileRow) => number,
) {
    const column: Column = {
        key: 'share',
        title,
        unit,
        width: 130,
        align: 'right',
        numeric: true,
        sortKey,
        render: (row) => (
            <ShareBar share={part(row) / 100} tone="total">
                {pct(part(row))}
            </ShareBar>
        ),
    };
    return column;
}

function columnsOf(run: Run, search: Matcher): Column[] {
    const mib = (value: number) => formatFixed(value, 3);
    const columns: Column[] = [
        {
            key: 'file',
            title: 'file',
            width: 'rest',
            sortKey: 'file',
            render: (row) => (
                <span class="file-cell" title={row.file}>
                    <Swatch origin={row.origin} />
                    <span class="path-end mono">
                        <bdi>
                            <MarkedName text={row.file} search={search} />
                        </bdi>
                    </span>
                </span>
            ),
        },
        numberColumn('functions', 'functions', undefined, int),
        numberColumn('lines', 'lines', undefined, int),
    ];
    if (kindHas(run.kind, 'line_times')) {
        const total_s = timedSummary(run)?.time_s ?? 0;
        columns.push(
            numberColumn('time_s', 'time', 's', (s) => formatFixed(s, 6)),
            shareColumn('time', '% of all', 'time_s', (row) =>
                total_s > 0 ? (100 * (row.time_s ?? 0)) / total_s : 0,
            ),
        );
    }
    if (kindHas(run.kind, 'line_cpu')) {
        columns.push(shareColumn('CPU', '% of all', 'cpu_pct', (row) => row.cpu_pct ?? 0));
    }
    if (!kindHas(run.kind, 'line_times'))
        columns.push(numberColumn('peak_mib', 'peak', 'MiB', mib));
    return columns;
}
