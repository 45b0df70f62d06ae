/* SPDX-License-Identifier: MIT
 *
 * The points of a trend as a table, newest first.
 */
import { useMemo } from 'preact/hooks';
import type { Trend } from '../../base/answers';
import { formatHash, navigate } from '../../base/router';
import { DASH, formatFixed, int, pct, signed, when } from '../../base/units';
import { DataGrid, type GridColumn, type GridHandle } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { Tag } from '../../components/tag';
import { cellText, type Scale, scaleOf } from '../../model/compare';
import { listedTags } from '../../model/environment';
import { changeText, rowsOf, type TrendRow } from './points';

interface TrendTableProps {
    trend: Trend;
    selected: number | null;
    onSelect: (index: number) => void;
    onKey: (event: KeyboardEvent, index: number) => boolean;
    handle: { current: GridHandle | null };
}

export function openPoint(trend: Trend, index: number): void {
    navigate(['run', trend.points[index].id], {});
}

export function TrendTable({ trend, selected, onSelect, onKey, handle }: TrendTableProps) {
    const source = useMemo(() => arraySource(rowsOf(trend)), [trend]);
    const columns = useMemo(() => columnsOf(trend), [trend]);
    return (
        <DataGrid<TrendRow>
            label="points of the trend"
            class="trend-table"
            columns={columns}
            source={source}
            rowKey={(row) => row.index}
            selected={selected}
            onSelect={(row) => onSelect(row.index)}
            onOpen={(row) => openPoint(trend, row.index)}
            onKey={(event, row) => (row ? onKey(event, row.index) : false)}
            handle={handle}
        />
    );
}

function percent(value: number, of: number | null) {
    if (of === null) return null;
    if (of === 0) return <span class="zero">{DASH}</span>;
    const share = (100 * (value - of)) / Math.abs(of);
    return Math.abs(share) < 0.05 ? <span class="zero">{pct(0)}</span> : signed(share, 1);
}

function columnsOf(trend: Trend): GridColumn<TrendRow>[] {
    const { points, unit, baseline, by } = trend;
    const most = points.reduce((high, { value }) => Math.max(high, Math.abs(value)), 0);
    const whole = points.every(({ value }) => Number.isInteger(value));
    const scale: Scale = scaleOf(unit, most, whole);
    const base = baseline?.value ?? null;
    return [
        {
            key: 'when',
            title: 'Date',
            width: 128,
            render: ({ point }) => <span title={point.at}>{when(point.at)}</span>,
        },
        ...(by ? [byColumn(by)] : []),
        {
            key: 'name',
            title: 'Run',
            width: 'rest',
            render: ({ point }) => (
                <>
                    <a
                        class="row-name"
                        href={formatHash(['run', point.id])}
                        tabIndex={-1}
                        title={point.name}
                    >
                        {point.name}
                    </a>
                    {point.n > 1 && <span class="soft"> and {int(point.n - 1)} more</span>}
                    {point.ids.includes(baseline?.id ?? '') && (
                        <span class="baseline-mark">baseline</span>
                    )}
                </>
            ),
        },
        valueColumn(trend, scale),
        ...(points.some(({ mad }) => mad !== null) ? [spreadColumn(scale)] : []),
        {
            key: 'previous',
            title: 'Δ',
            unit: '% previous',
            width: 104,
            align: 'right',
            render: ({ point, previous }) => percent(point.value, previous),
        },
        ...(base === null ? [] : [baselineColumn(base)]),
        stepColumn(trend),
        {
            key: 'tags',
            title: 'Tags',
            width: 240,
            hideBelow: 1000,
            cellClass: 'tags-cell',
            render: ({ point }) =>
                listedTags(point.tags).map(([name, value]) => (
                    <Tag key={name} name={name} value={value} />
                )),
        },
    ];
}

function byColumn(key: string): GridColumn<TrendRow> {
    return {
        key: 'by',
        title: key,
        width: 128,
        render: ({ point }) => (
            <span class="mono ellipsis" title={point.by ?? ''}>
                {point.by}
            </span>
        ),
    };
}

function valueColumn(trend: Trend, scale: Scale): GridColumn<TrendRow> {
    return {
        key: 'value',
        title: trend.by ? 'Median' : 'Value',
        unit: scale.unit,
        width: 128,
        align: 'right',
        render: ({ point }) =>
            point.absent ? (
                <span class="zero" title={`the run has no ${trend.row ?? 'such row'}`}>
                    absent
                </span>
            ) : (
                cellText(point.value, scale)
            ),
    };
}

function spreadColumn(scale: Scale): GridColumn<TrendRow> {
    return {
        key: 'mad',
        title: 'MAD',
        term: 'median-absolute-deviation',
        unit: scale.unit,
        width: 96,
        align: 'right',
        hideBelow: 1000,
        render: ({ point }) =>
            point.mad === null ? null : formatFixed(point.mad * scale.factor, scale.decimals),
    };
}

function baselineColumn(base: number): GridColumn<TrendRow> {
    return {
        key: 'baseline',
        title: 'Δ vs baseline',
        term: 'baseline',
        unit: '%',
        width: 104,
        align: 'right',
        render: ({ point }) => percent(point.value, base),
    };
}

function stepColumn(trend: Trend): GridColumn<TrendRow> {
    return {
        key: 'step',
        title: 'Change point',
        term: 'change-point',
        width: 112,
        title_tip: 'Found by a permutation test.',
        render: ({ change }) => {
            if (!change) return null;
            const { tone, short, long } = changeText(change, trend.unit);
            return (
                <span class={tone} title={long}>
                    {short}
                </span>
            );
        },
    };
}
