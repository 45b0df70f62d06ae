/* SPDX-License-Identifier: MIT
 *
 * Two rooflines: operators with equal shapes in both runs, and how far each is from its limit. URL:
 * by=operator, per=call, both=1 (only rows of both runs), row (selected), q, regex, sort, desc.
 */
import { useMemo, useRef } from 'preact/hooks';
import type { Comparison, Roofline } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { pushQuery, replaceQuery, route } from '../../base/router';
import { int, plural } from '../../base/units';
import { CheckBox } from '../../components/check_box';
import type { GridHandle } from '../../components/grid_types';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Says } from '../../components/says';
import { SearchField } from '../../components/search_field';
import { Segmented } from '../../components/segmented';
import { Spacer, Toolbar } from '../../components/toolbar';
import { readFilters } from '../../model/filter_query';
import type { Both } from '../../model/inference_diff';
import type { RooflineBy } from '../../model/roofline';
import {
    isShared,
    knowsLimits,
    matchesDiff,
    peaksText,
    type RooflineDiff,
    rooflineDiffs,
    rooflineDiffSays,
    type RooflinePer,
    sortRooflineDiffs,
} from '../../model/roofline_diff';
import { NO_SEARCH } from '../../model/search';
import { tabKeys } from '../shared/tab_list';
import { useJson } from '../shared/use_json';
import { viewPath } from '../trace/data';
import { PerSwitch } from './per_switch';
import { RooflinePane } from './roofline_pane';
import { RooflineDiffTable, rooflineSort } from './roofline_table';
import { useSearch } from './rows';
import { sidePaneWidth } from './side_pane';
import { perOf } from './state';

export const ROOFLINE_TAB = 'roofline';

/** Whether both sides are one run with device work and shapes. */
export const hasRooflines = ({ base, new: fresh }: Comparison): boolean =>
    [base, fresh].every((runs) => runs.length === 1 && tabKeys(runs[0]).includes('roofline'));

/* The table whose switch decides whether times are of the run or of a call. Per step is not offered:
 * the device work of a step may start after the step. */
function switchedTable({ tables }: Comparison) {
    const table = tables.find(({ of }) => of === 'operators');
    return table && { ...table, per: ['run' as const, 'call' as const] };
}

function useShownRows(all: RooflineDiff[]): RooflineDiff[] {
    const { query } = route.value;
    const search = useSearch();
    const { broken } = readFilters(query);
    const { key, desc } = rooflineSort();
    return useMemo(() => {
        const shown = all.filter(
            (row) => (query.both !== '1' || isShared(row)) && (broken || matchesDiff(row, search)),
        );
        return sortRooflineDiffs(shown, { key, desc });
    }, [all, query.both, search, broken, key, desc]);
}

function PeaksRemark({ runs }: { runs: Both<Roofline> }) {
    const peaks = peaksText(runs);
    const isMixed = runs.base.peaks?.name !== runs.new.peaks?.name;
    const sources = (['base', 'new'] as const)
        .map(
            (side) =>
                `${side}: ${runs[side].device}, ${runs[side].peaks?.source ?? 'peaks are not known'}`,
        )
        .join('\n');
    return (
        <span class={`soft${isMixed ? '' : ' wide-only'}`} title={sources}>
            {peaks ? `Peaks ${peaks}` : ''}
        </span>
    );
}

interface OperatorsProps {
    comparison: Comparison;
    runs: Both<Roofline>;
}

