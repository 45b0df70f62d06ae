/* SPDX-License-Identifier: MIT
 *
 * The Make lazy tab: select imports to see the saved start-up time, the modules that are imported
 * anyway, and what the log does not contain. The selection is in the URL.
 */
import { useMemo, useState } from 'preact/hooks';
import { API, withParams } from '../../base/client';
import { route, setQuery } from '../../base/router';
import { LABELS } from '../../base/terms';
import type { Origin, Page, Run } from '../../base/types';
import { THIN, fig, pct, plural, text } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { Notice } from '../../components/notice';
import { Swatch } from '../../components/origin_legend';
import { type PickItem, Picker } from '../../components/picker';
import { LoadingLine } from '../../components/progress';
import { Spacer, Toolbar } from '../../components/toolbar';
import { asRows, ms } from '../imports/who_imports_tab';
import { useJson } from '../shared/use_json';
import { LazyChoice, LazyModules } from './panes';
import { type LazyWord, formatLazy, lazySnippet, readLazy, toggleLazy } from './selection';

export interface LazySuggestion {
    package: string;
    origin: Origin;
    low_us: number;
    best_us: number;
    high_us: number;
    lazy: string;
}

export interface LazyRow {
    id: number;
    module: string;
    self_us: number;
    fate: 'stays' | 'likely stays' | 'open' | 'saved';
    by: string | null;
    proof: string | null;
    /** The run that is the source of this information; null for this run. */
    in: { id: string; name: string } | null;
}

/** An import outside of the selection, and the modules that stay imported because of it. */
export type LazyKeeper = Pick<LazyRow, 'module' | 'self_us' | 'by' | 'proof' | 'in'> & {
    modules: number;
};

export interface LazyAnswer {
    lazy: (LazyWord & { startup: boolean })[];
    evidence: 'first importers' | 'importtime=2' | 'recorded';
    other_logs: number;
    verdict: 'known' | 'not knowable' | null;
    why: string | null;
    do: string | null;
    before_us: number;
    after_us: number;
    saving_us: { low: number; best: number; high: number };
    modules: Record<LazyRow['fate'], number>;
    keepers: LazyKeeper[];
    rows: LazyRow[];
    suggestions?: LazySuggestion[];
}

export function toggle(words: string[]): void {
    const list = readLazy(route.peek().query.lazy);
    setQuery({ lazy: formatLazy(toggleLazy(list, words)) });
}

export function LazyTab({ run }: { run: Run }) {
    const list = readLazy(route.value.query.lazy);
    const path = `${API}/runs/${run.id}/what_if`;
    const hints = useJson<LazyAnswer>(path);
    const answer = useJson<LazyAnswer>(
        list.length ? withParams(path, { lazy: list.join(',') }) : null,
    );
    const data = list.length ? answer.data : hints.data;
    const error = hints.error ?? answer.error;
    return (
        <div class="tab-body">
            <LazyToolbar run={run} words={data?.lazy ?? []} />
            {error && <Notice kind="error" title="The lazy-import analysis failed" error={error} />}
            {data && <LazySentence data={data} />}
            {data?.why && data.verdict === 'not knowable' && (
                <Notice
                    kind="warning"
                    error={{ text: `Unknown: ${data.why}`, at: null, hint: data.do }}
                />
            )}
            <div class="panes who-panes">
                <LazyChoice
                    list={list}
                    suggestions={hints.data?.suggestions ?? []}
                    plain={hints.data?.evidence === 'first importers'}
                    keepers={data?.keepers ?? []}
                />
                <LazyModules rows={data?.rows ?? []} modules={data?.modules ?? null} />
            </div>
            <LoadingLine active={answer.loading || hints.loading} />
        </div>
    );
}

function LazyToolbar({ run, words }: { run: Run; words: LazyWord[] }) {
    const [typed, setTyped] = useState('');
    const found = useJson<Page>(
        withParams(`${API}/runs/${run.id}/imports`, {
            q: typed,
            sort: 'cumulative_us',
            desc: true,
            limit: 14,
        }),
    );
    const rows = useMemo(() => asRows(found.data), [found.data]);
    const items = rows.map((row): PickItem => ({
        id: row.id,
        body: (
            <>
                <Swatch origin={row.origin} />
                <span class="mono pick-name">{row.module}</span>
                <span class="pick-note">{ms(row.cumulative_us)}</span>
            </>
        ),
    }));
    return (
        <Toolbar label="make lazy">
            <span class="soft">Make lazy</span>
            <Picker
                label="module to make lazy"
                placeholder={LABELS.searchModules}
                value=""
                items={items}
                onType={setTyped}
                onPick={(id) => {
                    const row = rows.find((one) => one.id === id);
                    if (row) toggle([row.module]);
                }}
                width={360}
            />
            <Spacer />
            {words.length > 0 && (
                <CopyButton text={() => lazySnippet(words)} label="Copy as Python" />
            )}
        </Toolbar>
    );
}

function figure(us: number): string {
    return text(fig(us / 1e6));
}

/** Source of the information which modules are imported again. */
function Evidence({ data: { evidence, other_logs: n } }: { data: LazyAnswer }) {
    if (evidence !== 'first importers') return null;
    if (!n)
        return (
            <>
                This log lists only the first importer of each module, and no other log on this
                shelf lists more.
            </>
        );
    return (
        <>
            {`This log lists only the first importer of each module. Other importers are taken from ${plural(n, 'other log')} of the shelf.`}
        </>
    );
}

function LazySentence({ data }: { data: LazyAnswer }) {
    const { low, best, high } = data.saving_us;
    const early = data.lazy.filter((tick) => tick.startup).map((tick) => tick.module);
    if (!data.lazy.length) {
        return (
            <p class="who-sentence">
                Select the imports to make lazy. Modules that the rest of the program imports anyway
                save nothing. <Evidence data={data} />
            </p>
        );
    }
    return (
        <p class="who-sentence lazy-sentence">
            Saves <b>{high > 0 ? figure(best) : 'nothing'}</b>
            {high > low && (
                <>
                    , between <b>{figure(low)}</b> and <b>{figure(high)}</b>
                </>
            )}
            . Import time falls from <b>{figure(data.before_us)}</b> to{' '}
            <b>{figure(data.after_us)}</b>
            {best > 0 && ` (${pct((-100 * best) / data.before_us)}${THIN}% of self times)`}.{' '}
            {early.length > 0 &&
                `Python itself imports ${early.join(', ')} before the program starts. `}
            {data.verdict === 'known' &&
                best > 0 &&
                'This assumes that nothing uses it during start-up. '}
            <Evidence data={data} />
        </p>
    );
}
