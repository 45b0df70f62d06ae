/* SPDX-License-Identifier: MIT
 *
 * Modules below the icicle: a flat table that the server sorts and filters, or the tree.
 */
import type { Page, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useMemoOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { formatHash, navigate, replaceQuery, route } from '../../base/router';
import { LABELS } from '../../base/terms';
import { THIN_SPACE, formatFixed, int, pct } from '../../base/units';
import type { GridSort } from '../../components/data_grid';
import { ExportMenu, Menu } from '../../components/menu';
import { Segmented } from '../../components/segmented';
import { PaneHead } from '../../components/toolbar';
import { type Filters, originParam, readSort } from '../../model/filter_query';
import type { Matcher } from '../../model/search';
import { type ShareBase, importColumns } from './columns';
import type { ImportData } from './data';
import { ImportsFlat } from './flat';
import { ImportsTree } from './tree';

export interface ModulesProps {
    run: Run;
    data: ImportData;
    filters: Filters;
    search: Matcher;
    found: Uint8Array | null;
    hidden: Uint8Array | null;
    by: 'self' | 'cumulative';
    /** index of the node, or -1 */
    selected: number;
}

export function ImportsModules(props: ModulesProps) {
    const { run, data, filters, search, by, selected } = props;
    const query = route.value.query;
    const tree = query.table === 'tree';
    const onlyHits = query.only === '1' && !search.empty;
    const sort = readSort(query, tree ? 'cumulative_us' : 'self_us', true);
    const base = shareBase(query.pct ?? 'total', data, selected);
    const columns = useMemoOn(
        () => importColumns({ search, maxSelf: data.maxSelf, base, serverSorted: !tree }),
        [search, data, base.us, base.unit, tree],
    );
    const params = {
        sort: sort.key,
        desc: sort.desc,
        q: onlyHits ? filters.q : undefined,
        regex: onlyHits && filters.regex ? 1 : undefined,
        hide: filters.hide || undefined,
        origin: originParam(filters.off),
        min_us: filters.min ? Math.round(filters.min * 1000) : undefined,
        by: filters.min ? by : undefined,
    };
    const path = `${API}/runs/${run.id}/imports`;
    const onSort = ({ key, desc }: GridSort): void =>
        replaceQuery({ sort: key, desc: desc ? '1' : '0' });
    const shared = { ...props, columns, sort, onSort, onlyHits };
    useKeys('Modules', [
        {
            key: 'i',
            label: 'who imports the selected module',
            run: () => {
                const module = selected >= 0 ? String(data.ids[selected]) : null;
                if (module) navigate(['run', run.id, 'who-imports'], { module });
            },
        },
    ]);
    return (
        <section class="pane pane-main">
            {tree ? (
                <ImportsTree {...shared} head={head} />
            ) : (
                <ImportsFlat {...shared} path={path} params={params} head={head} />
            )}
        </section>
    );

    function head(shown: number, sums: Page['sums'] | null) {
        return (
            <PaneHead title={LABELS.modules} remark={remarkText(data, filters, by, shown, sums)}>
                {selected >= 0 && (
                    <a
                        class="quiet"
                        href={formatHash(['run', run.id, 'who-imports'], {
                            module: String(data.ids[selected]),
                        })}
                        title={`who imports ${data.tree.frames.name[selected]}, and what it imports (i)`}
                    >
                        Who imports it
                    </a>
                )}
                {!search.empty && (
                    <Segmented
                        label="rows"
                        value={onlyHits ? 'hits' : 'all'}
                        options={[
                            { value: 'all', text: 'All rows' },
                            { value: 'hits', text: 'Hits' },
                        ]}
                        onChange={(rows) => replaceQuery({ only: rows === 'hits' ? '1' : null })}
                    />
                )}
                <Segmented
                    label="table layout"
                    value={tree ? 'tree' : 'flat'}
                    options={[
                        { value: 'flat', text: 'Flat' },
                        { value: 'tree', text: 'Tree' },
                    ]}
                    onChange={(table) => replaceQuery({ table: table === 'tree' ? 'tree' : null })}
                />
                <BaseMenu base={query.pct ?? 'total'} data={data} selected={selected} />
                <ExportMenu
                    csv={withParams(path, { ...params, format: 'csv' })}
                    json={withParams(path, { ...params, format: 'rows' })}
                />
            </PaneHead>
        );
    }
}

function remarkText(
    data: ImportData,
    filters: Filters,
    by: string,
    shown: number,
    sums: Page['sums'] | null,
): string {
    const all = data.tree.n + data.tree.cut;
    const count = shown === all ? int(all) : `${int(shown)} of ${int(all)}`;
    const limit = filters.min ? ` with ${by} ≥ ${filters.min}${THIN_SPACE}ms` : '';
    const share = sums?.self_pct_of_all;
    const part =
        shown !== all && share != null ? `, together ${pct(share)}${THIN_SPACE}% of Σ self` : '';
    return count + limit + part;
}

/** Base (100 %) of the share column. */
export function shareBase(base: string, data: ImportData, selected: number): ShareBase {
    if (base === 'self') {
        return {
            us: data.sumSelf,
            unit: data.hasNegativeSelf ? '% Σ > 0' : '% Σ self',
            tip: `self time in percent of ${data.sumName}`,
        };
    }
    if (base === 'sel' && selected >= 0) {
        return {
            us: data.tree.cumulative[selected],
            unit: '% of sel.',
            tip: `self time in percent of the cumulative time of ${data.tree.frames.name[selected]}`,
        };
    }
    return {
        us: data.total,
        unit: data.hasNegativeSelf ? '% Σ > 0' : '% total',
        tip: `self time in percent of ${data.totalName}`,
    };
}

function BaseMenu({ base, data, selected }: { base: string; data: ImportData; selected: number }) {
    const msText = (us: number): string => `${formatFixed(us / 1000, 3)}${THIN_SPACE}ms`;
    const items = [
        {
            text: `of ${data.totalName}`,
            note: msText(data.total),
            checked: base === 'total',
            onPick: () => replaceQuery({ pct: null }),
        },
        ...(data.hasNegativeSelf
            ? []
            : [
                  {
                      text: 'of Σ self',
                      note: msText(data.sumSelf),
                      checked: base === 'self',
                      onPick: () => replaceQuery({ pct: 'self' }),
                  },
              ]),
        {
            text:
                selected >= 0 ? `of ${data.tree.frames.name[selected]}` : 'of the selected module',
            note: selected >= 0 ? msText(data.tree.cumulative[selected]) : 'select one first',
            checked: base === 'sel',
            onPick: () => replaceQuery({ pct: 'sel' }),
        },
    ];
    const baseName = { self: data.sumName, sel: 'selected' }[base] ?? data.totalName;
    return (
        <Menu
            class="quiet"
            align="right"
            label={`% of ${baseName} ▾`}
            tip="base of the percentages"
            items={items}
        />
    );
}
