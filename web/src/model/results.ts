/* SPDX-License-Identifier: MIT
 *
 * Results of benchmarks as a table: groups by what names have in common, one row for each benchmark and
 * set of parameters, and its further metrics below it. No name repeats what its group says.
 */
import { plural } from '../base/units';
import { rankMeasurements, type RankedInput, type RankedRow } from './ranking';
import type { Matcher } from './search';

export interface ResultInput extends RankedInput {
    /** the name without its parameters */
    benchmark: string;
    /** JSON object; null: none */
    parameters: string | null;
    metric: string | null;
    n: number | null;
    value: number | null;
    mean: number | null;
    median: number | null;
    stddev: number | null;
    min: number | null;
    max: number | null;
    /** 0: measured, 1: failed, 2: skipped */
    state: number;
}

type Parameters = Record<string, string | number>;

/** A row of the table: one benchmark with one set of parameters. */
export interface Result<R> {
    row: R;
    /** title of its group; '' without one */
    group: string;
    /** the name without its parameters, and without what all names of its group begin with */
    leaf: string;
    /** the same without what all names of the file begin with */
    path: string;
    parameters: Parameters;
    /** parameters as one text, for rows whose parameters have no columns */
    parameterText: string;
    ranked: RankedRow<R & RankedInput> | null;
    /** further metrics */
    parts: R[];
}

export interface Scale {
    least: number;
    most: number;
    /** largest distance of a minimum or maximum from its median, as a share of the median */
    reach: number;
}

export interface Results<R> {
    all: Result<R>[];
    /** number of groups; with one, headings say nothing */
    nGroups: number;
    /** what the names of all benchmarks begin with, such as the folder of the tests */
    prefix: string;
    /** names of the parameters, in the order of the file */
    parameterNames: string[];
    /** a row of the table belongs to a ranking */
    isRanked: boolean;
    /** smallest and largest values of the rows that share a scale, by scaleKey */
    scales: Map<string, Scale>;
}

/* Standard deviation as a share of the mean from which a result is unstable, as for `pyperf check`. */
const UNSTABLE_SHARE = 0.1;
/** More parameters are one text beside the name. */
export const MAX_PARAMETER_COLUMNS = 3;

export function spreadOf({ stddev, mean, value }: ResultInput): number | null {
    const centre = mean ?? value;
    return stddev === null || centre === null || centre <= 0 ? null : stddev / centre;
}

export function isUnstable(row: ResultInput): boolean {
    return (spreadOf(row) ?? 0) >= UNSTABLE_SHARE;
}

export type ResultState = 'measured' | 'failed' | 'skipped';

export function stateOf({ state, failed }: ResultInput): ResultState {
    if (state === 2) return 'skipped';
    return state === 1 || failed ? 'failed' : 'measured';
}

/** Splits a name after its last separator: `tests/test_a.py::TestB::` and `test_c`. Parameters, and
 * names with spaces, such as commands, are not split. */
