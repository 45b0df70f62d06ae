/* SPDX-License-Identifier: MIT */
import type { ImportRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { formatFixed } from '../../base/units';
import type { GridColumn } from '../../components/data_grid';
import { MarkedName } from '../../components/marked_name';
import { Swatch } from '../../components/origin_legend';
import { ShareBar } from '../../components/share_bar';
import { Num } from '../../components/text';
import type { Matcher } from '../../model/search';

export interface ShareBase {
    /** µs that are 100 % */
    us: number;
    /** unit in the header: `% total` */
    unit: string;
    tip: string;
}

export interface ColumnInputs {
    search: Matcher;
    maxSelf: number;
    base: ShareBase;
    /** false in the tree table, which sorts in the browser and has other sort keys */
    serverSorted: boolean;
}

function msCell(us: number | null) {
    return us === null ? <span class="zero">–</span> : <Num value={us / 1000} decimals={3} />;
}

export function importColumns(inputs: ColumnInputs): GridColumn<ImportRow>[] {
    return [nameColumn(inputs), ...timeColumns(inputs), ...placeColumns(inputs)];
}

function nameColumn({ search }: ColumnInputs): GridColumn<ImportRow> {
    return {
        key: 'module',
        title: 'Module',
        width: 'rest',
        sortKey: 'module',
        render: (row) => (
            <span class="name-cell" title={row.module}>
                <Swatch origin={row.origin} />
                <span class="mono">
                    <MarkedName text={row.module} search={search} />
                </span>
                {row.unfinished === 1 && <span class="name-note">not finished</span>}
            </span>
        ),
    };
}

function timeColumns({ maxSelf, base }: ColumnInputs): GridColumn<ImportRow>[] {
    return [
        {
            key: 'self_us',
            title: 'Self',
            term: 'self-time',
            unit: 'ms',
            width: 104,
            align: 'right',
            numeric: true,
            sortKey: 'self_us',
            title_tip: 'Bar length: self time relative to the largest self time',
            render: (row) => (
                <ShareBar share={maxSelf > 0 ? (row.self_us ?? 0) / maxSelf : 0} tone="total">
                    {msCell(row.self_us)}
                </ShareBar>
            ),
        },
        {
            key: 'cumulative_us',
            title: 'Cumulative',
            term: 'cumulative-time',
            unit: 'ms',
            width: 118,
            align: 'right',
            numeric: true,
            sortKey: 'cumulative_us',
            render: (row) => msCell(row.cumulative_us),
        },
        {
            key: 'share',
            title: 'Self',
            unit: base.unit,
            width: 96,
            align: 'right',
            title_tip: base.tip,
            render: (row) =>
                row.self_us === null || base.us <= 0 ? (
                    <span class="zero">–</span>
                ) : (
                    formatFixed((100 * row.self_us) / base.us, 1)
                ),
        },
    ];
}

function placeColumns({ serverSorted }: ColumnInputs): GridColumn<ImportRow>[] {
    const sortable = (key: string): string | undefined => (serverSorted ? key : undefined);
    return [
        {
            key: 'depth',
            title: 'Depth',
            width: 62,
            align: 'right',
            numeric: true,
            sortKey: sortable('depth'),
            hideBelow: 1000,
            render: (row) => <span class="soft">{row.depth}</span>,
        },
        {
            key: 'importer',
            title: LABELS.firstImporter,
            width: 188,
            sortKey: sortable('importer'),
            hideBelow: 1000,
            cellClass: 'is-mono',
            render: (row) =>
                row.importer === null ? (
                    <span class="zero">–</span>
                ) : (
                    <span class="soft" title={row.importer}>
                        {row.importer}
                    </span>
                ),
        },
        {
            key: 'package',
            title: 'Package',
            width: 132,
            sortKey: sortable('package'),
            hideBelow: 1640,
            cellClass: 'is-mono',
            render: (row) => <span class="soft">{row.package}</span>,
        },
        {
            key: 'origin',
            title: 'Origin',
            width: 92,
            sortKey: sortable('origin'),
            hideBelow: 1640,
            render: (row) => <span class="soft">{row.origin}</span>,
        },
    ];
}
