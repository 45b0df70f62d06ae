/* SPDX-License-Identifier: MIT
 *
 * Columns of a table of two groups: base, new, their difference, and whether it is noise.
 */
import type { ComparisonRow, ComparisonTable, Metric } from '../../base/answers';
import { formatFixed, int, signed, text, THIN_SPACE } from '../../base/units';
import type { GridColumn } from '../../components/grid_types';
import { MarkedName } from '../../components/marked_name';
import { MiddleCut } from '../../components/middle_cut';
import {
    cellText,
    formatDelta,
    deltaText,
    formatValueOf,
    pText,
    type Scale,
    type Tone,
    verdictOf,
    changeLabel,
    changeWord,
} from '../../model/compare';
import { partText } from '../../model/breakdown';
import { capital } from '../../model/labels';
import type { Matcher } from '../../model/search';
import { PARTS_TABLE } from './state';
import { STEP_ROW } from './step_parts';
import { SMALL_SHARE } from './waterfall';

type Column = GridColumn<ComparisonRow>;
const RIGHT_ALIGNED = { align: 'right' as const, numeric: true };

export interface ColumnInputs {
    table: ComparisonTable;
    metric: Metric;
    scale: Scale;
    /** largest |delta| of the table; its bar fills half of the cell */
    maxDelta: number;
    search: Matcher;
    /** percent of the base that the intervals of measurements reach, in either direction */
    reach?: number;
    /** true: one run per side, so noise is unknown */
    single: boolean;
    /** true: the name says that a row is new or gone, since there is no column for it */
    isChangeInName?: boolean;
}

/** Unit of a row. Measurements have several units: there, `place` of the row contains the unit. */
export function unitOf(
    { place }: ComparisonTable,
    metric: Metric,
    row: { place: string | null },
): string {
    return place === 'unit' ? (row.place ?? '') : metric.unit;
}

/* Tone of a difference; grey within noise, and if it is small and noise is unknown. */
function toneOf(row: ComparisonRow, of: ColumnInputs): Tone {
    const isSmall =
        of.single &&
        of.table.place !== 'unit' &&
        Math.abs(row.delta ?? 0) < SMALL_SHARE * of.maxDelta;
    return isSmall ? 'faint' : verdictOf(row, unitOf(of.table, of.metric, row)).tone;
}

export function compareColumns(of: ColumnInputs): Column[] {
    const { table, metric, single } = of;
    const mixed = table.place === 'unit';
    const unit = mixed ? undefined : of.scale.unit || undefined;
    return [
        nameColumn(of),
        {
            key: 'base',
            title: 'Base',
            unit,
            width: 96,
            sortKey: 'base',
            ...RIGHT_ALIGNED,
            render: (row) => <Value row={row} side="base" of={of} />,
        },
        {
            key: 'new',
            title: 'New',
            unit,
            width: 96,
            sortKey: 'new',
            ...RIGHT_ALIGNED,
            render: (row) => <Value row={row} side="new" of={of} />,
        },
        {
            key: 'delta',
            title: 'Δ',
            unit,
            width: 96,
            sortKey: 'size',
            ...RIGHT_ALIGNED,
            title_tip: `new − base of ${metric.title.toLowerCase()}, largest change first`,
            render: (row) => <Delta row={row} of={of} />,
        },
        mixed
            ? intervalColumn(of)
            : {
                  key: 'bar',
                  title: `${changeWord(false, metric.unit)} · ${changeWord(true, metric.unit)}`,
                  width: 148,
                  sortKey: 'delta',
                  numeric: true,
                  cellClass: 'diff-cell',
                  title_tip: 'sort by Δ with its sign: largest increase or decrease first',
                  render: (row) => (
                      <DiffBar
                          delta={row.name === STEP_ROW ? 0 : (row.delta ?? 0)}
                          maxDelta={of.maxDelta}
                          tone={toneOf(row, of)}
                      />
                  ),
              },
        {
            key: 'delta_pct',
            title: 'Δ',
            unit: '% base',
            width: 84,
            sortKey: 'delta_pct',
            ...RIGHT_ALIGNED,
            render: ({ delta_pct }) =>
                delta_pct === null ? <span class="zero">–</span> : percentText(delta_pct),
        },
        ...(single || mixed ? [] : [noiseColumn(of, unit)]),
        {
            key: 'verdict',
            title: 'Verdict',
            term: 'verdict',
            width: isImports(table) ? 156 : single ? 92 : 148,
            sortKey: 'verdict',
            numeric: true,
            render: (row) => (
                <VerdictCell
                    row={row}
                    unit={unitOf(table, metric, row)}
                    isImport={isImports(table)}
                    isFaint={toneOf(row, of) === 'faint'}
                />
            ),
        },
    ];
}

