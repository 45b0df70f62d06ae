/* SPDX-License-Identifier: MIT */
import { useMemo } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { withParams } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import { setQuery } from '../../base/router';
import type { FunctionRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { DataGrid } from '../../components/data_grid';
import type { Filters } from '../../model/filter_query';
import type { Matcher } from '../../model/search';
import { functionsPath, isSampled, openFunction } from '../calls/data';
import { functionActions } from '../calls/function_actions';
import { useSource } from '../shared/paged_source';
import { functionColumns } from './columns';
import { functionParams } from './toolbar';

export interface TableProps {
    run: Run;
    filters: Filters;
    search: Matcher;
    total: number;
    selected: number | null;
    /** Number of the printed table, if the run has several; default: all functions of the run. */
    report?: number;
    onShown: (rows: number) => void;
}

/** Table of all functions; the server sorts, filters and pages. */
export function FunctionsTable(props: TableProps) {
    const { run, filters, search, total, selected, onShown } = props;
    const params = { ...functionParams(filters), report: props.report };
    const source = useSource<FunctionRow>(functionsPath(run), params, filters.broken);
    const sampled = isSampled(run);
    const columns = useMemo(
        () => functionColumns(search, total, sampled),
        [search, total, sampled],
    );
    const version = source.version.value;
    useEffectOn(() => {
        if (source.ready.peek()) onShown(source.total);
    }, [source, version]);
    return (
        <DataGrid<FunctionRow>
            label={LABELS.functions}
            columns={columns}
            source={source}
            rowKey={(row) => row.id}
            sort={{ key: params.sort, desc: params.desc }}
            onSort={({ key, desc }) =>
                setQuery({ sort: key, desc: desc ? '1' : '0' }, { replace: true })
            }
            selected={selected}
            onSelect={(row) =>
                setQuery({ fn: String(row.id), zoom: null, frame: null }, { replace: true })
            }
            onOpen={(row) => openFunction(row.id)}
            actions={(row) => functionActions(run, row)}
            resetKey={withParams('', params)}
            empty={
                source.unfilteredTotal === 0
                    ? 'This profile has no functions. Enable the profiler before the code runs, and record again.'
                    : 'No function matches the filters. Clear them to see all.'
            }
        />
    );
}
