/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Page } from '../../base/answers';
import { type Params, withParams } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import type { ImportRow } from '../../base/rows';
import { setQuery } from '../../base/router';
import { LABELS } from '../../base/terms';
import {
    DataGrid,
    type GridColumn,
    type GridHandle,
    type GridSort,
} from '../../components/data_grid';
import { useSource } from '../shared/paged_source';
import { moduleActions } from './module_actions';
import type { ModulesProps } from './modules';

interface FlatProps extends ModulesProps {
    path: string;
    params: Params;
    columns: GridColumn<ImportRow>[];
    sort: GridSort;
    onSort: (sort: GridSort) => void;
    head: (shown: number, sums: Page['sums'] | null) => ComponentChildren;
}

export function ImportsFlat(props: FlatProps) {
    const { data, path, params, columns, sort, selected } = props;
    const source = useSource<ImportRow>(path, params, props.filters.broken);
    const handle = useRef<GridHandle | null>(null);
    const ownRow = useRef(-1);
    const key = withParams('', params);
    useEffectOn(() => {
        if (selected < 0 || selected === ownRow.current) return;
        ownRow.current = selected;
        if (handle.current) revealRow(handle.current, rankOf(props));
    }, [selected]);
    const shown = source.ready.value ? source.total : data.tree.n;
    return (
        <>
            {props.head(shown, source.ready.value ? source.sums : null)}
            <DataGrid<ImportRow>
                label={LABELS.modules}
                columns={columns}
                source={source}
                rowKey={(row) => row.id}
                sort={sort}
                onSort={props.onSort}
                selected={selected >= 0 ? data.ids[selected] : null}
                onSelect={(row) => {
                    ownRow.current = data.index.get(row.id) ?? -1;
                    setQuery({ sel: String(row.id) }, { replace: true });
                }}
                onOpen={(row) => setQuery({ sel: String(row.id), zoom: String(row.id) })}
                actions={(row) => moduleActions(props.run, row)}
                resetKey={key}
                handle={handle}
                empty={
                    data.tree.n === 0
                        ? 'This log has no import times. Record one with python -X importtime.'
                        : 'No module matches the filters. Clear them to see all.'
                }
            />
        </>
    );
}

/* Index of the selected row in the server's sort order, because the grid scrolls by index. It is
 * computed from the values that the server sorts by. -1 if it is unknown or hidden by a filter. */
function rankOf({ data, sort, selected, hidden, found, filters, by, ...rest }: FlatProps): number {
    const { tree } = data;
    const value = sort.key === 'cumulative_us' ? tree.cumulative : tree.self;
    if (sort.key !== 'self_us' && sort.key !== 'cumulative_us') return -1;
    const limit = filters.min ? filters.min * 1000 : -Infinity;
    const limited = by === 'self' ? tree.self : tree.cumulative;
    const onlyHits = 'onlyHits' in rest && rest.onlyHits === true;
    let rank = 0;
    for (let i = 0; i < tree.n; i++) {
        if (hidden?.[i] || limited[i] < limit || (onlyHits && found && !found[i])) {
            if (i === selected) return -1;
            continue;
        }
        const before = sort.desc ? value[i] > value[selected] : value[i] < value[selected];
        if (before || (value[i] === value[selected] && data.ids[i] < data.ids[selected])) rank++;
    }
    return rank;
}

function revealRow(handle: GridHandle, rank: number): void {
    if (rank >= 0) handle.show(rank);
}