/* The difference of a measurement in percent of its base, with its interval. Rows share a scale. */
function intervalColumn(of: ColumnInputs): Column {
    const reach = of.reach ?? 100;
    const end = `${formatFixed(reach, reach < 10 ? 1 : 0)}${THIN_SPACE}%`;
    return {
        key: 'bar',
        title: `−${end} to +${end}`,
        width: 180,
        sortKey: 'delta_pct',
        numeric: true,
        cellClass: 'diff-cell',
        title_tip: 'Δ in % of base, with its 95 % interval; sort by Δ with its sign',
        render: (row) => <IntervalBar row={row} reach={reach} tone={toneOf(row, of)} />,
    };
}

/** Percent of the base that the scale of intervals reaches: the differences, and the intervals of those that
 * are significant. */
export function intervalReach(rows: readonly ComparisonRow[]): number {
    const ends = rows.flatMap((row) => {
        const delta = Math.abs(row.delta_pct ?? 0);
        if (row.verdict !== 'up' && row.verdict !== 'down') return [delta];
        return [delta, Math.abs(percentOf(row, row.low)), Math.abs(percentOf(row, row.high))];
    });
    const most = Math.min(MAX_REACH, Math.max(MIN_REACH, ...ends));
    const step = 10 ** Math.floor(Math.log10(most));
    return [1, 2, 5, 10].map((factor) => factor * step).find((round) => round >= most) ?? most;
}

/* Bounds of the scale of intervals, in percent. What lies beyond is drawn up to the end. */
const MIN_REACH = 2;
const MAX_REACH = 100;

function percentOf({ base }: Pick<ComparisonRow, 'base'>, delta: number | null): number {
    return delta === null || !base ? 0 : (100 * delta) / Math.abs(base);
}

interface IntervalBarProps {
    row: ComparisonRow;
    reach: number;
    tone: Tone;
}

function IntervalBar({ row, reach, tone }: IntervalBarProps) {
    const { delta_pct, low, high } = row;
    if (delta_pct === null) return null;
    const place = (percent: number) => 50 + 50 * Math.max(-1, Math.min(1, percent / reach));
    const [from, to] = [place(percentOf(row, low)), place(percentOf(row, high))];
    const hasInterval = low !== null && high !== null && to > from;
    const shown = (percent: number) => `${signed(percent, 1)}${THIN_SPACE}%`;
    const tip = hasInterval
        ? `${shown(delta_pct)}, 95 % interval ${shown(percentOf(row, low))} to ${shown(percentOf(row, high))}`
        : shown(delta_pct);
    return (
        <span class={`interval-bar is-${tone}`} title={tip} role="img" aria-label={tip}>
            {hasInterval && <i style={{ left: `${from}%`, width: `${to - from}%` }} />}
            <b style={{ left: `${place(delta_pct)}%` }} />
        </span>
    );
}

/* Without decimals from 1,000 % on; as a factor where the percentage would not fit. */
function percentText(percent: number): string {
    const size = Math.abs(percent);
    if (percent >= 1e6) return `×${THIN_SPACE}${formatFixed(1 + percent / 100, 0)}`;
    return signed(percent, size < 1000 ? 1 : 0);
}

function nameColumn({ table, search, isChangeInName }: ColumnInputs): Column {
    return {
        key: 'name',
        title: capital(table.row),
        width: 'rest',
        sortKey: 'name',
        render: (row) => (
            <span class="compare-row-name" title={placeText(row)}>
                <RowName table={table} name={row.name} search={search} />
                {row.change === 'moved' && <small class="name-note">{movedText(row)}</small>}
                {isChangeInName && (row.change === 'added' || row.change === 'removed') && (
                    <small class="name-note">{changeLabel(row.change, false)}</small>
                )}
                {table.place !== 'unit' && (
                    <small class="faint ellipsis">{shortPlaceText(table, row)}</small>
                )}
            </span>
        ),
    };
}

interface RowNameProps {
    table: ComparisonTable;
    name: string;
    search: Matcher;
}

/** Name of a row; parts of a step have the labels and colours that they have in reports. */
export function RowName({ table, name, search }: RowNameProps) {
    if (name === STEP_ROW && table.of === PARTS_TABLE) return <b>{STEP_ROW}</b>;
    if (table.of === PARTS_TABLE) {
        const { label, family } = partText(name);
        return (
            <span class="ellipsis">
                <i class={`swatch is-family-${family}`} /> {label}
            </span>
        );
    }
    // Names of benchmarks differ at their end, where their parameters are.
    if (table.place === 'unit' && search.empty) {
        return (
            <span class="mono compare-result-name">
                <MiddleCut text={name} />
            </span>
        );
    }
    return (
        <span class="mono ellipsis">
            <MarkedName text={name} search={search} />
        </span>
    );
}

