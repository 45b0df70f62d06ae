/* SPDX-License-Identifier: MIT
 *
 * Navigation next to the source: files by share, functions of the current file, hottest lines.
 */
import { useMemo } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import type { LineFileRow, LineFunctionRow } from '../../base/rows';
import { formatFixed, int, pct } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { sizedPane, Splitter } from '../../components/splitter';
import { PaneHead } from '../../components/toolbar';
import { lineFileActions, lineFunctionActions } from './place_actions';
import { baseName, type LineMetrics, fileShare } from './source';

type NavRow =
    | { kind: 'file'; key: string; file: LineFileRow; open: boolean }
    | { kind: 'function'; key: string; fn: LineFunctionRow };

/** Value by which files and functions are ranked, depending on the kind of profile. */
interface Ranking {
    label: string;
    unit: string;
    /** value of the middle column */
    file: (row: LineFileRow) => number | null;
    fn: (row: LineFunctionRow) => number | null;
    decimals: number;
    /** header of the right column; its percentage is also drawn as a bar */
    share: string;
    fileShare: (row: LineFileRow) => number | null;
    fnShare: (row: LineFunctionRow) => number | null;
}

function cpuOf(row: LineFunctionRow): number {
    return (row.cpu_python_pct ?? 0) + (row.cpu_native_pct ?? 0) + (row.cpu_system_pct ?? 0);
}

function timeRanking(files: LineFileRow[]): Ranking {
    const total_s = files.reduce((sum, { time_s }) => sum + (time_s ?? 0), 0);
    const isInSeconds = total_s >= 10;
    const factor = isInSeconds ? 1 : 1e3;
    return {
        label: 'by time',
        unit: isInSeconds ? 'time s' : 'time ms',
        file: ({ time_s }) => (time_s ?? 0) * factor,
        fn: ({ time_s }) => time_s && time_s * factor,
        decimals: total_s >= 1 && !isInSeconds ? 1 : total_s >= 1000 ? 1 : 3,
        share: 'file %',
        fileShare: ({ pct: part }) => part,
        fnShare: ({ file_pct }) => file_pct,
    };
}

function memoryRanking(functions: LineFunctionRow[]): Ranking {
    const mib = functions.map(({ increment_mib }) => increment_mib ?? 0);
    const totalGrowth = mib.reduce((sum, value) => sum + Math.max(0, value), 0);
    const totalChange = mib.reduce((sum, value) => sum + Math.abs(value), 0);
    return {
        label: 'by growth',
        unit: 'incr. MiB',
        file: ({ increment_mib }) => increment_mib ?? null,
        fn: ({ increment_mib }) => increment_mib,
        decimals: totalChange >= 100 ? 1 : 3, // as many as the column has space for
        share: 'file %',
        fileShare: () => null,
        fnShare: ({ increment_mib }) =>
            totalGrowth > 0 ? (100 * Math.max(0, increment_mib ?? 0)) / totalGrowth : null,
    };
}

const CPU_RANKING: Ranking = {
    label: 'by CPU',
    unit: 'peak MiB',
    file: ({ peak_mib }) => peak_mib || null,
    fn: ({ peak_mib }) => peak_mib || null,
    decimals: 1,
    share: 'CPU %',
    fileShare: ({ cpu_pct }) => cpu_pct,
    fnShare: cpuOf,
};

function columnsOf(rank: Ranking): GridColumn<NavRow>[] {
    const rankValue = (row: NavRow) =>
        row.kind === 'file' ? rank.file(row.file) : rank.fn(row.fn);
    const share = (row: NavRow) =>
        row.kind === 'file' ? rank.fileShare(row.file) : rank.fnShare(row.fn);
    return [
        {
            key: 'name',
            title: '',
            width: 'rest',
            least: 110,
            cellClass: 'nav-name',
            render: (row) => (
                <>
                    {row.kind === 'file' ? (
                        <span class="mono" title={row.file.file}>
                            {baseName(row.file.file)}
                        </span>
                    ) : (
                        <FunctionName fn={row.fn} />
                    )}
                    {row.kind === 'function' && <ShareBarBelow share={share(row)} />}
                </>
            ),
        },
        {
            key: 'figure',
            title: rank.unit,
            width: 74,
            align: 'right',
            render: (row) => {
                const value = rankValue(row);
                return value === null ? '' : formatFixed(value, rank.decimals);
            },
        },
        {
            key: 'share',
            title: rank.share,
            width: 60,
            align: 'right',
            render: (row) => {
                const value = share(row);
                return value === null ? '' : <span class="soft">{pct(value)}</span>;
            },
        },
    ];
}

