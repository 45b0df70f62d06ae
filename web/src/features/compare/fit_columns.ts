/* SPDX-License-Identifier: MIT */
/* Which columns of a table fit beside its pane, so that names stay readable. */
import type { GridColumn } from '../../components/grid_types';

/** Columns that are left out, the first one first, until the name has this width, in px. */
const OPTIONAL: [nameWidth: number, keys: string[]][] = [
    [200, ['noise', 'min', 'max', 'bar', 'share', 'delta_pct', 'mad']],
    [156, ['base', 'verdict', 'last']],
];

/** The columns that fit into a table of this width. */
export function fitColumns<R>(columns: GridColumn<R>[], room: number): GridColumn<R>[] {
    let kept = columns;
    for (const [nameWidth, keys] of OPTIONAL) {
        for (const key of keys) {
            const sum = kept.reduce((all, { width }) => all + (width === 'rest' ? 0 : width), 0);
            if (sum + nameWidth <= room) break;
            kept = kept.filter((column) => column.key !== key);
        }
    }
    return kept;
}
