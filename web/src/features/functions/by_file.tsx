/* SPDX-License-Identifier: MIT
 *
 * Functions grouped by file: files sorted by tottime, each expandable into its functions.
 */
import { useMemo, useState } from 'preact/hooks';
import type { Page } from '../../base/answers';
import { API, asApiError, getJson, isAbort, withParams } from '../../base/client';
import { useEffectOn, useMemoOn } from '../../base/hooks';
import { route, setQuery } from '../../base/router';
import type { FileRow, FunctionRow } from '../../base/rows';
import { int } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { MarkedName } from '../../components/marked_name';
import { Swatch } from '../../components/origin_legend';
import { ShareBar } from '../../components/share_bar';
import { escapeRegex, originParam } from '../../model/filter_query';
import { functionName, libraryPath, placeText } from '../../model/labels';
import { hiddenSet, type Matcher } from '../../model/search';
import { callsText, functionsPath, isSampled } from '../calls/data';
import { functionActions } from '../calls/function_actions';
import { objectsOf, useHeldValue } from '../shared/paged_source';
import { rowActions } from '../shared/row_actions';
import { setFailedPart, useData } from '../shared/use_json';
import { Seconds } from './columns';
import type { TableProps } from './table';

type Row =
    | { kind: 'file'; key: string; file: FileRow; open: boolean }
    | { kind: 'function'; key: string; fn: FunctionRow };

const MAX_ROWS = 1000;

/** Functions of the expanded files, by file; fetched when a file is expanded. */
function useExpandedFunctions(props: TableProps, open: string[]): Map<string, FunctionRow[]> {
    const { run, filters, search } = props;
    const [lists, setLists] = useState(new Map<string, FunctionRow[]>());
    const hideKey = filters.hide + filters.q + String(filters.regex);
    useEffectOn(() => {
        const control = new AbortController();
        const paths: string[] = [];
        for (const file of open) {
            if (lists.has(file)) continue;
            const path = withParams(functionsPath(run), {
                q: `^${escapeRegex(file)}$`,
                regex: 1,
                sort: 'tottime',
                desc: true,
                limit: MAX_ROWS,
                report: props.report,
            });
            paths.push(path);
            getJson<Page>(path, { signal: control.signal })
                .then((page) => {
                    const rows = objectsOf<FunctionRow>(page).filter((row) => row.file === file);
                    setLists((old) => new Map(old).set(file, rows));
                })
                .catch((reason: unknown) => {
                    if (!isAbort(reason)) setFailedPart(path, asApiError(reason));
                });
        }
        return () => {
            control.abort();
            paths.forEach((path) => setFailedPart(path, null));
        };
    }, [run.id, props.report, open.join('\n')]);
    return useMemoOn(() => {
        const out = new Map<string, FunctionRow[]>();
        for (const [file, rows] of lists) out.set(file, filterRows(rows, search, filters.hide));
        return out;
    }, [lists, search, hideKey]);
}

function filterRows(rows: FunctionRow[], search: Matcher, hide: string): FunctionRow[] {
    const none = new Set<number>();
    const hidden = hiddenSet(
        rows.length,
        [],
        none,
        hide,
        (i) => rows[i].name,
        (i) => rows[i].file,
    );
    return rows.filter((row, i) => !hidden?.[i] && search.test(row.name, row.file));
}

