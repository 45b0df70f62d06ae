/* SPDX-License-Identifier: MIT
 *
 * The columns of pstats, in the order and with the digits of pstats. Both bars are shares of the
 * total.
 */
import type { FunctionRow } from '../../base/rows';
import { int, formatFixed } from '../../base/units';
import type { GridColumn } from '../../components/data_grid';
import { MarkedName } from '../../components/marked_name';
import { Swatch } from '../../components/origin_legend';
import { ShareBar } from '../../components/share_bar';
import { functionName, libraryPath, placeText } from '../../model/labels';
import type { Matcher } from '../../model/search';
import { callsText } from '../calls/data';

/** Sort keys of `python -m pstats` and `-s`, in the order of the help of pstats. */
export const SORT_KEYS: { key: string; label: string; description: string; desc: boolean }[] = [
    { key: 'calls', label: 'calls', description: 'ncalls', desc: true },
    { key: 'pcalls', label: 'pcalls', description: 'primitive calls', desc: true },
    { key: 'tottime', label: 'tottime', description: 'tottime', desc: true },
    { key: 'cumulative', label: 'cumulative', description: 'cumtime', desc: true },
    { key: 'filename', label: 'filename', description: 'file', desc: false },
    { key: 'line', label: 'line', description: 'line', desc: false },
    { key: 'name', label: 'name', description: 'function', desc: false },
    { key: 'nfl', label: 'nfl', description: 'name, file, line', desc: false },
    { key: 'stdname', label: 'stdname', description: 'the printed name', desc: false },
];

export function Place({ file, line }: { file: string; line: number }) {
    return (
        <span class="path-end" title={placeText(file, line)}>
            <bdi>{placeText(libraryPath(file), line)}</bdi>
        </span>
    );
}

/** `sampled`: the counts are samples, so that there are no times per call. */
export function functionColumns(
    search: Matcher,
    total: number,
    sampled: boolean,
): GridColumn<FunctionRow>[] {
    const numbers = numberColumns(total, sampled).filter(
        ({ key }) => !sampled || !key.endsWith('percall_s'),
    );
    return [...numbers, ...nameColumns(search)];
}

function numberColumns(total: number, sampled: boolean): GridColumn<FunctionRow>[] {
    const right = { align: 'right' as const, numeric: true };
    const bar = (value: number, tone: 'self' | 'total') => (
        <ShareBar share={total > 0 ? value / total : 0} tone={tone}>
            <Seconds value={value} />
        </ShareBar>
    );
    return [
        {
            key: 'ncalls',
            title: sampled ? 'samples' : 'ncalls',
            ...(sampled ? {} : { term: 'primitive-calls' }),
            width: 126,
            sortKey: 'calls',
            ...right,
            render: (row) => {
                const text = callsText(row.ncalls, row.primitive_calls, int);
                return text.length > 13 ? <span title={text}>{text}</span> : text;
            },
        },
        {
            key: 'tottime_s',
            title: 'tottime',
            term: 'self-time',
            unit: 's',
            width: 88,
            sortKey: 'tottime',
            title_tip: 'The bar is the share of the total.',
            ...right,
            render: (row) => bar(row.tottime_s, 'self'),
        },
        {
            key: 'tot_percall_s',
            title: 'percall',
            unit: 's',
            width: 76,
            sortKey: 'tot_percall_s',
            title_tip: 'tottime / calls',
            hideBelow: 700,
            ...right,
            render: (row) => <Seconds value={row.tot_percall_s} />,
        },
        {
            key: 'cumtime_s',
            title: 'cumtime',
            term: 'total-time',
            unit: 's',
            width: 96,
            sortKey: 'cumulative',
            title_tip: 'The bar is the share of the total.',
            ...right,
            render: (row) => bar(row.cumtime_s, 'total'),
        },
        {
            key: 'cum_percall_s',
            title: 'percall',
            unit: 's',
            width: 76,
            sortKey: 'cum_percall_s',
            title_tip: 'cumtime / primitive calls',
            hideBelow: 700,
            ...right,
            render: (row) => <Seconds value={row.cum_percall_s} />,
        },
    ];
}

function nameColumns(search: Matcher): GridColumn<FunctionRow>[] {
    return [
        {
            key: 'function',
            title: 'function',
            width: 198,
            sortKey: 'name',
            render: (row) => (
                <span title={row.name}>
                    <Swatch origin={row.origin} />
                    <span class="mono">
                        <MarkedName text={functionName(row.name)} search={search} />
                    </span>
                </span>
            ),
        },
        {
            key: 'place',
            title: 'file:line',
            width: 'rest',
            sortKey: 'filename',
            cellClass: 'is-mono is-soft',
            render: (row) => <Place file={row.file} line={row.line} />,
        },
    ];
}

/** Seconds with pstats' three decimals; a value printed as zero is grey, null is a dash. */
export function Seconds({ value }: { value: number | null }) {
    if (value === null) return <span class="zero">–</span>;
    const text = formatFixed(value, 3);
    return /[1-9]/.test(text) ? <>{text}</> : <span class="zero">{text}</span>;
}
