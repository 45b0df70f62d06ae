/* SPDX-License-Identifier: MIT
 *
 * Result of an SQL statement: sorting, column widths, and the columns that a chart can show.
 */
import type { SqlAnswer, SqlColumn } from '../../base/answers';
import { formatFixed } from '../../base/units';

export type SqlValue = string | number | null;

export interface SqlResult extends SqlAnswer {
    rows: SqlValue[][];
}

export function isNumber({ type }: SqlColumn): boolean {
    return type === 'integer' || type === 'real';
}

/** Text of a cell. Integers have all digits. Reals have seven significant digits, but all digits
 * before the point and at most six after it; with an exponent below 1e-4 and from 1e15. */
export function cellText(value: SqlValue, { type }: SqlColumn): string {
    if (value === null) return '';
    if (typeof value === 'string') return value;
    if (type !== 'real') return formatFixed(value, 0);
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(6);
    const whole = size >= 1 ? Math.floor(Math.log10(size)) + 1 : 1;
    return formatFixed(value, Math.max(0, Math.min(6, 7 - whole)));
}

const SAMPLED_ROWS = 200;
const CHAR_PX = 7.3;

/** Column width in px, from the header and the first rows. */
export function widthOf(result: SqlResult, at: number): number {
    const column = result.columns[at];
    const head = column.name.length + 3;
    const rows = result.rows.slice(0, SAMPLED_ROWS);
    const longest = Math.max(head, ...rows.map((row) => cellText(row[at], column).length));
    const padding = at === 0 ? 34 : 18; // of the first column: with the margin of the page
    return Math.round(Math.min(420, Math.max(56, longest * CHAR_PX + padding)));
}

/** SQLite's sort order: NULL, numbers, strings. */
function compareValues(a: SqlValue, b: SqlValue): number {
    if (a === b) return 0;
    if (a === null || b === null) return a === null ? -1 : 1;
    if (typeof a === typeof b) return a < b ? -1 : 1;
    return typeof a === 'number' ? -1 : 1;
}

export function sortRows(rows: SqlValue[][], at: number, desc: boolean): SqlValue[][] {
    const sign = desc ? -1 : 1;
    return [...rows].sort((a, b) => sign * compareValues(a[at], b[at]));
}

export interface SqlPoints {
    x: number[];
    y: number[];
    /** labels of the points, at x = 0, 1, …, if column x is not a number; null if it is */
    names: string[] | null;
}

/** Points from the columns with index x and y; x = -1 means the index of the row. Rows that lack a
 * value are omitted. */
export function pointsOf({ columns, rows }: SqlResult, x: number, y: number): SqlPoints {
    const hasLabels = x >= 0 && !isNumber(columns[x]);
    const points: SqlPoints = { x: [], y: [], names: hasLabels ? [] : null };
    rows.forEach((row, i) => {
        const [xValue, yValue] = [x < 0 || hasLabels ? i : row[x], row[y]];
        if (typeof xValue !== 'number' || typeof yValue !== 'number') return;
        points.x.push(hasLabels ? points.x.length : xValue);
        points.y.push(yValue);
        points.names?.push(cellText(row[x], columns[x]));
    });
    return points;
}

/** Indexes of the columns with the names x and y. By default x is the first column and y the first
 * other numeric column. -1 if there is none. */
export function axesOf({ columns }: SqlResult, x: string, y: string): { x: number; y: number } {
    const numbers = columns.flatMap((column, i) => (isNumber(column) ? [i] : []));
    const columnIndex = (name: string) => columns.findIndex((column) => column.name === name);
    const yColumn = numbers.includes(columnIndex(y)) ? columnIndex(y) : -1;
    const xColumn = x ? columnIndex(x) : columns.length > 1 ? 0 : -1;
    const other = numbers.find((i) => i !== xColumn) ?? numbers[0] ?? -1;
    return { x: xColumn, y: yColumn >= 0 ? yColumn : other };
}
