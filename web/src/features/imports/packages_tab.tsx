/* SPDX-License-Identifier: MIT
 *
 * The Packages tab: every package in a table, the largest as bars. Each package has two times: its
 * self time (exclusive), and the cumulative time of its topmost modules (inclusive).
 */
import { useMemo, useRef } from 'preact/hooks';
import type { Page, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { navigate, replaceQuery, route } from '../../base/router';
import type { PackageRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { THIN_SPACE, formatFixed, int, pct, plural } from '../../base/units';
import { DataGrid, type GridColumn } from '../../components/data_grid';
import { HideField } from '../../components/hide_field';
import { MarkedName } from '../../components/marked_name';
import { ExportMenu } from '../../components/menu';
import { Swatch } from '../../components/origin_legend';
import { OriginMenu } from '../../components/origin_menu';
import { SearchField } from '../../components/search_field';
import { ShareBar } from '../../components/share_bar';
import { Num } from '../../components/text';
import { PaneHead, Spacer, Toolbar } from '../../components/toolbar';
import { originParam, readFilters, readSort } from '../../model/filter_query';
import { type Matcher, matcher } from '../../model/search';
import { ORIGINS } from '../../model/tint';
import { useHeldValue, useSource } from '../shared/paged_source';
import { useData } from '../shared/use_json';
import { Bars } from './bars';
import { summaryOf } from './data';
import { packageActions, packageQuery } from './module_actions';
import { packagesOf } from './packages_pane';

const MAX_BARS = 24;
interface Bases {
    /** µs: Σ self is the base of the exclusive share, the total time that of the inclusive share */
    self: number;
    total: number;
}

export function PackagesTab({ run }: { run: Run }) {
    const query = route.value.query;
    const filters = readFilters(query);
    const search = useMemo(() => matcher(filters.q, filters.regex), [filters.q, filters.regex]);
    const sort = readSort(query, 'self_us', true);
    const params = {
        sort: sort.key,
        desc: sort.desc,
        q: filters.q || undefined,
        regex: filters.regex ? 1 : undefined,
        hide: filters.hide || undefined,
        origin: originParam(filters.off),
    };
    const path = `${API}/runs/${run.id}/packages`;
    const source = useSource<PackageRow>(path, params, filters.broken);
    const { self_us, total_us } = basesOf(run);
    const columns = useMemo(
        () => packageColumns(search, { self: self_us, total: total_us }),
        [search, self_us, total_us],
    );
    const shown = source.total;
    return (
        <div class="tab-body">
            <PackagesToolbar run={run} error={search.error} count={shown} />
            <div class="panes">
                <section class="pane pane-main">
                    <PaneHead
                        title={LABELS.packages}
                        remark={countText(shown, source.unfilteredTotal)}
                    >
                        <ExportMenu
                            csv={withParams(path, { ...params, format: 'csv' })}
                            json={withParams(path, { ...params, format: 'rows' })}
                        />
                    </PaneHead>
                    <DataGrid<PackageRow>
                        label={LABELS.packages}
                        columns={columns}
                        source={source}
                        rowKey={(row) => row.package}
                        sort={sort}
                        onSort={({ key, desc }) =>
                            replaceQuery({ sort: key, desc: desc ? '1' : '0' })
                        }
                        selected={query.package ?? null}
                        onSelect={(row) => replaceQuery({ package: row.package })}
                        onOpen={(row) => openPackage(run, row.package)}
                        actions={(row) => packageActions(run, row.package, row.origin)}
                        resetKey={withParams('', params)}
                        empty="No package matches the filters. Clear them to see all."
                    />
                </section>
                <PackageBars run={run} path={path} params={params} total={total_us} />
            </div>
        </div>
    );
}

/** Bases of the shares, µs; 0 for no base: negative self times (of several threads) make shares
 * meaningless. */
function basesOf(run: Run): { self_us: number; total_us: number } {
    const { self_us, total_us, negative_self } = summaryOf(run);
    return negative_self > 0 ? { self_us: 0, total_us: 0 } : { self_us, total_us };
}

function countText(shown: number, of: number): string {
    return shown === of ? int(of) : `${int(shown)} of ${int(of)}`;
}

/** Shows the modules of a package on the Imports tab, as hits of a search. */
function openPackage(run: Run, name: string): void {
    navigate(['run', run.id, 'imports'], packageQuery(name));
}

function PackagesToolbar({ run, error, count }: { run: Run; error: string | null; count: number }) {
    const input = useRef<HTMLInputElement | null>(null);
    const filters = readFilters(route.value.query);
    const { total_us, self_us, negative_self } = summaryOf(run);
    useKeys('Packages', [
        { key: '/', label: 'search the packages', run: () => input.current?.focus() },
        {
            key: 'Escape',
            label: 'clear selection',
            run: () => replaceQuery({ package: null }),
        },
    ]);
    const seconds = (us: number): string => `${formatFixed(us / 1e6, 3)}${THIN_SPACE}s`;
    return (
        <Toolbar label="view options">
            <OriginMenu
                shares={ORIGINS.map((origin) => ({ origin, share: null }))}
                base="of Σ self"
                off={filters.off}
            />
            <span class="soft toolbar-remark">
                {negative_self > 0
                    ? 'no shares: several threads made self times negative'
                    : `self time in percent of Σ self ${seconds(self_us)}, inclusive time of total ${seconds(total_us)}; nested packages count once`}
            </span>
            <Spacer />
            <HideField hide={filters.hide} what="packages" width={120} />
            <SearchField
                value={filters.q}
                inputRef={input}
                placeholder="Search packages"
                hint="/"
                width={200}
                count={count}
                regex={filters.regex}
                onRegex={(regex) => replaceQuery({ regex: regex ? '1' : null })}
                error={error}
                onInput={(q) => replaceQuery({ q: q || null })}
            />
        </Toolbar>
    );
}

function packageColumns(search: Matcher, bases: Bases): GridColumn<PackageRow>[] {
    return [
        {
            key: 'package',
            title: 'Package',
            width: 'rest',
            sortKey: 'package',
            render: (row) => (
                <span title={row.package}>
                    <Swatch origin={row.origin} />
                    <span class="mono">
                        <MarkedName text={row.package} search={search} />
                    </span>
                </span>
            ),
        },
        ...numberColumns(bases),
        {
            key: 'first_importer',
            title: LABELS.firstImporter,
            width: 190,
            sortKey: 'first_importer',
            hideBelow: 1000,
            cellClass: 'is-mono',
            render: (row) =>
                row.first_importer === null ? (
                    <span class="zero">–</span>
                ) : (
                    <span class="soft" title={row.first_importer}>
                        {row.first_importer}
                    </span>
                ),
        },
    ];
}

function numberColumns(bases: Bases): GridColumn<PackageRow>[] {
    const right = { align: 'right' as const, numeric: true };
    const percentText = (us: number, base: number): string =>
        base > 0 ? pct((100 * us) / base) : '–';
    const timeBar = (us: number, base: number, tone: 'self' | 'total') => (
        <ShareBar share={base > 0 ? us / base : 0} tone={tone}>
            <Num value={us / 1000} decimals={3} />
        </ShareBar>
    );
    return [
        {
            key: 'modules',
            title: LABELS.modules,
            width: 80,
            sortKey: 'modules',
            ...right,
            render: (row) => int(row.modules),
        },
        {
            key: 'self_us',
            title: 'Self',
            term: 'self-time',
            unit: 'ms',
            width: 104,
            sortKey: 'self_us',
            title_tip: 'Sum of the self times of its modules.',
            ...right,
            render: (row) => timeBar(row.self_us, bases.self, 'self'),
        },
        {
            key: 'self_pct',
            title: 'Self',
            unit: '% Σ self',
            width: 92,
            align: 'right',
            render: (row) => percentText(row.self_us, bases.self),
        },
        {
            key: 'inclusive_us',
            title: 'Inclusive',
            unit: 'ms',
            width: 112,
            sortKey: 'inclusive_us',
            title_tip:
                'Cumulative time of the package. A module that another module of the package imports is counted once.',
            ...right,
            render: (row) => timeBar(row.inclusive_us, bases.total, 'total'),
        },
        {
            key: 'inclusive_pct',
            title: 'Incl.',
            unit: '% total',
            width: 100,
            align: 'right',
            render: (row) => percentText(row.inclusive_us, bases.total),
        },
    ];
}

interface BarsPaneProps {
    run: Run;
    path: string;
    params: Record<string, string | number | boolean | undefined>;
    total: number;
}

function PackageBars({ run, path, params, total }: BarsPaneProps) {
    const by = route.value.query.sort === 'inclusive_us' ? 'inclusive_us' : 'self_us';
    const top = withParams(path, { ...params, sort: by, desc: true, limit: MAX_BARS });
    const data = useData<Page>(useHeldValue(top, readFilters(route.value.query).broken));
    const rows = useMemo(() => packagesOf(data), [data]);
    const items = useMemo(() => {
        const share = (us: number): number => (total > 0 ? (100 * Math.max(0, us)) / total : 0);
        return rows.map((row) => ({
            label: row.package,
            origin: row.origin,
            selfPct: share(row.self_us),
            inclusivePct: share(row.inclusive_us),
        }));
    }, [rows, total]);
    const selected = rows.findIndex((row) => row.package === route.value.query.package);
    return (
        <section class="pane pane-bars">
            <PaneHead
                title={`Top ${rows.length}`}
                remark={by === 'self_us' ? 'by self time' : 'by inclusive time'}
            >
                <span class="package-key soft">
                    <i class="key-self" /> self <i class="key-inclusive" /> inclusive, % of total
                </span>
            </PaneHead>
            {total <= 0 ? (
                <p class="report-empty">No shares: this log has no total.</p>
            ) : (
                <div class="bars-scroll">
                    <Bars
                        label="Share of the largest packages in percent of total"
                        items={items}
                        selected={selected}
                        onPick={(i) => replaceQuery({ package: rows[i].package })}
                        tip={(i) => <PackageTip run={run} row={rows[i]} />}
                    />
                </div>
            )}
        </section>
    );
}

function PackageTip({ run, row }: { run: Run; row: PackageRow }) {
    const { self_us, total_us } = basesOf(run);
    const msText = (us: number): string => `${formatFixed(us / 1000, 3)}${THIN_SPACE}ms`;
    const percentText = (us: number, base: number): string =>
        base > 0 ? `${pct((100 * us) / base)}${THIN_SPACE}%` : '–';
    return (
        <>
            <div class="tooltip-title">{row.package}</div>
            <dl>
                <dt>self</dt>
                <dd>{msText(row.self_us)}</dd>
                <dd>{percentText(row.self_us, self_us)} of Σ self</dd>
                <dt>inclusive</dt>
                <dd>{msText(row.inclusive_us)}</dd>
                <dd>{percentText(row.inclusive_us, total_us)} of total</dd>
            </dl>
            <div class="tooltip-foot tip-small">
                {row.origin} · {plural(row.modules, 'module')} · first imported by{' '}
                {row.first_importer ?? 'the program itself'}
            </div>
        </>
    );
}
