/* SPDX-License-Identifier: MIT
 *
 * Time of a cProfile dump by file; Enter or double click shows the functions of a file.
 */
import type { ComponentChildren } from 'preact';
import type { Run } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { navigate, type Query } from '../../base/router';
import type { FileRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { int, pct } from '../../base/units';
import type { GridColumn } from '../../components/data_grid';
import { MarkedName } from '../../components/marked_name';
import { Swatch } from '../../components/origin_legend';
import { ShareBar } from '../../components/share_bar';
import { placeText } from '../../model/labels';
import type { Matcher } from '../../model/search';
import { pstatsOf } from '../calls/data';
import { rowActions, viewAction } from '../shared/row_actions';
import type { TabKey } from '../shared/tab_list';
import { TableTab } from '../shared/table_tab';
import { Seconds } from './columns';

export function FilesTab({ run }: { run: Run }) {
    return <FilesOf run={run} total={pstatsOf(run).total_tt_s} />;
}

interface FilesOfProps {
    run: Run;
    total: number;
    /** Number of the printed table, if the run has several, and the menu to select another
     * table. */
    report?: number;
    picker?: ComponentChildren;
}

export function FilesOf({ run, total, report, picker }: FilesOfProps) {
    return (
        <TableTab<FileRow>
            run={run}
            picker={picker}
            extra={{ report }}
            view="files"
            title={LABELS.files}
            sort="tottime_s"
            origins
            hide
            remark="tottime of the functions in a file; cumtime is not shown because it does not add up"
            selectKey="file"
            rowKey={(row) => row.file}
            identityOf={({ file }) => ({ name: '', file })}
            columns={(search) => fileColumns(search, total)}
            onOpen={({ file }) => navigate(['run', run.id, 'functions'], fileQuery(file, report))}
            actions={({ file }) =>
                rowActions(
                    run,
                    { name: file, file },
                    viewAction(
                        run,
                        functionsTab(run),
                        'Show its functions',
                        fileQuery(file, report),
                    ),
                )
            }
            empty={() => 'No file matches the filters. Clear them to see all.'}
        />
    );
}

/* The functions of a file. */
function fileQuery(file: string, report: number | undefined): Query {
    return { group: 'file', files: file, ...(report && { report: String(report) }) };
}

function functionsTab({ kind }: Run): TabKey {
    return kindHas(kind, 'calls') ? 'functions' : 'printed-functions';
}

function fileColumns(search: Matcher, total: number): GridColumn<FileRow>[] {
    const right = { align: 'right' as const, numeric: true };
    return [
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
                            <MarkedName text={placeText(row.file, 0)} search={search} />
                        </bdi>
                    </span>
                </span>
            ),
        },
        {
            key: 'origin',
            title: 'origin',
            width: 110,
            sortKey: 'origin',
            hideBelow: 900,
            render: (row) => <span class="soft">{row.origin}</span>,
        },
        {
            key: 'functions',
            title: 'functions',
            width: 96,
            sortKey: 'functions',
            ...right,
            render: (row) => int(row.functions),
        },
        {
            key: 'ncalls',
            title: 'ncalls',
            width: 120,
            sortKey: 'ncalls',
            ...right,
            render: (row) => int(row.ncalls),
        },
        {
            key: 'tottime_s',
            title: 'tottime',
            term: 'self-time',
            unit: 's',
            width: 120,
            sortKey: 'tottime_s',
            ...right,
            render: (row) => (
                <ShareBar share={total > 0 ? row.tottime_s / total : 0} tone="self">
                    <Seconds value={row.tottime_s} />
                </ShareBar>
            ),
        },
        {
            key: 'pct',
            title: 'tottime',
            unit: '% total',
            width: 116,
            align: 'right',
            render: (row) => (total > 0 ? pct((100 * row.tottime_s) / total) : '–'),
        },
    ];
}
