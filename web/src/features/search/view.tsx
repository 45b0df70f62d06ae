/* SPDX-License-Identifier: MIT
 *
 * Names in all runs. `#/search?q=` lists names; `#/search?of=&name=&module=`, or a row with
 * `#/search?of=&row=&place=`, the runs that have one.
 */
import { useEffect, useMemo } from 'preact/hooks';
import type { NameHit, NamesAnswer } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { goTo, navigate, route, setQuery } from '../../base/router';
import { int, plural } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { arraySource } from '../../components/grid_types';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { SearchField } from '../../components/search_field';
import { setStatus } from '../../components/status_line';
import { Toolbar } from '../../components/toolbar';
import { fullName, hitHref, hotRowHref, NAME_TABLES, useCoveredJson } from '../shared/name_search';
import { HitShare, SearchProgress, shareText } from './hit';
import { OccurrencesView } from './occurrences';

const MAX_NAMES = 500;

export function SearchView() {
    const { of, name, module = '', row, place } = route.value.query;
    useEffect(() => {
        document.title = 'Search · perfshelf';
        setStatus(
            null,
            'shares are of the total that the tool states, or of the sum of self times',
            null,
        );
    }, []);
    useKeys('Search', [{ key: 'u', label: 'back to the shelf', run: () => navigate([], {}) }]);
    return (
        <main class="report search">
            {of && (name || row) ? (
                <OccurrencesView {...{ of, name, module, row, place }} />
            ) : (
                <NamesView />
            )}
        </main>
    );
}

function NamesView() {
    const { q = '', of = '' } = route.value.query;
    const state = useCoveredJson<NamesAnswer>(
        withParams(`${API}/search`, { q: q.trim(), of, limit: MAX_NAMES }),
    );
    const { data } = state;
    const rows = useMemo(() => data?.rows ?? [], [data]);
    return (
        <>
            <header class="trend-head">
                <h1 class="run-name">Names in runs</h1>
                <p class="trend-answer">
                    {data
                        ? `${plural(data.total, 'name')} among the ${int(data.names_per_run)} hottest of each table of ${plural(data.scanned, 'run')}`
                        : ' '}
                    {data &&
                        data.total > data.rows.length &&
                        `; the first ${int(data.rows.length)}`}
                </p>
                <SearchProgress state={state} />
            </header>
            <Toolbar>
                <SearchField
                    placeholder="Search names"
                    value={q}
                    count={data?.total ?? null}
                    onInput={(text) => setQuery({ q: text }, { replace: true })}
                />
                <select
                    class="field"
                    aria-label="table"
                    value={of}
                    onChange={(event) => setQuery({ of: event.currentTarget.value })}
                >
                    <option value="">All tables</option>
                    {Object.entries(NAME_TABLES).map(([key, title]) => (
                        <option key={key} value={key}>
                            {title}
                        </option>
                    ))}
                </select>
            </Toolbar>
            {data?.total === 0 && !state.loading ? (
                <Notice kind="info" title="No name matches">
                    Names with a share below 0.01 % of their run are not searched.
                </Notice>
            ) : (
                <DataGrid<NameHit>
                    label="names in runs"
                    columns={NAME_COLUMNS}
                    source={arraySource(rows)}
                    rowKey={(hit) => `${hit.of} ${hit.module} ${hit.name}`}
                    onOpen={(hit) => goTo(hitHref(hit))}
                />
            )}
            <LoadingLine active={state.loading} />
        </>
    );
}

const NAME_COLUMNS: GridColumn<NameHit>[] = [
    {
        key: 'name',
        title: 'Name',
        width: 'rest',
        render: (hit) => (
            <a class="row-name mono" href={hitHref(hit)} tabIndex={-1} title={fullName(hit)}>
                {fullName(hit)}
            </a>
        ),
    },
    {
        key: 'of',
        title: 'Table',
        width: 136,
        hideBelow: 700,
        render: ({ of }) => NAME_TABLES[of] ?? of,
    },
    { key: 'runs', title: 'Runs', width: 72, align: 'right', render: ({ runs }) => int(runs) },
    {
        key: 'share',
        title: 'Share',
        unit: '% of run, at most',
        width: 152,
        align: 'right',
        render: (hit) => (
            <span title={shareText(hit)}>
                <HitShare hit={hit} />
            </span>
        ),
    },
    {
        key: 'hottest',
        title: 'Hottest in',
        width: 240,
        hideBelow: 1000,
        render: (hit) => (
            <a class="link ellipsis" href={hotRowHref(hit.hottest, hit.of, hit)} tabIndex={-1}>
                {hit.hottest.name}
            </a>
        ),
    },
];
