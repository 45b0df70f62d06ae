/* SPDX-License-Identifier: MIT
 *
 * Columns of the table of results.
 */
import type { MeasurementRow } from '../../base/rows';
import { formatFixed, int, text, THIN_SPACE } from '../../base/units';
import type { GridColumn } from '../../components/grid_types';
import { MarkedName } from '../../components/marked_name';
import type { RankedRow } from '../../model/ranking';
import {
    ALL_GROUPS,
    isUnstable,
    MAX_PARAMETER_COLUMNS,
    parameterText,
    type ResultLine,
    type Results,
    type Scale,
    scaleKey,
    spreadOf,
    stateOf,
} from '../../model/results';
import type { Matcher } from '../../model/search';
import { BoxPlot } from './box_plot';
import { boxScale, formatNumber, formatSpread, relativeScale, shownReach } from './values';

export type Line = ResultLine<MeasurementRow>;
type Column = GridColumn<Line>;

const RIGHT_ALIGNED = { align: 'right' as const, numeric: true };
const DASH = <span class="zero">–</span>;

export interface ResultColumns {
    results: Results<MeasurementRow>;
    search: Matcher;
    isGrouped: boolean;
    /** a pane next to the table takes up width */
    isNarrow: boolean;
    /** 'rest': names are short, so that the plots get the width that is left */
    plotWidth: number | 'rest';
}

/** "lower is better"; null: it is not known. */
export function betterText(better: number | null): string | null {
    return better ? `${better < 0 ? 'lower' : 'higher'} is better` : null;
}

export function resultColumns(of: ResultColumns): Column[] {
    const { results, isNarrow } = of;
    return [
        nameColumn(of),
        ...parameterColumns(of),
        valueColumn(results),
        ...(results.isRanked ? [ratioColumn()] : []),
        spreadColumn(isNarrow),
        plotColumn(of),
        countColumn(isNarrow),
    ];
}

function hasParameterColumns({ results }: ResultColumns): boolean {
    const n = results.parameterNames.length;
    return n > 0 && n <= MAX_PARAMETER_COLUMNS;
}

/* Renders a cell of a row; a group has no cells. */
function cell(render: (row: MeasurementRow, line: Exclude<Line, { type: 'group' }>) => unknown) {
    return (line: Line) => (line.type === 'group' ? null : (render(line.row, line) as never));
}

/* Width of a character of a name, and of what is around it. */
const CHARACTER_PX = 7.3;
const NAME_PADDING = 64;
const MIN_NAME_PX = 200;
const MAX_NAME_PX = 460;

function nameWidth(of: ResultColumns): number {
    const { results, isGrouped } = of;
    const hasText = !hasParameterColumns(of);
    const longest = results.all.reduce((max, { leaf, path, parameterText }) => {
        const name = isGrouped ? leaf : path;
        return Math.max(max, name.length + (hasText ? parameterText.length + 2 : 0));
    }, 0);
    return Math.max(MIN_NAME_PX, Math.min(MAX_NAME_PX, longest * CHARACTER_PX + NAME_PADDING));
}

function partLabel(row: MeasurementRow): string {
    return row.metric ?? (row.grp || row.name);
}

function nameColumn(of: ResultColumns): Column {
    const { search, isGrouped } = of;
    return {
        key: 'name',
        title: 'benchmark',
        width: of.plotWidth === 'rest' ? nameWidth(of) : 'rest',
        least: 160,
        sortKey: 'name',
        render: cell((row, line) => {
            if (line.type === 'part') return <span class="soft">{partLabel(row)}</span>;
            const { result } = line;
            const name = isGrouped ? result.leaf : result.path;
            const hasText = !hasParameterColumns(of) && result.parameterText !== '';
            return (
                <span class="mono result-name" title={row.name}>
                    {line.isRepeated && (hasText || hasParameterColumns(of)) ? (
                        <span class="sr-only">{name}</span>
                    ) : (
                        <MarkedName text={name} search={search} />
                    )}
                    {hasText && (
                        <span class={line.isRepeated ? 'result-case is-alone' : 'result-case'}>
                            <MarkedName text={result.parameterText} search={search} />
                        </span>
                    )}
                </span>
            );
        }),
    };
}

function parameterTitle(name: string, count: number): string {
    if (!/^\d+$/.test(name)) return name;
    return count > 1 ? `parameter ${name}` : 'parameter';
}

