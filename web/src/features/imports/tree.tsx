/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Page } from '../../base/answers';
import { useMemoOn } from '../../base/hooks';
import { useNames } from '../../base/panel';
import type { ImportRow } from '../../base/rows';
import { route, setQuery } from '../../base/router';
import { DataGrid, type GridColumn, type GridSort } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { rowOfNode } from './data';
import { ImportRows, type TreeSort } from './import_table';
import { moduleActions } from './module_actions';
import type { ModulesProps } from './modules';

interface TreeProps extends ModulesProps {
    columns: GridColumn<ImportRow>[];
    sort: GridSort;
    onSort: (sort: GridSort) => void;
    onlyHits: boolean;
    head: (shown: number, sums: Page['sums'] | null) => ComponentChildren;
}

interface Row extends ImportRow {
    level: number;
    open: boolean | null;
}

const SORT_KEYS = ['ord', 'self_us', 'cumulative_us', 'module'];

/** Expanded nodes from the URL, which lists row ids in base 36; `first` if the URL lists none. */
function readExpanded(
    text: string | undefined,
    index: Map<number, number>,
    first: Set<number>,
): Set<number> {
    if (text === undefined) return first;
    return new Set(text.split('.').map((id) => index.get(parseInt(id, 36)) ?? -1));
}

function formatExpanded(open: ReadonlySet<number>, ids: number[]): string {
    return (
        [...open]
            .filter((node) => node >= 0)
            .map((node) => ids[node].toString(36))
            .join('.') || '-'
    );
}

export function ImportsTree(props: TreeProps) {
    const { data, columns, sort, selected, hidden, found, onlyHits, filters, by } = props;
    const query = route.value.query;
    const key = (SORT_KEYS.includes(sort.key) ? sort.key : 'cumulative_us') as TreeSort;
    const limit = filters.min ? filters.min * 1000 : 0;
    const keepMask = useMemo(
        () => keptNodes(data.tree, onlyHits ? found : null, by, limit),
        [data, found, onlyHits, by, limit],
    );
    const rows = useMemo(
        () => new ImportRows(data.tree, { hidden, keepMask }, key, sort.desc),
        [data, hidden, keepMask, key, sort.desc],
    );
    const open = useMemoOn(() => {
        const set = new Set(readExpanded(query.open, data.index, rows.heaviestPath()));
        if (onlyHits && found) expandHits(set, data.tree.parent, found);
        return set;
    }, [rows, query.open]);
    const source = useMemo(() => {
        const list = rows.flatten(open).map(({ node, level, children, open: isOpen }): Row => ({
            ...rowOfNode(data, node),
            level,
            open: children > 0 ? isOpen : null,
        }));
        return arraySource(list);
    }, [rows, open, data]);

    useNames(['open'], {
        nameOf: (value) =>
            [...readExpanded(value, data.index, new Set())]
                .map((node) => data.tree.frames.name[node] ?? '')
                .join('\n'),
        valueOf: (names) => {
            const expandedNames = new Set(names.split('\n'));
            const nodes = data.tree.frames.name.flatMap((name, node) =>
                expandedNames.has(name) ? [node] : [],
            );
            return formatExpanded(new Set(nodes), data.ids);
        },
    });

    function toggle(row: Row): void {
        const next = new Set(open);
        const node = data.index.get(row.id) ?? -1;
        if (!next.delete(node)) next.add(node);
        setQuery({ open: formatExpanded(next, data.ids) }, { replace: true });
    }

    const keptCount = keepMask ? keepMask.reduce((sum, bit) => sum + bit, 0) : data.tree.n;
    return (
        <>
            {props.head(keptCount, null)}
            <DataGrid<Row>
                label="Modules as a tree"
                columns={columns}
                source={source}
                rowKey={(row) => row.id}
                sort={{ key, desc: sort.desc }}
                onSort={props.onSort}
                selected={selected >= 0 ? data.ids[selected] : null}
                onSelect={(row) => setQuery({ sel: String(row.id) }, { replace: true })}
                onOpen={(row) => setQuery({ sel: String(row.id), zoom: String(row.id) })}
                actions={(row) => moduleActions(props.run, row)}
                tree={{
                    column: 'module',
                    depth: (row) => row.level,
                    open: (row) => row.open,
                    toggle,
                }}
                empty={
                    data.tree.n === 0
                        ? 'This log has no import times. Record one with python -X importtime.'
                        : 'No module matches the filters. Clear them to see all.'
                }
            />
        </>
    );
}

function keptNodes(
    tree: ModulesProps['data']['tree'],
    found: Uint8Array | null,
    by: 'self' | 'cumulative',
    limit: number,
): Uint8Array | null {
    if (!found && limit <= 0) return null;
    const value = by === 'self' ? tree.self : tree.cumulative;
    const mask = new Uint8Array(tree.n);
    for (let i = 0; i < tree.n; i++) mask[i] = (!found || found[i]) && value[i] >= limit ? 1 : 0;
    return mask;
}

/** Expands the ancestors of every hit. */
function expandHits(open: Set<number>, parent: number[], found: Uint8Array): void {
    for (let i = 0; i < found.length; i++) {
        if (!found[i]) continue;
        for (let up = parent[i]; up >= 0 && !open.has(up); up = parent[up]) open.add(up);
    }
}