/** Whether the rows are imports, whose changes are named "newly imported" and "no longer imported". */
export function isImports({ of }: ComparisonTable): boolean {
    return of === 'imports' || of === 'packages';
}

/* Note of a row whose line or first importer changed. */
function movedText({ by, base_by }: ComparisonRow): string {
    return by === base_by ? 'moved' : `now first imported by ${by ?? 'the program'}`;
}

/* Short source location that distinguishes rows with the same name. */
export function shortPlaceText(
    table: ComparisonTable,
    { place, line, within }: Pick<ComparisonRow, 'place' | 'line' | 'within'>,
): string {
    if (!place || place === '~' || table.place === 'package' || table.place === 'unit') return '';
    const end = place.split('/').pop() ?? place;
    const at = line === null ? end : `${end}:${line}`;
    return within ? `${at} in ${within}` : at;
}

function placeText({
    name,
    place,
    base_place,
    line,
    base_line,
    by,
    base_by,
    within,
}: ComparisonRow) {
    const locationText = (file: string | null, number: number | null) =>
        [file, number === null ? null : int(number)].filter((part) => part !== null).join(':');
    const lines = [name, locationText(place, line)];
    if (within) lines.push(`in ${within}`);
    if (base_place !== null || (base_line !== null && base_line !== line)) {
        lines.push(`in the base: ${locationText(base_place ?? place, base_line)}`);
    }
    if (by || base_by)
        lines.push(`first imported by ${by ?? '–'}; in the base by ${base_by ?? '–'}`);
    return lines.filter(Boolean).join('\n');
}

interface CellProps {
    row: ComparisonRow;
    of: ColumnInputs;
}

function Value({ row, side, of }: CellProps & { side: 'base' | 'new' }) {
    const value = row[side];
    if (value === null || (side === 'base' ? row.in_base : row.in_new) === 0)
        return <span class="zero">–</span>;
    if (of.table.place === 'unit')
        return <>{text(formatValueOf(value, unitOf(of.table, of.metric, row)))}</>;
    const shown = cellText(value, of.scale);
    return /[1-9]/.test(shown) ? <>{shown}</> : <span class="zero">{shown}</span>;
}

function Delta({ row, of }: CellProps) {
    const unit = unitOf(of.table, of.metric, row);
    if (row.delta === null) {
        return (
            <span class="zero" title="no difference: one group does not have this row">
                –
            </span>
        );
    }
    const shown =
        of.table.place === 'unit'
            ? text(formatDelta(row.delta, unit))
            : deltaText(row.delta, of.scale);
    return <span class={/[1-9]/.test(shown) ? toneOf(row, of) : 'zero'}>{shown}</span>;
}

function noiseColumn(of: ColumnInputs, unit: string | undefined): Column {
    return {
        key: 'noise',
        title: 'Noise ±',
        term: 'noise',
        unit,
        width: 104,
        sortKey: 'noise',
        ...RIGHT_ALIGNED,
        title_tip: 'what repeats of the same program differ by',
        render: (row) => {
            if (row.noise === null) return null;
            return <span class="soft">{cellText(row.noise, of.scale)}</span>;
        },
    };
}

interface VerdictCellProps {
    row: ComparisonRow;
    unit: string;
    isImport: boolean;
    isFaint: boolean;
}

function VerdictCell({ row, unit, isImport, isFaint }: VerdictCellProps) {
    const { glyph, label, tone } = verdictOf(row, unit, isImport);
    if (row.name === STEP_ROW) return null;
    const tip = row.p === null ? undefined : pText(row.p);
    return (
        <span class={`verdict ${isFaint ? 'faint' : tone}`} title={tip}>
            <i>{glyph}</i> {label || <span class="sr-only">{directionWord(row.delta)}</span>}
        </span>
    );
}

function directionWord(delta: number | null): string {
    return !delta ? 'the same' : delta > 0 ? 'more' : 'less';
}

interface DiffBarProps {
    delta: number;
    /** |delta| that fills half of the cell */
    maxDelta: number;
    tone: 'slower' | 'faster' | 'faint';
}

/** A difference as a bar from the middle: negative to the left, positive to the right. */
export function DiffBar({ delta, maxDelta, tone }: DiffBarProps) {
    const share = maxDelta > 0 ? Math.min(1, Math.abs(delta) / maxDelta) : 0;
    const half = `${share * 50}%`;
    return (
        <span class="diff-bar">
            {delta !== 0 && (
                <i
                    class={`is-${tone}`}
                    style={delta < 0 ? { right: '50%', width: half } : { left: '50%', width: half }}
                />
            )}
        </span>
    );
}
