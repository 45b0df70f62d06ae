/* SPDX-License-Identifier: MIT */
/* Which columns of a table fit beside its pane, so that names stay readable. */
import type { GridColumn } from '../../components/grid_types';

/** From this width of the window on, the pane is beside the table; see compare.css. */
export const PANE_BESIDE = 1000;
const PANE_WIDTH = 420;
/** Columns that are left out, the first one first, until the name has this width, in px. */
const OPTIONAL: [nameWidth: number, keys: string[]][] = [
    [200, ['noise', 'min', 'max', 'bar', 'share', 'delta_pct', 'mad']],
    [156, ['base', 'verdict']],
];

export function fitColumns<R>(columns: GridColumn<R>[], windowWidth: number): GridColumn<R>[] {
    const room = windowWidth - (windowWidth >= PANE_BESIDE ? PANE_WIDTH : 0);
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
