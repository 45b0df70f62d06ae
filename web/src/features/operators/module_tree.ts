/* SPDX-License-Identifier: MIT */
/* Modules as rows of a tree: siblings sorted by a column, branches expanded or collapsed, and
 * search hits with their ancestors. */
import type { ModuleRow } from '../../base/rows';

export type ModuleSort = Exclude<
    keyof ModuleRow,
    'id' | 'parent_id' | 'depth' | 'first_slice' | 'worker'
>;

export interface ModuleLine extends ModuleRow {
    level: number;
    /** whether the branch is expanded; null if the module has no children */
    open: boolean | null;
}

export class ModuleTree {
    private readonly childrenByParent = new Map<number, ModuleRow[]>();
    private readonly byId = new Map<number, ModuleRow>();

    constructor(readonly rows: readonly ModuleRow[]) {
        for (const row of rows) this.byId.set(row.id, row);
        for (const row of rows) {
            const up = this.parentOf(row);
            const list = this.childrenByParent.get(up);
            if (list) list.push(row);
            else this.childrenByParent.set(up, [row]);
        }
    }

    /** Parent id; 0 for top-level rows, and for rows whose parent is not loaded. */
    private parentOf({ parent_id }: ModuleRow): number {
        return parent_id !== null && this.byId.has(parent_id) ? parent_id : 0;
    }

    childrenOf(id: number): readonly ModuleRow[] {
        return this.childrenByParent.get(id) ?? [];
    }

    /** The modules around a row, as comparisons write them: `A > B > `. */
    pathOf(row: ModuleRow): string {
        return this.parentsOf(row)
            .map(({ name }) => `${name} > `)
            .join('');
    }

    /** The modules around a row, the outermost first. */
    parentsOf(row: ModuleRow): ModuleRow[] {
        const above = this.byId.get(this.parentOf(row));
        return above ? [...this.parentsOf(above), above] : [];
    }

    /** Ids that are expanded at first: the path of the largest times, from the top level down. */
    initiallyExpanded(by: 'host_total_us' | 'device_total_us'): Set<number> {
        const open = new Set<number>();
        for (let list = this.childrenOf(0); list.length > 0;) {
            const largest = list.reduce((a, b) => (b[by] > a[by] ? b : a));
            if (open.has(largest.id)) break;
            open.add(largest.id);
            list = this.childrenOf(largest.id);
        }
        return open;
    }

    expandableIds(): Set<number> {
        return new Set([...this.childrenByParent.keys()].filter((id) => id !== 0));
    }

    /** Ids of the matching rows and their ancestors; null if there is no search. */
    keptIds(test: ((name: string) => boolean) | null): Set<number> | null {
        if (!test) return null;
        const ids = new Set<number>();
        for (const row of this.rows) {
            if (!test(row.name)) continue;
            for (let ancestor: ModuleRow | undefined = row; ancestor && !ids.has(ancestor.id);) {
                ids.add(ancestor.id);
                ancestor = this.byId.get(this.parentOf(ancestor));
            }
        }
        return ids;
    }

    /** Visible rows in order. With `keptIds`, only those rows are included, and all their branches
     * are expanded. */
    flatten(
        open: ReadonlySet<number>,
        keptIds: ReadonlySet<number> | null,
        sort: ModuleSort,
        desc: boolean,
    ): ModuleLine[] {
        const out: ModuleLine[] = [];
        const stack = [{ list: this.sorted(0, keptIds, sort, desc), at: 0 }];
        while (stack.length > 0) {
            const top = stack[stack.length - 1];
            const row = top.list[top.at++];
            if (!row) {
                stack.pop();
                continue;
            }
            const list = this.sorted(row.id, keptIds, sort, desc);
            const isOpen = list.length === 0 ? null : keptIds !== null || open.has(row.id);
            out.push({ ...row, level: stack.length - 1, open: isOpen });
            if (isOpen) stack.push({ list, at: 0 });
        }
        return out;
    }

    private sorted(
        id: number,
        keptIds: ReadonlySet<number> | null,
        sort: ModuleSort,
        desc: boolean,
    ): ModuleRow[] {
        const list = this.childrenOf(id).filter((row) => !keptIds || keptIds.has(row.id));
        const sign = desc ? -1 : 1;
        return list.sort((a, b) => {
            const [x, y] = [a[sort], b[sort]];
            return x === y ? a.id - b.id : (x > y ? 1 : -1) * sign;
        });
    }
}
