/* SPDX-License-Identifier: MIT
 *
 * The ledger of a file: read = stored + repaired + rejected + other, and a row for every repaired
 * or rejected record, with its position.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useEffectOn, useMemoOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { route, setQuery } from '../../base/router';
import type { NoteRow as Note } from '../../base/rows';
import { bytesText, int } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { ExportMenu } from '../../components/menu';
import { SearchField } from '../../components/search_field';
import { Spacer, Toolbar } from '../../components/toolbar';
import { PHONE_PX } from '../../components/viewport';
import { pagedSource } from '../shared/paged_source';
import { ledgerIdentity } from './ledger_text';

const COLUMNS: GridColumn<Note>[] = [
    {
        key: 'severity',
        title: 'Severity',
        width: 108,
        sortKey: 'severity',
        render: ({ severity }) => (
            <span class={severity === 'rejected' || severity === 'repaired' ? 'warn' : 'soft'}>
                {severity}
            </span>
        ),
    },
    {
        key: 'byte_offset',
        title: 'At byte',
        width: 112,
        align: 'right',
        sortKey: 'byte_offset',
        numeric: true,
        hideBelow: PHONE_PX,
        render: ({ byte_offset }) => (byte_offset === null ? '–' : int(byte_offset)),
    },
    {
        key: 'line',
        title: 'Line',
        width: 88,
        align: 'right',
        sortKey: 'line',
        numeric: true,
        hideBelow: PHONE_PX,
        render: ({ line }) => (line === null ? '–' : int(line)),
    },
    {
        key: 'what',
        title: 'Note',
        width: 'rest',
        sortKey: 'what',
        render: ({ what }) => <span title={what}>{what}</span>,
    },
];

export function LedgerTab({ run }: { run: Run }) {
    const { query } = route.value;
    const path = `${API}/runs/${run.id}/notes`;
    const params = { q: query.q, sort: query.sort, desc: query.sort ? query.desc === '1' : null };
    const source = useMemoOn(() => pagedSource<Note>(path, params), [path]);
    useEffect(() => () => source.dispose(), [source]);
    useEffectOn(() => source.setParams(params), [source, query.q, query.sort, query.desc]);
    const version = source.version.value;
    const search = useRef<HTMLInputElement | null>(null);
    useKeys('Ledger', [{ key: '/', label: 'search', run: () => search.current?.select() }]);
    const link = (format: string) => withParams(path, { ...params, format });
    const sum = `sha256 ${run.sha256}`;
    return (
        <div class="tab-view">
            <Toolbar label="ledger">
                <span>{ledgerIdentity(run.ledger)}</span>
                <Spacer />
                <SearchField
                    placeholder="Search the notes"
                    hint="/"
                    inputRef={search}
                    value={query.q ?? ''}
                    count={source.ready.value && version >= 0 ? source.total : null}
                    onInput={(q) => setQuery({ q }, { replace: true })}
                />
                <ExportMenu csv={link('csv')} json={link('rows')} />
            </Toolbar>
            <div class="ledger-source">
                <span>file size {bytesText(run.bytes)}</span>
                <span class="wide-only">stored size {bytesText(run.db_bytes)}</span>
                <span class="mono ellipsis" title={sum}>
                    {sum}
                </span>
                <CopyButton text={run.sha256} />
            </div>
            <DataGrid<Note>
                label="repaired and rejected records"
                columns={COLUMNS}
                source={source}
                rowKey={(note) => note.id}
                sort={query.sort ? { key: query.sort, desc: query.desc === '1' } : undefined}
                onSort={({ key, desc }) => setQuery({ sort: key, desc: desc ? '1' : '0' })}
                resetKey={`${query.q} ${query.sort} ${query.desc}`}
                empty={emptyText(run, query.q)}
            />
        </div>
    );
}

function emptyText(run: Run, q: string | undefined): string {
    if (q) return 'No note matches the search.';
    const { read, unit } = run.ledger;
    return `Nothing to report: each of the ${int(read)} ${unit} was read without repair.`;
}