function FunctionName({ fn }: { fn: LineFunctionRow }) {
    const name = fn.function ?? 'function';
    const neverRan = fn.executed === 0 && fn.ticks === null && cpuOf(fn) === 0;
    return (
        <span
            class={`mono nav-function${neverRan ? ' is-dead' : ''}`}
            title={neverRan ? `${name} never ran` : `${name}, line ${fn.first_line ?? '?'}`}
        >
            {name}
            {fn.first_line !== null && <span class="zero"> :{fn.first_line}</span>}
        </span>
    );
}

function ShareBarBelow({ share }: { share: number | null }) {
    if (!share || share <= 0) return null;
    return (
        <span
            class="nav-under"
            style={{ width: `calc(${Math.min(100, share) / 100} * (100% - 32px))` }}
        />
    );
}

interface LinesNavProps {
    run: Run;
    files: LineFileRow[];
    functions: { rows: LineFunctionRow[]; total: number } | null;
    file: number | null;
    fn: number | null;
    onFile: (id: number) => void;
    onFunction: (row: LineFunctionRow) => void;
    hot: HotLinesProps;
}

export function LinesNav(props: LinesNavProps) {
    const { run, files, functions, file, fn } = props;
    const rank = useMemo((): Ranking => {
        if (kindHas(run.kind, 'line_times')) return timeRanking(files);
        return kindHas(run.kind, 'line_cpu') ? CPU_RANKING : memoryRanking(functions?.rows ?? []);
    }, [run.kind, files, functions]);
    const columns = useMemo(() => columnsOf(rank), [rank]);
    const rows = useMemo(
        () => navRows(files, functions?.rows ?? [], file),
        [files, functions, file],
    );
    const source = useMemo(() => arraySource(rows), [rows]);
    const cut = functions && functions.total > functions.rows.length;
    const pane = sizedPane('lines.nav', {
        normal: 280,
        min: 180,
        max: Math.max(180, Math.round(innerWidth / 2)),
    });
    return (
        <nav class="lines-nav" style={{ width: `${pane.size}px` }} aria-label="files and functions">
            <Splitter pane={pane} side="left" label="width of the files and functions" />
            <PaneHead
                title={files.length > 1 ? 'Files and functions' : 'Functions'}
                remark={
                    cut ? `${int(functions.rows.length)} of ${int(functions.total)}` : undefined
                }
            >
                <span class="soft">{rank.label}</span>
            </PaneHead>
            <div class="nav-list" style={{ flexBasis: 30 + rows.length * 24 }}>
                <DataGrid<NavRow>
                    label="Files and functions"
                    columns={columns}
                    source={source}
                    rowKey={(row) => row.key}
                    selected={fn === null ? `file ${file}` : `fn ${fn}`}
                    rowClass={(row) => (row.kind === 'file' ? 'is-file' : '')}
                    actions={(row) =>
                        row.kind === 'file'
                            ? lineFileActions(run, row.file)
                            : lineFunctionActions(run, row.fn)
                    }
                    onSelect={(row) =>
                        row.kind === 'file' ? props.onFile(row.file.id) : props.onFunction(row.fn)
                    }
                />
            </div>
            <HotLines {...props.hot} />
        </nav>
    );
}

function navRows(
    files: LineFileRow[],
    functions: LineFunctionRow[],
    file: number | null,
): NavRow[] {
    return files.flatMap((row): NavRow[] => {
        const open = row.id === file;
        const head: NavRow = { kind: 'file', key: `file ${row.id}`, file: row, open };
        if (!open) return [head];
        return [
            head,
            ...functions.map((fn): NavRow => ({ kind: 'function', key: `fn ${fn.id}`, fn })),
        ];
    });
}

interface HotLinesProps {
    metrics: LineMetrics | null;
    /** indexes into the arrays of `metrics`, hottest row first */
    rows: number[];
    text: readonly (string | null)[];
    current: number;
    onPick: (row: number) => void;
}

const MAX_HOT_LINES = 50;

function HotLines({ metrics, rows, text, current, onPick }: HotLinesProps) {
    if (!metrics || !rows.length) return null;
    const base = metrics.measure === 'cpu' ? '% of all' : '% of file';
    return (
        <>
            <PaneHead title="Hottest lines">
                <span class="soft">{base}</span>
            </PaneHead>
            <div class="hot-lines">
                {rows.slice(0, MAX_HOT_LINES).map((row) => {
                    const share = fileShare(metrics, row);
                    const line = metrics.line[row];
                    const lineText = text[line - 1]?.trim() ?? '';
                    return (
                        <button
                            key={row}
                            type="button"
                            class={row === current ? 'is-selected' : ''}
                            title={lineText}
                            onClick={() => onPick(row)}
                        >
                            <span class="hot-number">{line}</span>
                            <span class="mono ellipsis">{lineText}</span>
                            <span>{pct(share)}</span>
                            <ShareBarBelow share={share} />
                        </button>
                    );
                })}
            </div>
        </>
    );
}
