/* SPDX-License-Identifier: MIT
 *
 * Which columns of a table are shown, in which order and how wide, as a user arranged them.
 */

/** What a user changed of a table; columns are named by their keys. */
export interface ColumnLayout {
    /** all columns in order; columns that are not listed follow the column before them */
    order: string[];
    /** columns that were shown or hidden explicitly */
    shown: Record<string, boolean>;
    /** px */
    widths: Record<string, number>;
}

export const DEFAULT_LAYOUT: ColumnLayout = { order: [], shown: {}, widths: {} };

export interface ArrangedColumn {
    key: string;
    title: string;
    hideBelow?: number;
    /** 'rest': the width that other columns leave */
    width?: number | 'rest';
    /** 'right': a number */
    align?: 'left' | 'right';
    sortKey?: string;
    /** a number even if it is not aligned to the right */
    numeric?: boolean;
}

/** Numbers that a phone shows beside the name of a row. */
const PHONE_NUMBERS = 2;
/** px; a first text that is narrower, as a severity, does not name the row. */
const PHONE_NAME_MIN = 140;

/** Widths of columns that a user may choose, in px. */
export const MIN_COLUMN_PX = 48;
export const MAX_COLUMN_PX = 2000;

const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a stored layout; what is not valid is left out. */
export function parseLayout(text: string | null): ColumnLayout {
    let stored: unknown;
    try {
        stored = JSON.parse(text ?? '{}');
    } catch {
        return DEFAULT_LAYOUT;
    }
    if (!isObject(stored)) return DEFAULT_LAYOUT;
    const { order, shown, widths } = stored;
    const entriesOf = (value: unknown) => Object.entries(isObject(value) ? value : {});
    return {
        order: Array.isArray(order) ? order.filter((key) => typeof key === 'string') : [],
        shown: Object.fromEntries(
            entriesOf(shown).filter(
                (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
            ),
        ),
        widths: Object.fromEntries(
            entriesOf(widths).flatMap(([key, px]) =>
                typeof px === 'number' ? [[key, clampWidth(px)]] : [],
            ),
        ),
    };
}

export function isDefaultLayout({ order, shown, widths }: ColumnLayout): boolean {
    return !order.length && !Object.keys(shown).length && !Object.keys(widths).length;
}

export function clampWidth(px: number): number {
    return Math.round(Math.max(MIN_COLUMN_PX, Math.min(MAX_COLUMN_PX, px)));
}

/** All columns in the order that the user chose. */
export function orderColumns<C extends ArrangedColumn>(
    columns: readonly C[],
    order: readonly string[],
): C[] {
    const placed: C[] = order.flatMap((key) => columns.find((column) => column.key === key) ?? []);
    columns.forEach((column, index) => {
        if (placed.includes(column)) return;
        const before = index > 0 ? placed.indexOf(columns[index - 1]) : -1;
        placed.splice(before + 1, 0, column);
    });
    return placed;
}

/** The first column names the rows, and a column without a title is a control: both are always shown. */
export function mayHide<C extends ArrangedColumn>(columns: readonly C[], column: C): boolean {
    return column !== columns[0] && column.title !== '';
}

/** Whether a window of this width, in px, shows the column. */
export function isColumnShown(
    column: ArrangedColumn,
    shown: ColumnLayout['shown'],
    windowWidth: number,
): boolean {
    return shown[column.key] ?? (!column.hideBelow || windowWidth >= column.hideBelow);
}

/** The columns that a phone shows unless the user chose others: controls, the name of the row and
 * PHONE_NUMBERS numbers. The number that sorts the table is one of them, the others are the first.
 * The name has the width that the others leave. */
export function phoneColumns<C extends ArrangedColumn>(
    columns: readonly C[],
    shown: ColumnLayout['shown'],
    sortKey: string | undefined,
): C[] {
    const isNumber = ({ align, numeric }: C) => align === 'right' || numeric === true;
    const texts = columns.filter(
        (column) => !isNumber(column) && column.title !== '' && !column.hideBelow,
    );
    const isName = ({ width }: C) => width === 'rest' || (width ?? 0) >= PHONE_NAME_MIN;
    const name = texts.find(isName) ?? texts[0];
    const isSorted = (column: C) => column.sortKey !== undefined && column.sortKey === sortKey;
    const numbers = columns.filter(
        (column) => isNumber(column) && (isSorted(column) || !column.hideBelow),
    );
    const kept = new Set(
        [...numbers]
            .sort((a, b) => Number(isSorted(b)) - Number(isSorted(a)))
            .slice(0, PHONE_NUMBERS),
    );
    const isControl = ({ title, hideBelow }: C) => title === '' && !hideBelow;
    const isKept = (column: C) =>
        shown[column.key] ??
        (column === name || column === texts[0] || isControl(column) || kept.has(column));
    return columns
        .filter(isKept)
        .map((column) => (column === name ? { ...column, width: 'rest' } : column));
}

/** The keys with `key` moved in front of `before`; null: to the end. */
export function moveKey(keys: readonly string[], key: string, before: string | null): string[] {
    if (key === before) return [...keys];
    const others = keys.filter((other) => other !== key);
    const index = before === null ? others.length : others.indexOf(before);
    others.splice(index < 0 ? others.length : index, 0, key);
    return others;
}

/** The columns without those of the highest ranks that would leave the rest of the table less than half
 * of its `width`, in px. Columns without a rank remain. */
export function dropRanked<C extends { width: number; rank?: number }>(
    columns: readonly C[],
    width: number,
): C[] {
    const byRank = columns.filter(({ rank }) => rank !== undefined);
    byRank.sort((a, b) => (b.rank ?? 0) - (a.rank ?? 0));
    let sum = columns.reduce((total, column) => total + column.width, 0);
    const dropped = new Set<C>();
    for (const column of byRank) {
        if (sum <= width / 2) break;
        sum -= column.width;
        dropped.add(column);
    }
    return columns.filter((column) => !dropped.has(column));
}

/* A column that still does not fit after so many growths in turn has content that overflows at each
 * width. */
const MAX_GROWTHS = 8;

/** The widths with those that are needed; null: they stay. `growths` has for each column how often it
 * grew since its content fitted last. */
export function growWidths(
    grown: ReadonlyMap<string, number>,
    needs: ReadonlyMap<string, number>,
    growths: Map<string, number>,
): Map<string, number> | null {
    for (const key of growths.keys()) if (!needs.has(key)) growths.delete(key);
    const next = new Map(grown);
    for (const [key, need] of needs) {
        const count = growths.get(key) ?? 0;
        if (count >= MAX_GROWTHS) continue;
        growths.set(key, count + 1);
        next.set(key, need);
    }
    return [...next].some(([key, width]) => grown.get(key) !== width) ? next : null;
}