function parameterColumns(of: ResultColumns): Column[] {
    if (!hasParameterColumns(of)) return [];
    const names = of.results.parameterNames;
    return names.map((name) => {
        const isNumeric = of.results.all.every(
            ({ parameters }) => typeof (parameters[name] ?? 0) === 'number',
        );
        return {
            key: `p:${name}`,
            title: parameterTitle(name, names.length),
            width: isNumeric ? 72 : 96,
            sortKey: `p:${name}`,
            ...(isNumeric && { align: 'right' as const }),
            title_tip: `parameter ${name} of the benchmark`,
            render: cell((_, line) => {
                if (line.type === 'part') return null;
                const shown = parameterText(line.result.parameters[name]);
                return (
                    <span class="mono ellipsis" title={shown}>
                        {shown}
                    </span>
                );
            }),
        };
    });
}

/** Cell of a value. The unit has a column of its own inside the cell, so that the numbers are
 * aligned. */
function valueCell(row: MeasurementRow, unitWidth: number, isMixed: boolean, isPart: boolean) {
    const { value, unit, resolution } = row;
    const state = stateOf(row);
    if (value === null)
        return state === 'measured' ? (
            DASH
        ) : (
            <span class={`result-state is-${state}`}>{state}</span>
        );
    const shown = formatNumber(value, unit, resolution);
    const better = betterText(row.better);
    const tip = [
        resolution === null
            ? String(value)
            : `${value}, printed to ${text(formatNumber(resolution, unit))}`,
        row.statistic,
        better,
    ];
    return (
        <span
            class={`measure-figure${value === 0 ? ' zero' : ''}`}
            title={tip.filter(Boolean).join(', ')}
        >
            {state === 'failed' && !isPart && <span class="result-state is-failed">failed</span>}
            {shown.value}
            <span class="measure-unit" style={{ minWidth: unitWidth }}>
                {shown.unit}
                {isMixed && row.better === 1 && <span title="higher is better"> ↑</span>}
            </span>
        </span>
    );
}

/* Width of the units of a table, so that numbers are aligned. Times and sizes have short units. */
const MIN_UNIT_PX = 28;
const UNIT_CHARACTER_PX = 7;
const MAX_UNIT_CHARACTERS = 12;

function unitWidthOf(all: Results<MeasurementRow>['all']): number {
    const units = new Set(
        all
            .flatMap(({ row, parts }) => [row, ...parts])
            .map(({ value, unit }) =>
                value !== null && Math.abs(value) >= MIN_LARGE
                    ? formatNumber(value, unit).unit
                    : unit,
            ),
    );
    const longest = Math.max(0, ...[...units].map((unit) => unit.length));
    return Math.max(MIN_UNIT_PX, Math.min(MAX_UNIT_CHARACTERS, longest) * UNIT_CHARACTER_PX + 4);
}

/* Smaller numbers fit, and their units are not scaled. */
const MIN_LARGE = 1e5;
/* Width of the numbers and of what is around them. */
const MIN_NUMBER_PX = 88;
const DIGIT_PX = 8;
const NUMBER_PADDING = 24;

function numberWidthOf(all: Results<MeasurementRow>['all']): number {
    const longest = all
        .flatMap(({ row, parts }) => [row, ...parts])
        .reduce((most, { value, unit }) => {
            if (value === null || Math.abs(value) < MIN_LARGE) return most;
            return Math.max(most, formatNumber(value, unit).value.length);
        }, 0);
    return Math.max(MIN_NUMBER_PX, longest * DIGIT_PX + NUMBER_PADDING);
}

function valueColumn({ all }: Results<MeasurementRow>): Column {
    const better = new Set(
        all.flatMap(({ row, parts }) => [row, ...parts]).map((row) => row.better),
    );
    const statistics = [...new Set(all.map(({ row }) => row.statistic))];
    const isMixed = better.size > 1;
    const unitWidth = unitWidthOf(all);
    const numberWidth = numberWidthOf(all);
    return {
        key: 'value',
        title: statistics.length === 1 && statistics[0] !== 'single' ? statistics[0] : 'value',
        width: numberWidth + unitWidth,
        sortKey: 'value',
        ...RIGHT_ALIGNED,
        title_tip: isMixed
            ? 'higher is better where the unit has an arrow'
            : (betterText([...better][0] ?? null) ?? undefined),
        render: cell((row, { type }) => valueCell(row, unitWidth, isMixed, type === 'part')),
    };
}

/* What the best row of a ranking is called. */
function bestWord({ unit, better }: MeasurementRow): string {
    if (better === 1) return 'highest';
    return unit === 's' ? 'fastest' : 'lowest';
}

