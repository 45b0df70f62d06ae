/* SPDX-License-Identifier: MIT
 *
 * The reports of `nsys stats` and their columns, with the names and decimals of nsys: whole
 * nanoseconds, means with one decimal, MB (of 1,000,000 bytes) with three.
 */
import { LABELS } from '../../base/terms';
import type { SummaryRow } from '../../base/trace_types';
import { int } from '../../base/units';
import type { GridColumn } from '../../components/data_grid';
import { MarkedName } from '../../components/marked_name';
import { ShareBar } from '../../components/share_bar';
import type { Matcher } from '../../model/search';
import {
    columnsBesidePane,
    countColumn,
    numberColumn,
    RIGHT_ALIGNED,
    shareColumn,
    textColumn,
} from '../trace/columns';

export interface SummaryReport {
    /** Name of the report in nsys. */
    id: string;
    title: string;
    tip: string;
    /** Nouns for the rows: plural (`what`) and singular (`one`). */
    what: string;
    one: string;
    quantity: 'time' | 'size' | 'projected';
    /** Header of the column with the count. */
    count: string;
    /** true: the rows are operations; slices with different names can belong to one operation */
    rowsAreOperations?: boolean;
    none: string;
}

const COPY_TEXTS = {
    what: 'operations',
    one: 'Operation',
    count: 'count',
    rowsAreOperations: true,
    none: 'No copy or memset starts in this range. Choose a wider range.',
};

const RANGE_TEXTS = { what: 'ranges', one: 'Range' };

const REPORTS: SummaryReport[] = [
    {
        id: 'cuda_gpu_kern_sum',
        title: LABELS.kernels,
        tip: 'how long kernels ran',
        what: 'kernels',
        one: 'Kernel',
        quantity: 'time',
        count: 'instances',
        none: 'No kernel starts in this range.',
    },
    {
        id: 'cuda_api_sum',
        title: 'CUDA API',
        tip: 'how long calls of the runtime and the driver took',
        what: 'calls',
        one: 'Call',
        quantity: 'time',
        count: 'num calls',
        none: 'No call starts in this range.',
    },
    {
        id: 'cuda_gpu_mem_time_sum',
        title: 'Copies, time',
        tip: 'how long copies and memsets took',
        quantity: 'time',
        ...COPY_TEXTS,
    },
    {
        id: 'cuda_gpu_mem_size_sum',
        title: 'Copies, size',
        tip: 'how much copies and memsets moved',
        quantity: 'size',
        ...COPY_TEXTS,
    },
    {
        id: 'osrt_sum',
        title: 'OS runtime',
        tip: 'durations of calls to the operating system library',
        what: 'calls',
        one: 'Call',
        quantity: 'time',
        count: 'num calls',
        none: 'No call starts in this range.',
    },
    {
        id: 'nvtx_sum',
        title: 'Ranges',
        tip: 'durations of NVTX ranges or record_function blocks on the host',
        quantity: 'time',
        count: 'instances',
        none: 'No NVTX range starts in the selected time.',
        ...RANGE_TEXTS,
    },
    {
        id: 'nvtx_gpu_proj_sum',
        title: 'Ranges on the GPU',
        tip: 'from the first to the last GPU operation that was launched inside a range',
        quantity: 'projected',
        count: 'instances',
        none: 'No NVTX range in the selected time launched GPU work.',
        ...RANGE_TEXTS,
    },
];

/** The reports that a run has, in the order of REPORTS. */
export function reportsOf(ids: string[]): SummaryReport[] {
    return REPORTS.filter(({ id }) => ids.includes(id));
}

export function summaryKey(row: SummaryRow): string {
    const { style, domain } = row;
    const range = style ? `.${style}.${domain ?? ''}` : '';
    return `${row.name_id}.${row.kind}${range}`;
}

const SORT_KEYS = { time: 'total_ns', size: 'total_bytes', projected: 'proj_total_ns' };

export function summarySort({ quantity }: SummaryReport): { key: string; desc: boolean } {
    return { key: SORT_KEYS[quantity], desc: true };
}