export function splitPath(name: string): [path: string, leaf: string] {
    if (/\s/.test(name)) return ['', name];
    const stop = name.search(/[[({<=,]/);
    const head = stop < 0 ? name : name.slice(0, stop);
    const separator = ['::', '/', '\\', '.'].find((one) => head.includes(one));
    if (!separator) return ['', name];
    const at = head.lastIndexOf(separator) + separator.length;
    const isVersion = separator === '.' && /^\d/.test(name.slice(at));
    return at >= name.length || isVersion ? ['', name] : [name.slice(0, at), name.slice(at)];
}

/** What all paths begin with, up to a separator. */
export function commonPath(paths: readonly string[]): string {
    let common = paths[0] ?? '';
    for (const path of paths) while (!path.startsWith(common)) common = shorterPath(common);
    return common;
}

function shorterPath(path: string): string {
    const [shorter] = splitPath(path.replace(/(::|[/\\.])$/, ''));
    return shorter.length < path.length ? shorter : '';
}

/* The name and the text in brackets at its end, for files that do not state parameters. */
function splitCase(name: string): [base: string, text: string] {
    const found = /^(.+?)\[(.*)\]$/s.exec(name);
    return found && !/\s/.test(found[1]) ? [found[1], found[2]] : [name, ''];
}

function readParameters(json: string | null): Parameters {
    return json ? (JSON.parse(json) as Parameters) : {};
}

export function parameterText(value: string | number | undefined): string {
    return value === undefined ? '' : String(value);
}

/** In place of a group in scaleKey: the scale of all rows. */
export const ALL_GROUPS = '\n';

/** Key of the rows whose distributions are drawn on one scale. */
export function scaleKey(group: string, row: Pick<ResultInput, 'unit' | 'metric' | 'grp'>): string {
    return [group, row.unit, row.metric ?? row.grp].join('\n');
}

interface Named<R> {
    row: R;
    path: string;
    name: string;
    parameters: Parameters;
    caseText: string;
}

function nameOf<R extends ResultInput>(row: R): Named<R> {
    const parameters = readParameters(row.parameters);
    const [name, caseText] = row.parameters ? [row.benchmark, ''] : splitCase(row.benchmark);
    return { row, path: splitPath(name)[0], name, parameters, caseText };
}

/* The further metrics of each main row, by its id. Their main row has their name. */
function partsOf<R extends ResultInput>(rows: readonly R[]): Map<number, R[]> {
    const mains = new Map<string, number>();
    for (const row of rows)
        if (row.alternatives !== null && !mains.has(row.name)) mains.set(row.name, row.id);
    const parts = new Map<number, R[]>();
    let last = 0;
    for (const row of rows) {
        if (row.alternatives !== null) last = row.id;
        else {
            const id = mains.get(row.name) ?? last;
            parts.set(id, [...(parts.get(id) ?? []), row]);
        }
    }
    return parts;
}

function addToScale(scales: Map<string, Scale>, key: string, row: ResultInput): void {
    const [least, most] = [row.min ?? row.value, row.max ?? row.value];
    const centre = row.median ?? row.value;
    if (stateOf(row) !== 'measured') return;
    if (least === null || most === null) return;
    const reach =
        centre !== null && centre > 0 ? Math.max(most - centre, centre - least) / centre : 0;
    const scale = scales.get(key);
    if (!scale) scales.set(key, { least, most, reach });
    else {
        scale.least = Math.min(scale.least, least);
        scale.most = Math.max(scale.most, most);
        scale.reach = Math.max(scale.reach, reach);
    }
}

/** Rows are given in the order of the file. */
export function readResults<R extends ResultInput>(rows: readonly R[]): Results<R> {
    const parts = partsOf(rows);
    const hasMain = rows.some((row) => row.alternatives !== null);
    const named = rows.filter((row) => !hasMain || row.alternatives !== null).map(nameOf);
    const prefix = commonPath([...new Set(named.map(({ path }) => path))]);
    const pathsByGroup = new Map<string, Set<string>>();
    const groupOf = ({ row, path }: Named<R>) => row.grp || path.slice(prefix.length);
    for (const one of named) {
        const paths = pathsByGroup.get(groupOf(one));
        if (paths) paths.add(one.path);
        else pathsByGroup.set(groupOf(one), new Set([one.path]));
    }
    const pathOfGroup = new Map(
        [...pathsByGroup].map(([key, paths]) => [key, commonPath([...paths])]),
    );
    const ranked = new Map(
        rankMeasurements(rows).flatMap((set) => set.map((one) => [one.row.id, one])),
    );
    const names = new Set<string>();
    const scales = new Map<string, Scale>();
    const all = named.map((one): Result<R> => {
        const { row, name, parameters, caseText } = one;
        const group = groupOf(one);
        const own = parts.get(row.id) ?? [];
        for (const key of Object.keys(parameters)) names.add(key);
        for (const measured of [row, ...own]) {
            addToScale(scales, scaleKey(group, measured), measured);
            addToScale(scales, scaleKey(ALL_GROUPS, measured), measured);
        }
        return {
            row,
            group,
            leaf: name.slice((pathOfGroup.get(group) ?? '').length),
            path: name.slice(prefix.length),
            parameters,
            parameterText: caseText || textOfParameters(parameters),
            ranked: ranked.get(row.id) ?? null,
            parts: hasMain ? own : [],
        };
    });
    return {
        all,
        nGroups: pathsByGroup.size,
        prefix,
        parameterNames: [...names],
        isRanked: ranked.size > 0,
        scales,
    };
}

function textOfParameters(parameters: Parameters): string {
    return Object.entries(parameters)
        .map(([key, value]) => (/^\d+$/.test(key) ? String(value) : `${key}=${value}`))
        .join(', ');
}

/** A line of the table. */
export type ResultLine<R> =
    | { type: 'group'; key: string; group: string; count: number; isOpen: boolean }
    | {
          type: 'row';
          key: string;
          result: Result<R>;
          row: R;
          /** the line above has the same name */
          isRepeated: boolean;
          /** null: no further metrics */
          isOpen: boolean | null;
      }
    | { type: 'part'; key: string; result: Result<R>; row: R };

/** How many benchmarks or tests a run has, by its summary; null: it does not say. */
export function countedResults(
    summary: Readonly<Record<string, unknown>>,
): { count: number; many: string; words: string } | null {
    for (const many of ['benchmarks', 'tests']) {
        const count = summary[many];
        if (typeof count === 'number')
            return { count, many, words: plural(count, many.slice(0, -1)) };
    }
    return null;
}

/** Which results are shown. */
export type Shown = 'all' | 'unstable' | 'failed' | 'skipped';

export interface ResultsView {
    sort: string;
    desc: boolean;
    search: Matcher;
    shown: Shown;
    isGrouped: boolean;
    /** groups that are folded */
    folded: ReadonlySet<string>;
    /** whether further metrics are shown, by the id of their main row */
    isOpen: (id: number) => boolean;
}

export function countShown(results: Results<ResultInput>): Record<Shown, number> {
    const counts = { all: results.all.length, unstable: 0, failed: 0, skipped: 0 };
    for (const { row } of results.all) {
        const state = stateOf(row);
        if (state !== 'measured') counts[state]++;
        else if (isUnstable(row)) counts.unstable++;
    }
    return counts;
}

function passes(result: Result<ResultInput>, { search, shown }: ResultsView): boolean {
    const { row, parts } = result;
    const state = stateOf(row);
    if (shown === 'unstable' && (state !== 'measured' || !isUnstable(row))) return false;
    if ((shown === 'failed' || shown === 'skipped') && state !== shown) return false;
    return (
        search.empty ||
        search.test(`${row.name} ${row.grp} ${row.metric ?? ''}`) ||
        parts.some(({ name, grp, metric }) => search.test(`${name} ${grp} ${metric ?? ''}`))
    );
}

type SortValue = number | string | null;

function sortValue({ row, path, parameters, ranked }: Result<ResultInput>, key: string): SortValue {
    if (key === 'name') return path;
    if (key === 'value') return row.value;
    if (key === 'relative') return spreadOf(row);
    if (key === 'n') return row.n;
    if (key === 'ratio') return ranked?.ratio ?? null;
    if (key.startsWith('p:')) return parameters[key.slice(2)] ?? null;
    return row.id;
}

/* Rows without a value are last in either direction. Values in different units are not compared. */
function compareResults(a: Result<ResultInput>, b: Result<ResultInput>, view: ResultsView): number {
    const { sort, desc } = view;
    const [x, y] = [sortValue(a, sort), sortValue(b, sort)];
    if (x === null || y === null)
        return Number(x === null) - Number(y === null) || a.row.id - b.row.id;
    if (sort === 'value' && a.row.unit !== b.row.unit) return a.row.unit < b.row.unit ? 1 : -1;
    const order =
        typeof x === 'number' && typeof y === 'number'
            ? x - y
            : String(x).localeCompare(String(y), 'en', { numeric: true });
    return (desc ? -order : order) || a.row.id - b.row.id;
}

/** The lines that are shown: groups in the order of their first row. */
export function resultLines<R extends ResultInput>(
    results: Results<R>,
    view: ResultsView,
): ResultLine<R>[] {
    const rows = results.all
        .filter((one) => passes(one, view))
        .sort((a, b) => compareResults(a, b, view));
    if (!view.isGrouped || results.nGroups < 2) return rowLines(rows, view);
    const groups = new Map<string, Result<R>[]>();
    for (const one of rows) {
        const group = groups.get(one.group);
        if (group) group.push(one);
        else groups.set(one.group, [one]);
    }
    return [...groups].flatMap(([group, members]) => {
        const isOpen = !view.folded.has(group);
        const head = {
            type: 'group' as const,
            key: `g${group}`,
            group,
            count: members.length,
            isOpen,
        };
        return isOpen ? [head, ...rowLines(members, view)] : [head];
    });
}

function rowLines<R>(rows: Result<R & ResultInput>[], view: ResultsView): ResultLine<R>[] {
    const lines: ResultLine<R>[] = [];
    let above = '';
    for (const result of rows) {
        const { row, parts } = result;
        const isOpen = parts.length ? view.isOpen(row.id) : null;
        const name = view.isGrouped ? result.leaf : result.path;
        lines.push({
            type: 'row',
            key: String(row.id),
            result,
            row,
            isRepeated: name === above,
            isOpen,
        });
        above = name;
        if (!isOpen) continue;
        for (const part of parts)
            lines.push({ type: 'part', key: String(part.id), result, row: part as R });
        above = '';
    }
    return lines;
}

/** Results that a reader looks for first. */
export interface Extremes<R> {
    slowest: R | null;
    leastStable: R | null;
}

export function findExtremes<R extends ResultInput>(results: Results<R>): Extremes<R> {
    let slowest: R | null = null;
    let leastStable: R | null = null;
    for (const { row } of results.all) {
        if (stateOf(row) !== 'measured' || row.value === null) continue;
        if (row.unit === 's' && row.better === -1 && row.value > (slowest?.value ?? 0))
            slowest = row;
        if (
            isUnstable(row) &&
            (spreadOf(row) ?? 0) > (leastStable ? (spreadOf(leastStable) ?? 0) : 0)
        )
            leastStable = row;
    }
    return { slowest, leastStable };
}

/** A benchmark over one numeric parameter while its other parameters are those of `chosen`. */
export interface ParameterCurve<R> {
    parameter: string;
    points: { x: number; y: number; row: R }[];
    /** exponent of the growth from the smallest parameter to the largest; null: unknown */
    exponent: number | null;
}

const MIN_CURVE_POINTS = 3;

/** One curve for each numeric parameter that at least three rows differ in. */
export function parameterCurves<R extends ResultInput>(
    results: Results<R>,
    chosen: Result<R>,
): ParameterCurve<R>[] {
    const same = results.all.filter(
        ({ row }) =>
            row.benchmark === chosen.row.benchmark &&
            row.metric === chosen.row.metric &&
            row.unit === chosen.row.unit &&
            row.value !== null,
    );
    return Object.entries(chosen.parameters).flatMap(([parameter, value]) => {
        if (typeof value !== 'number') return [];
        const others = Object.entries(chosen.parameters).filter(([key]) => key !== parameter);
        const points = same
            .filter(({ parameters }) => others.every(([key, own]) => parameters[key] === own))
            .flatMap(({ parameters, row }) => {
                const x = parameters[parameter];
                return typeof x === 'number' ? [{ x, y: row.value ?? 0, row }] : [];
            })
            .sort((a, b) => a.x - b.x);
        const isUnique = points.every(({ x }, i) => i === 0 || x !== points[i - 1].x);
        if (points.length < MIN_CURVE_POINTS || !isUnique) return [];
        const [first, last] = [points[0], points[points.length - 1]];
        const isPositive = points.every(({ x, y }) => x > 0 && y > 0);
        const exponent = isPositive
            ? Math.log(last.y / first.y) / Math.log(last.x / first.x)
            : null;
        return [{ parameter, points, exponent }];
    });
}
