/* SPDX-License-Identifier: MIT
 *
 * Names of the current file, function and line, for the other panel.
 */
import { useMemo } from 'preact/hooks';
import { useLead, useNames } from '../../base/panel';
import { route } from '../../base/router';
import { findPath, lineKey, lineName, type NamedLine } from '../../model/line_names';
import type { Lines } from './content';

/* The names of lines and functions include their file, which the other panel may not show yet. */
function within(file: string | null, name: string | null): string | null {
    return file === null || name === null ? null : `${file}\n${name}`;
}

function inFile(file: string | null, name: string, find: (rest: string) => string | null) {
    const cut = name.indexOf('\n');
    if (file === null || findPath([file], name.slice(0, cut)) < 0) return undefined;
    return find(name.slice(cut + 1));
}

export function useLineNames(lines: Lines): void {
    const { files, source, rows, text, figures, functionRows, current } = lines;
    const asked = route.value.query.file;
    const shown = source.data?.file ?? null;
    const file = shown && (asked === undefined || Number(asked) === shown.id) ? shown.path : null;
    const named = useMemo((): NamedLine[] => {
        const ownerOf = (at: number) => figures?.functions[figures.fn[at]]?.name ?? '';
        return rows.flatMap((row) =>
            row.kind === 'line'
                ? [{ key: row.key, owner: ownerOf(row.at), text: text[row.line - 1] ?? '' }]
                : [],
        );
    }, [rows, text, figures]);
    useLead('file', files && files.length > 1 ? files[0].id : null);
    useLead('line', file && current);
    useNames(files ? ['file'] : [], {
        nameOf: (id) => files?.find((one) => one.id === Number(id))?.file ?? null,
        valueOf: (name) => {
            const at = findPath(files?.map((one) => one.file) ?? [], name);
            return files && at >= 0 ? String(files[at].id) : null;
        },
    });
    useNames(file ? ['line'] : [], {
        nameOf: (key) => within(file, lineName(named, key)),
        valueOf: (name) => inFile(file, name, (rest) => lineKey(named, rest)),
    });
    useNames(file && functionRows.length ? ['fn'] : [], {
        nameOf: (id) =>
            within(file, functionRows.find((one) => one.id === Number(id))?.function ?? null),
        valueOf: (name) =>
            inFile(file, name, (rest) => {
                const found = functionRows.find((one) => one.function === rest);
                return found ? String(found.id) : null;
            }),
    });
}
