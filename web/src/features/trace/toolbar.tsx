/* SPDX-License-Identifier: MIT
 *
 * The right half of a table's toolbar: the range, hide, search, export.
 */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Run } from '../../base/answers';
import type { Params } from '../../base/client';
import { useKeys } from '../../base/keys';
import { plural } from '../../base/units';
import { replaceQuery } from '../../base/router';
import { HideField } from '../../components/hide_field';
import { ExportMenu } from '../../components/menu';
import { SearchField } from '../../components/search_field';
import { Spacer, Toolbar } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { type TraceRange, rangeQuery, rangeText } from '../../model/trace_range';
import { rangedPath, useRange } from './data';
import type { TableFilters } from './table';

interface TraceToolbarProps {
    run: Run;
    range: TraceRange | null;
    view: string;
    /** plural noun of the searched rows: 'operators', 'kernels' */
    what: string;
    filters: TableFilters;
    error: string | null;
    params: Params;
    /** Number of rows that pass the filters; null before the first response. */
    shown: number | null;
    /** true: the rows are names, each of many slices */
    rowsAreNames?: boolean;
    /** Switches at the left end. */
    children?: ComponentChildren;
}

export function TraceToolbar(props: TraceToolbarProps) {
    const { run, range, view, what, filters, error, params, shown, rowsAreNames } = props;
    const input = useRef<HTMLInputElement | null>(null);
    useKeys(what, [{ key: '/', label: `search the ${what}`, run: () => input.current?.focus() }]);
    const wide = viewportWidth.value >= 1100;
    return (
        <Toolbar label="view options">
            {props.children}
            <Spacer />
            <RangeNotice />
            {viewportWidth.value >= 900 && (
                <HideField hide={filters.hide} what={what} width={wide ? 120 : 92} />
            )}
            <SearchField
                value={filters.q}
                inputRef={input}
                placeholder={`Search ${what}`}
                hint="/"
                width={wide ? 208 : range ? 112 : 150}
                count={null}
                regex={filters.regex}
                onRegex={(regex) => replaceQuery({ regex: regex ? '1' : null })}
                error={error}
                onInput={(q) => replaceQuery({ q: q || null })}
            />
            {viewportWidth.value >= 1240 && shown !== null && (
                <span class="soft">{plural(shown, rowsAreNames ? 'name' : 'row')}</span>
            )}
            <ExportMenu
                csv={rangedPath(run, view, range, { ...params, format: 'csv' })}
                json={rangedPath(run, view, range, { ...params, format: 'rows' })}
            />
        </Toolbar>
    );
}

/** Note in a toolbar that the tab shows a range, with a button back to the complete run. */
export function RangeNotice() {
    const range = useRange();
    useKeys(
        'Range',
        range
            ? [{ key: '0', label: 'the whole run', run: () => replaceQuery(rangeQuery(null)) }]
            : [],
    );
    if (!range) return null;
    return (
        <span class="range-notice">
            <b>range</b> {rangeText(range)}
            <button
                type="button"
                class="link"
                title="clear range (0)"
                onClick={() => replaceQuery(rangeQuery(null))}
            >
                whole run
            </button>
        </span>
    );
}
