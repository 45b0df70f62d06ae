/* SPDX-License-Identifier: MIT
 *
 * Rows of a table by what they are called, for a panel beside it. Only rows that were fetched are
 * known; when not all of them are, a row that is not among them may still be there.
 */
import { useNames } from '../../base/panel';
import type { GridSource } from '../../components/grid_types';
import { findPath } from '../../model/line_names';

export interface Called {
    /** '' where the file says all */
    name: string;
    file: string;
}

interface TableNames<R> {
    /** of the URL */
    key: string;
    source: GridSource<R>;
    rowKey: (row: R) => string | number;
    called: (row: R) => Called;
}

export function useTableNames<R>(
    { key, source, rowKey, called }: TableNames<R>,
    on: boolean,
): void {
    const fetched = (): R[] => {
        const rows: R[] = [];
        for (let i = 0; i < source.total; i++) {
            const row = source.rowAt(i);
            if (row !== undefined) rows.push(row);
        }
        return rows;
    };
    useNames(on && source.total > 0 ? [key] : [], {
        nameOf: (value) => {
            const row = fetched().find((one) => String(rowKey(one)) === value);
            if (!row) return null;
            const { name, file } = called(row);
            return `${file}\n${name}`;
        },
        valueOf: (text) => {
            const cut = text.indexOf('\n');
            const rows = fetched();
            const like = rows.filter((row) => called(row).name === text.slice(cut + 1));
            const at = findPath(
                like.map((row) => called(row).file),
                text.slice(0, cut),
            );
            if (at >= 0) return String(rowKey(like[at]));
            return rows.length < source.total ? undefined : null;
        },
    });
}
