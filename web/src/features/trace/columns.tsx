/* SPDX-License-Identifier: MIT
 *
 * Cells of the tables of a trace: times in ms with torch's three decimals, shares with their base,
 * bytes in MiB, names that may be hundreds of characters long.
 */
import type { ComponentChildren } from 'preact';
import { formatFixed, int, pct } from '../../base/units';
import type { GridColumn } from '../../components/data_grid';
import { FamilySwatch } from '../../components/family_swatch';
import { MarkedName } from '../../components/marked_name';
import { ShareBar } from '../../components/share_bar';
import { Num } from '../../components/text';
import { locationStart } from '../../model/frame_names';
import type { Matcher } from '../../model/search';

const MIB = 1024 * 1024;
const PANE_WIDTH = 320;
export const RIGHT_ALIGNED = { align: 'right' as const, numeric: true };

type Column<R> = Omit<GridColumn<R>, 'key' | 'title' | 'render'>;

/** A number as text; grey if all its digits are zero. */
function numberText(value: number, decimals: number): ComponentChildren {
    const text = formatFixed(value === 0 ? 0 : value, decimals);
    return /[1-9]/.test(text) ? text : <span class="zero">{text}</span>;
}

export function nameColumn<R extends { name: string; family: number }>(
    search: Matcher,
    title = 'name',
    swatch = (row: R): ComponentChildren => <FamilySwatch family={row.family} />,
): GridColumn<R> {
    return {
        key: 'name',
        title,
        width: 'rest',
        sortKey: 'name',
        render: (row) => (
            <span class="named" title={row.name}>
                {swatch(row)}
                <FrameName name={row.name} search={search} />
            </span>
        ),
    };
}

type Key<R> = Extract<keyof R, string>;

/** Column of names without families, for traces that are not from torch. Their frames start with
 * the path, so a long name is cut at its start. */
export function pathNameColumn<R extends { name: string }>(search: Matcher): GridColumn<R> {
    return {
        key: 'name',
        title: 'name',
        width: 'rest',
        sortKey: 'name',
        render: ({ name }) => (
            <span class={name.startsWith('/') ? 'mono path-end' : 'mono'} title={name}>
                <bdi>
                    <MarkedName text={name} search={search} />
                </bdi>
            </span>
        ),
    };
}

/** Column of times: µs of the API shown as ms. If there is a percentage or a base, the time is
 * above a bar with its share. */
export function timeColumn<R>(
    key: Key<R>,
    title: string,
    more: Partial<Column<R>> & { pct?: Key<R>; base?: number; tone?: 'self' | 'total' } = {},
): GridColumn<R> {
    const { pct: share, base, tone = 'self', ...rest } = more;
    return {
        key,
        title,
        unit: 'ms',
        width: 108,
        sortKey: key,
        ...RIGHT_ALIGNED,
        ...rest,
        render: (row) => {
            const us = row[key] as number | null;
            if (us === null || us === undefined) return <span class="zero">–</span>;
            const text = numberText(us / 1000, 3);
            const part = share ? ((row[share] as number | null) ?? 0) / 100 : base ? us / base : 0;
            if (!share && !base) return text;
            return (
                <ShareBar share={part} tone={tone}>
                    {text}
                </ShareBar>
            );
        },
    };
}

/** Column of a percentage that the server computed; the header names the base. */
export function shareColumn<R>(
    key: Key<R>,
    title: string,
    unit: string,
    more: Partial<Column<R>> = {},
): GridColumn<R> {
    return percentColumn<R>(key, title, unit, (row) => row[key] as number | null, more);
}

export function percentColumn<R>(
    key: string,
    title: string,
    unit: string,
    of: (row: R) => number | null,
    more: Partial<Column<R>> = {},
): GridColumn<R> {
    return {
        key,
        title,
        unit,
        width: 108,
        align: 'right',
        ...more,
        render: (row) => {
            const value = of(row);
            if (value === null || value === undefined) return <span class="zero">–</span>;
            const text = pct(value);
            return /[1-9]/.test(text) ? text : <span class="zero">{text}</span>;
        },
    };
}

/** What rows of slices count: slices of a sampling profiler are rows of equal samples, not calls. */
export function countNoun({ sampled }: { sampled?: unknown }): string {
    return sampled ? 'slices' : 'calls';
}

export function countColumn<R>(
    key: Key<R>,
    title: string,
    more: Partial<Column<R>> = {},
): GridColumn<R> {
    return {
        key,
        title,
        width: 80,
        sortKey: key,
        ...RIGHT_ALIGNED,
        ...more,
        render: (row) => {
            const value = row[key] as number | null;
            return value === null || value === undefined ? <span class="zero">–</span> : int(value);
        },
    };
}

export function mibColumn<R>(
    key: Key<R>,
    title: string,
    more: Partial<Column<R>> = {},
): GridColumn<R> {
    return {
        key,
        title,
        unit: 'MiB',
        width: 116,
        sortKey: key,
        ...RIGHT_ALIGNED,
        ...more,
        render: (row) => {
            const value = row[key] as number | null;
            if (value === null || value === undefined) return <span class="zero">–</span>;
            return <span title={`${int(value)} bytes`}>{numberText(value / MIB, 3)}</span>;
        },
    };
}

/** Column of plain numbers with a fixed count of decimals. */
export function numberColumn<R>(
    key: Key<R>,
    title: string,
    decimals: number,
    more: Partial<Column<R>> & { scale?: number } = {},
): GridColumn<R> {
    const { scale = 1, ...rest } = more;
    return {
        key,
        title,
        width: 88,
        sortKey: key,
        ...RIGHT_ALIGNED,
        ...rest,
        render: (row) => {
            const value = row[key] as number | null;
            if (value === null || value === undefined) return <span class="zero">–</span>;
            return <Num value={value / scale} decimals={decimals} />;
        },
    };
}

/** Columns of a table, next to a pane if `pane`: columns that are hidden in narrow windows are then
 * hidden in wider windows too. */
export function columnsBesidePane<R>(columns: GridColumn<R>[], pane: boolean): GridColumn<R>[] {
    if (!pane) return columns;
    return columns.map((column) =>
        column.hideBelow ? { ...column, hideBelow: column.hideBelow + PANE_WIDTH } : column,
    );
}

/** Column of texts: a long text is cut at its end, the tooltip has the complete text. */
export function textColumn<R>(
    key: Key<R>,
    title: string,
    more: Partial<Column<R>> & { mono?: boolean } = {},
): GridColumn<R> {
    const { mono, ...rest } = more;
    return {
        key,
        title,
        width: 120,
        sortKey: key,
        ...rest,
        render: (row) => {
            const value = row[key] as string | number | null;
            if (value === null || value === undefined || value === '') {
                return <span class="zero">–</span>;
            }
            return (
                <span class={mono ? 'mono' : ''} title={String(value)}>
                    {String(value)}
                </span>
            );
        },
    };
}

/** Name of a frame in a table: if it is too long, the function keeps its beginning and the file
 * path its end. */
function FrameName({ name, search }: { name: string; search: Matcher }) {
    const at = locationStart(name);
    return (
        <span class="frame-name mono">
            {at > 0 && (
                <span class="frame-name-head">
                    <MarkedName text={name} search={search} to={at} />
                </span>
            )}
            {at < name.length && (
                <span class={at > 0 ? 'frame-name-place path-end' : 'path-end'}>
                    <bdi>
                        <MarkedName text={name} search={search} from={at} />
                    </bdi>
                </span>
            )}
        </span>
    );
}