function ratioCell({ row, ratio, ratioStddev, isClear }: RankedRow<MeasurementRow>) {
    if (ratio === 1 && ratioStddev === null) return <b>{bestWord(row)}</b>;
    const error = ratioStddev === null ? '' : ` ± ${formatFixed(ratioStddev, 2)}`;
    return (
        <span
            class={isClear ? '' : 'faint'}
            title={isClear ? undefined : 'no clear difference from the best'}
        >
            {isClear ? '' : '≈ '}
            {formatFixed(ratio, 2)}
            <span class="soft">{error}</span>
        </span>
    );
}

function ratioColumn(): Column {
    return {
        key: 'ratio',
        title: 'of the best',
        width: 112,
        sortKey: 'ratio',
        ...RIGHT_ALIGNED,
        title_tip: 'how many times the best of its alternatives; ≈: no clear difference',
        render: cell((_, line) =>
            line.type === 'row' && line.result.ranked
                ? ratioCell(line.result.ranked as RankedRow<MeasurementRow>)
                : null,
        ),
    };
}

/* Units that are scaled, so that a spread may have another unit than its value. */
const SHORT_UNITS = ['s', 'B', 'KiB'];

function spreadCell(row: MeasurementRow) {
    const { stddev, value, unit } = row;
    if (stddev === null || value === null || row.n === 1) return DASH;
    const share = spreadOf(row);
    const unstable = isUnstable(row);
    const spread = formatSpread(stddev, value, unit);
    return (
        <span
            class="measure-figure"
            title={unstable ? 'unstable: 10 % of the mean or more' : undefined}
        >
            <span class={stddev === 0 ? 'zero' : 'soft'}>
                {SHORT_UNITS.includes(unit) ? text(spread) : spread.value}
            </span>
            <span class={unstable ? 'measure-share warn' : 'measure-share'}>
                {share === null ? '' : `${formatFixed(100 * share, 1)}${THIN_SPACE}%`}
            </span>
        </span>
    );
}

function spreadColumn(isNarrow: boolean): Column {
    return {
        key: 'stddev',
        title: 'std dev',
        unit: '% of mean',
        width: 156,
        sortKey: 'relative',
        ...RIGHT_ALIGNED,
        hideBelow: isNarrow ? 1100 : 760,
        title_tip: 'standard deviation; sorts by its share of the mean',
        render: cell(spreadCell),
    };
}

/* Rows of a group share a scale from 0; if their values are far apart, one relative to the median of each. */
function plotCell(row: MeasurementRow, { least, most, reach }: Scale) {
    const { value, n, unit } = row;
    const centre = row.median ?? value;
    if (stateOf(row) !== 'measured' || value === null || centre === null) return null;
    if (row.min === null && row.q1 === null) return null;
    const absolute = boxScale(least, most);
    const scale = absolute.log ? relativeScale(centre, reach) : absolute;
    const format = (at: number | null) => (at === null ? '–' : text(formatNumber(at, unit)));
    const ends = absolute.log
        ? `± ${formatFixed(100 * shownReach(reach), 0)}${THIN_SPACE}%`
        : `from 0 to ${format(most)}`;
    const summary = `least ${format(row.min ?? value)}, quartiles ${format(row.q1)} and ${format(row.q3)}, median ${format(row.median)}, most ${format(row.max ?? value)}${n ? ` of ${int(n)}` : ''}`;
    return (
        <span
            class="box-cell"
            title={`${summary}; scale ${ends}${absolute.log ? ' of the median' : ''}`}
        >
            <BoxPlot {...row} scale={scale} label={summary} />
            {absolute.log && <span class="box-log">{ends}</span>}
        </span>
    );
}

function plotColumn({ results, isGrouped, isNarrow, plotWidth }: ResultColumns): Column {
    return {
        key: 'plot',
        title: 'min, quartiles, max',
        width: plotWidth,
        least: 160,
        hideBelow: isNarrow ? 1000 : 700,
        title_tip:
            'rows of a group share a scale: from 0, or around the median of each row if the maximum exceeds 30 times the minimum',
        render: cell((row, { result }) => {
            const scale = results.scales.get(scaleKey(isGrouped ? result.group : ALL_GROUPS, row));
            return scale ? plotCell(row, scale) : null;
        }),
    };
}

function countColumn(isNarrow: boolean): Column {
    return {
        key: 'n',
        title: 'samples',
        width: 76,
        sortKey: 'n',
        ...RIGHT_ALIGNED,
        hideBelow: isNarrow ? 1300 : 900,
        render: cell((row) => (row.n === null ? DASH : int(row.n))),
    };
}