type Column = GridColumn<SummaryRow>;

function nameColumn(search: Matcher): Column {
    return {
        key: 'name',
        title: 'name',
        width: 'rest',
        sortKey: 'name',
        render: ({ name }) => (
            <span class="mono" title={name}>
                <MarkedName text={name} search={search} />
            </span>
        ),
    };
}

/** Total in whole nanoseconds, above a bar with its share. */
const TOTAL_COLUMN: Column = {
    key: 'total_ns',
    title: 'total time',
    unit: 'ns',
    width: 136,
    sortKey: 'total_ns',
    ...RIGHT_ALIGNED,
    render: ({ total_ns, time_pct }) => (
        <ShareBar share={Number(time_pct ?? 0) / 100} tone="self">
            {int(Number(total_ns))}
        </ShareBar>
    ),
};

/** Columns Avg, Med, Min, Max, StdDev in `unit`. The keys are those of the server. */
function statisticColumns(
    before: string,
    after: string,
    unit: string,
    decimals: [number, number],
): Column[] {
    const [mean, whole] = decimals;
    const column = (statistic: string, digits: number, hideBelow: number) =>
        numberColumn<SummaryRow>(
            `${before}${statistic.toLowerCase()}_${after}`,
            statistic,
            digits,
            {
                unit,
                width: 112,
                hideBelow,
                scale: unit === 'MB' ? 1e6 : 1,
            },
        );
    return [
        column('avg', mean, 0),
        column('med', mean, 1160),
        column('min', whole, 1180),
        column('max', whole, 700),
        column('stddev', mean, 1100),
    ];
}

function columnsOf(report: SummaryReport): Column[] {
    const calls = countColumn<SummaryRow>('calls', report.count, { width: 92 });
    if (report.quantity === 'size') {
        const total = numberColumn<SummaryRow>('total_bytes', 'total', 3, {
            unit: 'MB',
            width: 136,
            scale: 1e6,
            title_tip: 'of 1,000,000 bytes',
        });
        return [total, calls, ...statisticColumns('', 'bytes', 'MB', [3, 3])];
    }
    if (report.quantity === 'time') {
        const share = shareColumn<SummaryRow>('time_pct', 'time', '% of Σ', {
            width: 88,
            sortKey: 'time_pct',
            numeric: true,
        });
        return [share, TOTAL_COLUMN, calls, ...statisticColumns('', 'ns', 'ns', [1, 0])];
    }
    const wide = { unit: 'ns', width: 136 };
    return [
        countColumn<SummaryRow>('proj_total_ns', 'total proj', wide),
        countColumn<SummaryRow>('range_total_ns', 'total range', { ...wide, hideBelow: 900 }),
        { ...calls, width: 84 },
        ...statisticColumns('proj_', 'ns', 'ns', [1, 0]),
        countColumn<SummaryRow>('works', 'GPU ops', { width: 84, hideBelow: 760 }),
        numberColumn<SummaryRow>('avg_works', 'avg ops', 1, { width: 84, hideBelow: 1400 }),
    ];
}

/** Columns of NVTX; ranges of PyTorch have no style and no thread. */
const STYLE_COLUMN = textColumn<SummaryRow>('style', 'style', { width: 84, hideBelow: 1240 });
const DOMAIN_COLUMN = textColumn<SummaryRow>('domain', 'domain', { width: 110, hideBelow: 1160 });

function nvtxColumns({ id }: SummaryReport): Column[] {
    if (id === 'nvtx_sum') return [DOMAIN_COLUMN, STYLE_COLUMN];
    return id === 'nvtx_gpu_proj_sum' ? [DOMAIN_COLUMN] : [];
}

export function summaryColumns(
    report: SummaryReport,
    search: Matcher,
    { nvtx, pane }: { nvtx: boolean; pane: boolean },
): Column[] {
    const of = nvtx ? nvtxColumns(report) : [];
    return columnsBesidePane([nameColumn(search), ...of, ...columnsOf(report)], pane);
}
