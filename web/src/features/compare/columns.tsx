/* SPDX-License-Identifier: MIT
 *
 * Columns of a table of two groups: base, new, their difference, and whether it is noise.
 */
import type { ComparisonRow, ComparisonTable, Metric } from '../../base/answers';
import { formatFixed, int, signed, text, THIN_SPACE } from '../../base/units';
import type { GridColumn } from '../../components/grid_types';
import { MarkedName } from '../../components/marked_name';
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
        {
            key: 'bar',
            title: `${changeWord(false, metric.unit)} · ${changeWord(true, metric.unit)}`,
            width: 148,
            sortKey: 'delta',
            numeric: true,
            cellClass: 'diff-cell',
            title_tip: 'sort by Δ with its sign: largest increase or decrease first',
            render: (row) => (
                <DiffBar
                    delta={row.name === STEP_ROW ? 0 : ((mixed ? row.delta_pct : row.delta) ?? 0)}
                    maxDelta={mixed ? 100 : of.maxDelta}
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
        ...(single ? [] : [noiseColumn(of, unit)]),
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
                <small class="faint ellipsis">{shortPlaceText(table, row)}</small>
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
            const unit = unitOf(of.table, of.metric, row);
            const mixed = of.table.place === 'unit';
            return (
                <span class="soft">
                    {mixed ? text(formatValueOf(row.noise, unit)) : cellText(row.noise, of.scale)}
                </span>
            );
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
