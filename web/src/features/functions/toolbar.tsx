/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { replaceQuery, route } from '../../base/router';
import { int } from '../../base/units';
import { HideField } from '../../components/hide_field';
import { ExportMenu, Menu } from '../../components/menu';
import { OriginMenu } from '../../components/origin_menu';
import { SearchField } from '../../components/search_field';
import { Segmented } from '../../components/segmented';
import { Spacer, Toolbar } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { type Filters, originParam, readSort } from '../../model/filter_query';
import { ORIGINS } from '../../model/tint';
import { functionsPath, pstatsOf } from '../calls/data';
import { SORT_KEYS } from './columns';

const ORIGINS_NOT_OWN = ORIGINS.filter((origin) => origin !== 'own').join();

/** Request parameters of the table; exports use the same. */
export function functionParams(filters: Filters) {
    const sort = readSort(route.value.query, 'cumulative', true);
    return {
        sort: sort.key,
        desc: sort.desc,
        q: filters.q || undefined,
        regex: filters.regex ? 1 : undefined,
        hide: filters.hide || undefined,
        origin: originParam(filters.off),
    };
}

interface ToolbarProps {
    run: Run;
    filters: Filters;
    error: string | null;
    /** number of rows that pass the filter; null until the first response */
    shown: number | null;
    /** Only for a printed table: its number of functions, its report number, and the menu to select
     * another table. */
    total?: number;
    report?: number;
    picker?: ComponentChildren;
}

export function FunctionsToolbar(props: ToolbarProps) {
    const { run, filters, error, shown, report } = props;
    const input = useRef<HTMLInputElement | null>(null);
    const query = route.value.query;
    const grouped = query.group === 'file';
    const isOwnOnly = [...filters.off].join() === ORIGINS_NOT_OWN;
    useKeys('Functions', [
        { key: '/', label: 'search the functions', run: () => input.current?.focus() },
        {
            key: 'm',
            label: 'only my code, or all',
            run: () => replaceQuery({ off: isOwnOnly ? null : ORIGINS_NOT_OWN }),
        },
    ]);
    const total = props.total ?? pstatsOf(run).functions;
    const count = shown === null || shown === total ? int(total) : `${int(shown)} of ${int(total)}`;
    const params = { ...functionParams(filters), report };
    const path = functionsPath(run);
    const wide = viewportWidth.value >= 1100;
    return (
        <Toolbar label="view options">
            {props.picker}
            <Segmented
                label="which functions"
                value={
                    grouped ? 'file' : isOwnOnly ? 'mine' : filters.off.size === 0 ? 'all' : null
                }
                options={[
                    { value: 'all', text: 'All' },
                    { value: 'mine', text: 'Only my code', tip: 'own functions only (m)' },
                    { value: 'file', text: 'Group by file' },
                ]}
                onChange={(value) => {
                    if (value === 'file') replaceQuery({ group: 'file' });
                    else
                        replaceQuery({
                            group: null,
                            off: value === 'mine' ? ORIGINS_NOT_OWN : null,
                        });
                }}
            />
            <OriginMenu
                shares={ORIGINS.map((origin) => ({ origin, share: null }))}
                base="of total"
                off={filters.off}
            />
            {wide && !grouped && !props.picker && <SortMenu />}
            <Spacer />
            {(!props.picker || viewportWidth.value >= 1000) && (
                <HideField hide={filters.hide} what="functions" width={wide ? 120 : 92} />
            )}
            <SearchField
                value={filters.q}
                inputRef={input}
                placeholder="Filter by name or file"
                hint="/"
                width={wide ? 220 : 150}
                regex={filters.regex}
                onRegex={(regex) => replaceQuery({ regex: regex ? '1' : null })}
                error={error}
                count={null}
                onInput={(q) => replaceQuery({ q: q || null })}
            />
            {viewportWidth.value >= 1000 && (
                <span class="soft">
                    {count} {total === 1 ? 'function' : 'functions'}
                </span>
            )}
            <ExportMenu
                csv={withParams(path, { ...params, format: 'csv' })}
                json={withParams(path, { ...params, format: 'rows' })}
            />
        </Toolbar>
    );
}

/** Menu of the sort keys of `python -m pstats`, for users who know those keys. */
function SortMenu() {
    const sort = readSort(route.value.query, 'cumulative', true);
    const known = SORT_KEYS.find(({ key }) => key === sort.key);
    const reversed = known && known.desc !== sort.desc ? ', reversed' : '';
    return (
        <Menu
            class="quiet"
            tip="the sort keys of pstats"
            label={
                <>
                    sorted by {known?.description ?? 'percall'}
                    {reversed}
                    {known && (
                        <>
                            , as <span class="mono">-s {known.label}</span>
                        </>
                    )}{' '}
                    ▾
                </>
            }
            items={SORT_KEYS.map(({ key, label, description, desc }) => ({
                text: label,
                note: description,
                checked: key === sort.key,
                onPick: () => replaceQuery({ sort: key, desc: desc ? '1' : '0' }),
            }))}
        />
    );
}