function Operators({ comparison, runs }: OperatorsProps) {
    const { query } = route.value;
    const by: RooflineBy = query.by === 'operator' ? 'operator' : 'shape';
    const table = switchedTable(comparison);
    const per: RooflinePer = table && perOf(table, query) === 'call' ? 'call' : 'run';
    const { q, regex } = readFilters(query);
    const search = useSearch();
    const byShape = useMemo(() => rooflineDiffs(runs, 'shape'), [runs]);
    const all = useMemo(() => rooflineDiffs(runs, by, per), [runs, by, per]);
    const rows = useShownRows(all);
    const selected = all.find(({ key }) => key === query.row) ?? null;
    const grid = useRef<GridHandle | null>(null);
    const input = useRef<HTMLInputElement | null>(null);
    const close = (): void => replaceQuery({ row: null });
    const [first, second] = useMemo(() => rooflineDiffSays(runs, byShape), [runs, byShape]);
    useKeys('Roofline', [
        { key: 'Escape', label: 'close the row', run: close },
        { key: '/', label: 'search the operators', run: () => input.current?.focus() },
    ]);
    const omitted = runs.base.omitted + runs.new.omitted;
    return (
        <>
            <Says first={first} second={second} />
            <Toolbar label="roofline">
                <Segmented<RooflineBy>
                    label="rows"
                    value={by}
                    options={[
                        {
                            value: 'shape',
                            text: 'by operator and shape',
                            tip: 'rows have equal names, shapes and types',
                        },
                        {
                            value: 'operator',
                            text: 'by operator',
                            tip: 'rows have equal names and types',
                        },
                    ]}
                    onChange={(next) =>
                        replaceQuery({ by: next === 'shape' ? null : next, row: null })
                    }
                />
                {table && <PerSwitch table={table} />}
                <label>
                    <CheckBox
                        label="only rows of both runs"
                        checked={query.both === '1'}
                        onChange={(checked) => replaceQuery({ both: checked ? '1' : null })}
                    />
                    {' only in both'}
                </label>
                <span class="soft wide-only">
                    {rows.length === all.length
                        ? plural(all.length, 'row')
                        : `${int(rows.length)} of ${plural(all.length, 'row')}`}
                    {omitted > 0 && `; ${plural(omitted, 'smaller row')} omitted`}
                </span>
                <Spacer />
                <PeaksRemark runs={runs} />
                <SearchField
                    value={q}
                    inputRef={input}
                    placeholder="Search operators"
                    hint="/"
                    width={208}
                    count={rows.length}
                    regex={regex}
                    onRegex={(next) => replaceQuery({ regex: next ? '1' : null })}
                    error={search.error}
                    onInput={(next) => replaceQuery({ q: next || null })}
                />
            </Toolbar>
            <div class="panes">
                <section class="pane pane-main">
                    <RooflineDiffTable
                        {...{ comparison, rows }}
                        columns={{
                            by,
                            most: Math.max(1, ...all.map(({ delta }) => Math.abs(delta))),
                            per,
                            hasLimits: knowsLimits(runs),
                            search: search.error === null ? search : NO_SEARCH,
                            paneWidth: selected ? sidePaneWidth() : 0,
                        }}
                        selected={selected?.key ?? null}
                        onSelect={(row) => pushQuery({ row })}
                        handle={grid}
                        empty={
                            all.length > 0
                                ? 'No operator matches.'
                                : 'No operator launched device work.'
                        }
                    />
                </section>
                {selected && (
                    <RooflinePane {...{ comparison, by, per }} row={selected} onClose={close} />
                )}
            </div>
        </>
    );
}

export function RooflineComparison({ comparison }: { comparison: Comparison }) {
    const base = useJson<Roofline>(viewPath(comparison.base[0], 'roofline'));
    const fresh = useJson<Roofline>(viewPath(comparison.new[0], 'roofline'));
    const error = base.error ?? fresh.error;
    const runs = useMemo(
        () => (base.data && fresh.data ? { base: base.data, new: fresh.data } : null),
        [base.data, fresh.data],
    );
    return (
        <div class="tab-body">
            {error && <Notice kind="error" title="The rooflines could not be read" error={error} />}
            {runs && <Operators comparison={comparison} runs={runs} />}
            <LoadingLine active={base.loading || fresh.loading} />
        </div>
    );
}
