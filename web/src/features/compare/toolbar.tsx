/* SPDX-License-Identifier: MIT
 *
 * Toolbar of a table of one or two groups: metric, search and export.
 */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { ComparedTable, Metric } from '../../base/compare_types';
import { useKeys } from '../../base/keys';
import { int } from '../../base/units';
import { SearchField } from '../../components/search_field';
import { Segmented } from '../../components/segmented';
import { Spacer, Toolbar } from '../../components/toolbar';
import type { readFilters } from '../../model/filter_query';
import type { PagedSource } from '../shared/paged_source';
import { put } from './state';

interface CompareToolbarProps<R> {
    table: ComparedTable;
    metric: Metric;
    source: PagedSource<R>;
    filters: ReturnType<typeof readFilters>;
    error: string | null;
    csv: string;
    /** additional menus */
    children?: ComponentChildren;
}

export function CompareToolbar<R>(props: CompareToolbarProps<R>) {
    const { table, metric, source, filters, error, csv, children } = props;
    const input = useRef<HTMLInputElement | null>(null);
    const what = table.title.toLowerCase();
    useKeys(table.title, [
        { key: '/', label: `search the ${what}`, run: () => input.current?.focus() },
    ]);
    void source.version.value;
    return (
        <Toolbar label="view options">
            {table.metrics.length > 1 && (
                <Segmented
                    label="metric"
                    value={metric.metric}
                    options={table.metrics.map((one) => ({ value: one.metric, text: one.title }))}
                    onChange={(value) =>
                        put({ metric: value === table.metrics[0].metric ? null : value })
                    }
                />
            )}
            {children}
            <span class="soft wide-only">
                {source.ready.value && `${int(source.total)} of ${int(source.of)}`}
            </span>
            <Spacer />
            <SearchField
                value={filters.q}
                inputRef={input}
                placeholder={`Search ${what}`}
                hint="/"
                width={208}
                count={source.total}
                regex={filters.regex}
                onRegex={(regex) => put({ regex: regex ? '1' : null })}
                error={error}
                onInput={(q) => put({ q: q || null })}
            />
            <a class="quiet" href={csv} download="">
                Export CSV
            </a>
        </Toolbar>
    );
}