export function FunctionsByFile(props: TableProps) {
    const { run, filters, search, total, selected, onShown } = props;
    const query = route.value.query;
    const desc = query.fdesc !== '0';
    const sort = query.fsort ?? 'tottime_s';
    const path = withParams(`${API}/runs/${run.id}/files`, {
        sort,
        desc,
        limit: MAX_ROWS,
        q: filters.q || undefined,
        regex: filters.regex ? 1 : undefined,
        hide: filters.hide || undefined,
        origin: originParam(filters.off),
        report: props.report,
    });
    const page = useData<Page>(useHeldValue(path, filters.broken));
    const files = useMemo(() => objectsOf<FileRow>(page), [page]);
    const open = useMemo(() => (query.files ?? '').split('\n').filter(Boolean), [query.files]);
    const lists = useExpandedFunctions(props, open);
    useEffectOn(() => onShown(files.reduce((sum, file) => sum + file.functions, 0)), [files]);
    const sampled = isSampled(run);
    const columns = useMemo(() => fileColumns(search, total, sampled), [search, total, sampled]);
    const source = useMemo(() => arraySource(rowsOf(files, open, lists)), [files, open, lists]);

    function toggle(row: Row): void {
        if (row.kind !== 'file') return;
        const next = row.open
            ? open.filter((file) => file !== row.file.file)
            : [...open, row.file.file];
        setQuery({ files: next.join('\n') || null }, { replace: true });
    }
    const hiddenFiles = (page?.total ?? 0) - files.length;
    return (
        <>
            <DataGrid<Row>
                label="Functions by file"
                columns={columns}
                source={source}
                rowKey={(row) => row.key}
                sort={{ key: sort, desc }}
                onSort={(next) =>
                    setQuery({ fsort: next.key, fdesc: next.desc ? '1' : '0' }, { replace: true })
                }
                selected={selected === null ? null : `f${selected}`}
                onSelect={(row) => {
                    if (row.kind === 'function')
                        setQuery(
                            { fn: String(row.fn.id), zoom: null, frame: null },
                            { replace: true },
                        );
                }}
                onOpen={toggle}
                actions={(row) =>
                    row.kind === 'function'
                        ? functionActions(run, row.fn)
                        : rowActions(run, { name: row.file.file, file: row.file.file })
                }
                tree={{
                    column: 'name',
                    depth: (row) => (row.kind === 'file' ? 0 : 1),
                    open: (row) => (row.kind === 'file' ? row.open : null),
                    toggle,
                }}
                resetKey={path}
                empty="No file matches the filters. Clear them to see all."
            />
            {hiddenFiles > 0 && (
                <div class="pane-note">
                    the first {int(files.length)} files; {int(hiddenFiles)} more: filter by name, or
                    see the Files tab
                </div>
            )}
        </>
    );
}

function rowsOf(files: FileRow[], open: string[], lists: Map<string, FunctionRow[]>): Row[] {
    const expanded = new Set(open);
    return files.flatMap((file): Row[] => {
        const isOpen = expanded.has(file.file);
        const head: Row = { kind: 'file', key: file.file, file, open: isOpen };
        const fns = isOpen ? (lists.get(file.file) ?? []) : [];
        return [head, ...fns.map((fn): Row => ({ kind: 'function', key: `f${fn.id}`, fn }))];
    });
}

function fileColumns(search: Matcher, total: number, sampled: boolean): GridColumn<Row>[] {
    const right = { align: 'right' as const, numeric: true };
    const bar = (value: number, tone: 'self' | 'total') => (
        <ShareBar share={total > 0 ? value / total : 0} tone={tone}>
            <Seconds value={value} />
        </ShareBar>
    );
    return [
        {
            key: 'name',
            title: 'file, function',
            width: 'rest',
            sortKey: 'file',
            render: (row) =>
                row.kind === 'file' ? (
                    <span title={row.file.file}>
                        <Swatch origin={row.file.origin} />
                        <span class="mono">
                            <MarkedName
                                text={placeText(libraryPath(row.file.file), 0)}
                                search={search}
                            />
                        </span>
                    </span>
                ) : (
                    <span title={row.fn.name}>
                        <span class="mono">
                            <MarkedName text={functionName(row.fn.name)} search={search} />
                        </span>{' '}
                        <span class="mono soft">{row.fn.line > 0 ? `:${row.fn.line}` : ''}</span>
                    </span>
                ),
        },
        {
            key: 'functions',
            title: 'functions',
            width: 84,
            sortKey: 'functions',
            ...right,
            render: (row) => (row.kind === 'file' ? int(row.file.functions) : ''),
        },
        {
            key: 'ncalls',
            title: sampled ? 'samples' : 'ncalls',
            width: 118,
            sortKey: 'ncalls',
            ...right,
            render: (row) =>
                row.kind === 'file'
                    ? int(row.file.ncalls)
                    : callsText(row.fn.ncalls, row.fn.primitive_calls, int),
        },
        {
            key: 'tottime_s',
            title: 'tottime',
            unit: 's',
            width: 96,
            sortKey: 'tottime_s',
            ...right,
            render: (row) =>
                bar(row.kind === 'file' ? row.file.tottime_s : row.fn.tottime_s, 'self'),
        },
        {
            key: 'cumtime_s',
            title: 'cumtime',
            unit: 's',
            width: 96,
            title_tip: 'functions only: cumtimes do not add up over a file',
            ...right,
            render: (row) => (row.kind === 'file' ? '' : bar(row.fn.cumtime_s, 'total')),
        },
    ];
}
