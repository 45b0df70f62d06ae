/* SPDX-License-Identifier: MIT
 *
 * Two memory snapshots at their peaks, at their ends or at chosen events: one flame graph, the stacks
 * as a table, and the way from base to new.
 */
import { useMemo, useRef } from 'preact/hooks';
import type { Comparison, SnapshotComparison, SnapshotDiffRow } from '../../base/answers';
import { useEffectOn, useLayoutEffectOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { replaceQuery, route } from '../../base/router';
import { bytesText, int, plural } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import type { GridHandle } from '../../components/grid_types';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { SearchField } from '../../components/search_field';
import { Segmented } from '../../components/segmented';
import { setStatus } from '../../components/status_line';
import { Spacer, Toolbar } from '../../components/toolbar';
import { ledgerOf } from '../../model/compare';
import { readFilters } from '../../model/filter_query';
import { matcher, NO_SEARCH } from '../../model/search';
import { diffSums, stackKey } from '../../model/snapshot_diff';
import type { Answer } from '../shared/use_json';
import { DiffLegend } from './picture';
import { PictureBox } from './side_pane';
import { type Moment, selectStackKey } from './snapshot_data';
import { SnapshotEvents } from './snapshot_events';
import { SnapshotDiffFlame } from './snapshot_flame';
import { SnapshotPane } from './snapshot_pane';
import { csvOf, SnapshotTable, useShownRows } from './snapshot_table';

interface SnapshotViewProps {
    comparison: Comparison;
    answer: Answer<SnapshotComparison>;
    moment: Moment;
    /** Shows only stacks that one run lacks. */
    onlyChanges: boolean;
}

export function SnapshotView(props: SnapshotViewProps) {
    const { data, error, loading } = props.answer;
    return (
        <>
            {data && (
                <SnapshotEvents
                    comparison={props.comparison}
                    diff={data}
                    hasEvents={props.moment === 'events'}
                />
            )}
            {error && (
                <Notice kind="error" title="The snapshots cannot be compared" error={error} />
            )}
            {data && !error && <SnapshotBody {...props} diff={data} />}
            <LoadingLine active={loading} />
        </>
    );
}

const MOMENT_TITLES: Record<Moment, string> = {
    peak: 'Live at the peaks',
    end: 'Live at the end',
    events: 'Live at the events',
};

function SnapshotBody({
    comparison,
    diff,
    moment,
    onlyChanges,
}: SnapshotViewProps & { diff: SnapshotComparison }) {
    const { query } = route.value;
    const { q, regex, broken } = readFilters(query);
    const match = useMemo(() => matcher(q, regex), [q, regex]);
    const search = q && !broken ? match : null;
    const rows = useShownRows(diff, onlyChanges, search);
    const selected = query.s ?? null;
    const grid = useRef<GridHandle | null>(null);
    const input = useRef<HTMLInputElement | null>(null);
    const moveBy = (by: 1 | -1): void => {
        const next = nextChange(rows, selected, by);
        if (next >= 0) selectStackKey(stackKey(rows[next]));
    };
    useEffectOn(() => {
        const index = rows.findIndex((row) => stackKey(row) === selected);
        if (index >= 0) grid.current?.show(index);
    }, [selected, diff]);
    useKeys('Stacks', [
        { key: 'Escape', label: 'clear the selection', run: () => replaceQuery({ s: null }) },
        { key: 'n', label: 'next change', run: () => moveBy(1) },
        { key: 'shift+n', label: 'previous change', run: () => moveBy(-1) },
        { key: '/', label: 'search the stacks', run: () => input.current?.focus() },
    ]);
    useLayoutEffectOn(() => {
        const { begins_at } = diff;
        const left = `${ledgerOf('base', comparison.base)} · ${ledgerOf('new', comparison.new)}`;
        const meet = begins_at
            ? `stacks meet at ${begins_at.name} in ${begins_at.file.split('/').pop() ?? ''}; frames above are left out`
            : '';
        setStatus(
            left,
            [meet, 'one run each: significance unknown'].filter(Boolean).join('; '),
            null,
        );
    }, [diff, comparison]);
    const { omitted } = diff;
    return (
        <div class="tab-body compare-snapshot">
            {!onlyChanges && (
                <PictureBox label="Difference of live memory">
                    <FlameHead diff={diff} moment={moment} />
                    {diff.common_stacks === 0 && diff.rows.length > 1 && (
                        <p class="compare-note">No stack of one run is in the other.</p>
                    )}
                    <SnapshotDiffFlame
                        diff={diff}
                        selected={selected}
                        search={search}
                        onSelect={selectStackKey}
                    />
                </PictureBox>
            )}
            <Toolbar label="view options">
                <b>Stacks</b>
                <Segmented
                    label="frames"
                    value={query.frames === 'all' ? 'all' : 'own'}
                    options={[
                        {
                            value: 'own',
                            text: 'Own code',
                            tip: 'leave out frames of installed packages and of the standard library',
                        },
                        { value: 'all', text: 'All frames' },
                    ]}
                    onChange={(frames) =>
                        replaceQuery({
                            frames: frames === 'all' ? 'all' : null,
                            s: null,
                            zoom: null,
                        })
                    }
                />
                <span class="soft wide-only">
                    {rows.length === diff.rows.length
                        ? plural(rows.length, 'stack')
                        : `${int(rows.length)} of ${plural(diff.rows.length, 'stack')}`}
                    {omitted.rows > 0 &&
                        `; ${int(omitted.rows)} more change by ${bytesText(omitted.new - omitted.base)} in all`}
                </span>
                <Spacer />
                <SearchField
                    value={q}
                    inputRef={input}
                    placeholder="Search stacks"
                    hint="/"
                    width={208}
                    count={rows.length}
                    regex={regex}
                    onRegex={(next) => replaceQuery({ regex: next ? '1' : null })}
                    error={match.error}
                    onInput={(next) => replaceQuery({ q: next || null })}
                />
                <CopyButton class="quiet" label="Copy CSV" text={() => csvOf(rows)} />
            </Toolbar>
            <div class="panes">
                <section class="pane pane-main">
                    <SnapshotTable
                        {...{ comparison, diff, rows, selected }}
                        search={search ?? NO_SEARCH}
                        onSelect={selectStackKey}
                        handle={grid}
                        empty={
                            search
                                ? 'No stack matches the search.'
                                : onlyChanges
                                  ? 'Each stack is in both runs.'
                                  : 'Nothing is live in either run.'
                        }
                    />
                </section>
                <SnapshotPane {...{ comparison, diff, selected }} onSelect={selectStackKey} />
            </div>
        </div>
    );
}

/* Index of the next row with a change, from the selected one; -1: none. */
function nextChange(rows: readonly SnapshotDiffRow[], selected: string | null, by: 1 | -1): number {
    const now = rows.findIndex((row) => stackKey(row) === selected);
    const start = now < 0 && by < 0 ? rows.length : now;
    for (let i = start + by; i >= 0 && i < rows.length; i += by) if (rows[i].change !== 0) return i;
    return -1;
}

function FlameHead({ diff, moment }: { diff: SnapshotComparison; moment: Moment }) {
    const { base_without, new_without } = diffSums(diff);
    const without =
        base_without || new_without
            ? `; without a Python stack, not drawn: ${rangeText(base_without, new_without)}`
            : '';
    const unused = rangeText(
        diff.base.reserved - diff.base.live,
        diff.new.reserved - diff.new.live,
    );
    return (
        <div class="compare-picture-head">
            <b>{MOMENT_TITLES[moment]}</b>
            <span class="soft ellipsis">
                width: the larger of both{without}; reserved but unused: {unused}
            </span>
            <span class="spacer" />
            <DiffLegend unit="B" hasGone />
        </div>
    );
}

/** "12.7 → 12.9 GiB"; one number if both are equal. */
function rangeText(base: number, fresh: number): string {
    if (base === fresh) return bytesText(base);
    return `${bytesText(base)} → ${bytesText(fresh)}`;
}
