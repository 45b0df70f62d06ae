/* SPDX-License-Identifier: MIT
 *
 * The Make lazy tab: select imports to see the saved start-up time, the modules that are imported
 * anyway, and what the log does not contain. The selection is in the URL.
 */
import { useMemo, useState } from 'preact/hooks';
import type {
    LazyAnswer,
    LazyImport,
    LazyImporter,
    LazyRow,
    LazySuggestion,
    Page,
    Run,
} from '../../base/answers';
import { API, withParams } from '../../base/client';
import { route, setQuery } from '../../base/router';
import type { ImportRow } from '../../base/rows';
import { LABELS } from '../../base/terms';
import { THIN_SPACE, formatSeconds, pct, plural, text, formatFixed, int } from '../../base/units';
import { CheckBox } from '../../components/check_box';
import { CopyButton } from '../../components/copy_button';
import { Notice } from '../../components/notice';
import { Swatch } from '../../components/origin_legend';
import { type PickItem, Picker } from '../../components/picker';
import { LoadingLine } from '../../components/progress';
import { Spacer, Toolbar, PaneHead } from '../../components/toolbar';
import { msText } from '../imports/who_imports_tab';
import { objectsOf } from '../shared/paged_source';
import { useData, useJson } from '../shared/use_json';
import { formatLazy, lazySnippet, readLazy, toggleLazy } from './selection';

function toggleImports(items: string[]): void {
    const list = readLazy(route.peek().query.lazy);
    setQuery({ lazy: formatLazy(toggleLazy(list, items)) });
}

export function LazyTab({ run }: { run: Run }) {
    const list = readLazy(route.value.query.lazy);
    const path = `${API}/runs/${run.id}/what_if`;
    const hints = useJson<LazyAnswer>(path);
    const answer = useJson<LazyAnswer>(
        list.length ? withParams(path, { lazy: list.join(',') }) : null,
    );
    const candidates = (hints.data?.suggestions ?? []).flatMap((one) => readLazy(one.lazy));
    const whole = useData<LazyAnswer>(
        candidates.length ? withParams(path, { lazy: candidates.join(','), limit: 0 }) : null,
    );
    const data = list.length ? answer.data : hints.data;
    const error = hints.error ?? answer.error;
    return (
        <div class="tab-body">
            <LazyToolbar run={run} imports={data?.lazy ?? []} />
            {error && <Notice kind="error" title="The lazy-import analysis failed" error={error} />}
            {data && (
                <LazySentence
                    data={data}
                    whole={whole}
                    packages={hints.data?.suggestions?.length ?? 0}
                    candidates={candidates}
                />
            )}
            {data && <BeforeAfter data={list.length ? data : (whole ?? data)} />}
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
                    evidence={hints.data?.evidence ?? 'recorded'}
                    keepers={data?.keepers ?? []}
                />
                <LazyModules rows={data?.rows ?? []} modules={data?.modules ?? null} />
            </div>
            <LoadingLine active={answer.loading || hints.loading} />
        </div>
    );
}

function LazyToolbar({ run, imports }: { run: Run; imports: LazyImport[] }) {
    const [typed, setTyped] = useState('');
    const found = useData<Page>(
        withParams(`${API}/runs/${run.id}/imports`, {
            q: typed,
            sort: 'cumulative_us',
            desc: true,
            limit: 14,
        }),
    );
    const rows = useMemo(() => objectsOf<ImportRow>(found), [found]);
    const items = rows.map((row): PickItem => ({
        id: row.id,
        body: (
            <>
                <Swatch origin={row.origin} />
                <span class="mono pick-name">{row.module}</span>
                <span class="pick-note">{msText(row.cumulative_us)}</span>
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
                    if (row) toggleImports([row.module]);
                }}
                width={360}
            />
            <Spacer />
            {imports.length > 0 && (
                <CopyButton text={() => lazySnippet(imports)} label="Copy as Python" />
            )}
        </Toolbar>
    );
}

function timeText(us: number): string {
    return text(formatSeconds(us / 1e6));
}

/** Says that the log lacks importers; nothing if it lists all of them. */
function Evidence({ data: { evidence } }: { data: LazyAnswer }) {
    if (evidence !== 'first importers') return null;
    return <>This log lists only the first importer of each module.</>;
}

interface LazySentenceProps {
    data: LazyAnswer;
    /** the answer for all candidates; null while it is loaded, or if there are none */
    whole: LazyAnswer | null;
    /** number of packages among the candidates */
    packages: number;
    candidates: string[];
}

/* What the tab is about, before anything is selected: the total, and what to do. */
function LazyTotal({ data, whole, packages, candidates }: LazySentenceProps) {
    if (!whole) {
        return (
            <p class="who-sentence">
                Select the imports to make lazy. Modules that the rest of the program imports anyway
                save nothing. <Evidence data={data} />
            </p>
        );
    }
    const { low, high } = whole.saving_us;
    return (
        <p class="who-sentence">
            Imports take <b>{timeText(whole.before_us)}</b>. Importing{' '}
            <b>
                {packages > 1 && 'all '}
                {plural(packages, 'package')}
            </b>{' '}
            below only where they are used saves <b>up to {timeText(high)}</b> (
            {pct((100 * high) / whole.before_us)}
            {THIN_SPACE}%){low < high && ' if nothing else imports them'}, unless start-up uses
            them. Tick a package to see what it saves and which line to change.{' '}
            <button type="button" class="link" onClick={() => toggleImports(candidates)}>
                Tick all
            </button>{' '}
            <Evidence data={data} />
        </p>
    );
}

/* Import time now and with lazy imports, on one scale: what is saved at most. */
function BeforeAfter({ data }: { data: LazyAnswer }) {
    const { before_us: before, saving_us: saving } = data;
    if (before <= 0) return null;
    const share = (us: number) => `${(100 * us) / before}%`;
    const after = before - saving.high;
    return (
        <div
            class="lazy-bars"
            role="img"
            aria-label={`now ${timeText(before)}, lazy ${timeText(after)}`}
        >
            <span>Now</span>
            <span class="lazy-bar">
                <span class="is-now" style={{ width: '100%' }} />
            </span>
            <b>{timeText(before)}</b>
            <span>{saving.low < saving.high ? 'Lazy, at best' : 'Lazy'}</span>
            <span class="lazy-bar">
                <span class="is-now" style={{ width: share(after) }} />
                <span class="is-saved" style={{ width: share(saving.high) }} />
            </span>
            <b>{timeText(after)}</b>
        </div>
    );
}

function LazySentence(props: LazySentenceProps) {
    const { data } = props;
    const { low, high } = data.saving_us;
    const functionModules = data.lazy.filter((tick) => tick.in_function).map((tick) => tick.module);
    const startupModules = data.lazy.filter((tick) => tick.startup).map((tick) => tick.module);
    if (!data.lazy.length) return <LazyTotal {...props} />;
    return (
        <p class="who-sentence lazy-sentence">
            {high > low ? (
                <>
                    Saves between <b>{timeText(low)}</b> and <b>{timeText(high)}</b>
                </>
            ) : (
                <>
                    Saves <b>{high > 0 ? timeText(high) : 'nothing'}</b>
                </>
            )}
            {high > 0 && (
                <>
                    {' of '}
                    <b>{timeText(data.before_us)}</b>
                    {` (${high > low ? 'up to ' : ''}${pct((100 * high) / data.before_us)}${THIN_SPACE}% of self times)`}
                </>
            )}
            .{' '}
            {startupModules.length > 0 &&
                `Python itself imports ${startupModules.join(', ')} before the program starts. `}
            {functionModules.length > 0 &&
                `Only functions import ${functionModules.join(', ')}, so it is lazy already. `}
            {high > 0 && 'This assumes that nothing uses it during start-up. '}
            <Evidence data={data} />
        </p>
    );
}

interface ChoiceProps {
    list: string[];
    suggestions: LazySuggestion[];
    evidence: LazyAnswer['evidence'];
    keepers: LazyImporter[];
}

/** Formats an entry such as "numpy@app" as text. */
function itemText(item: string): string {
    const [module, importer] = item.split('@');
    if (importer === undefined) return `${module} where it is first imported`;
    if (importer === '*') return `${module} wherever it is imported`;
    return `${module} in ${importer === '__main__' ? 'the program' : importer}`;
}

/** List of checkboxes: the selected imports that are not candidates, then the candidates. */
function LazyChoice({ list, suggestions, evidence, keepers }: ChoiceProps) {
    const known = new Set(suggestions.flatMap((one) => readLazy(one.lazy)));
    const others = list.filter((item) => !known.has(item));
    return (
        <section class="pane lazy-worth">
            <PaneHead title="Packages to import lazily" remark="and the line to change" />
            <div class="list-head lazy-choice-grid">
                <span />
                <span>Import</span>
                <span
                    class="is-right is-certain"
                    title="time that is saved if start-up does not use the package; –: unknown"
                >
                    At least <i>ms</i>
                </span>
                <span
                    class="is-right"
                    title="time that is saved if no other module imports the modules below"
                >
                    At most <i>ms</i>
                </span>
            </div>
            <div class="list">
                {others.map((item) => (
                    <div key={item} class="list-row lazy-choice-grid is-still">
                        <CheckBox
                            label={itemText(item)}
                            checked
                            onChange={() => toggleImports([item])}
                        />
                        <span class="cut" title={itemText(item)}>
                            {itemText(item)}
                        </span>
                    </div>
                ))}
                {suggestions.map((one) => (
                    <Suggestion key={one.package} list={list} one={one} evidence={evidence} />
                ))}
                {!others.length && !suggestions.length && (
                    <p class="report-empty">
                        The program’s own code imports no package that could be lazy. Search for any
                        module above.
                    </p>
                )}
                {keepers.length > 0 && <Keepers keepers={keepers} />}
            </div>
        </section>
    );
}

/** List of the other imports that keep the most modules below the selected imports loaded. */
function Keepers({ keepers }: { keepers: LazyImporter[] }) {
    return (
        <>
            <div class="list-head lazy-keeper-grid">
                <span>Still imported by</span>
                <span>In</span>
                <span class="is-right">Modules</span>
                <span class="is-right" title="self times of the modules that it still imports">
                    Self <i>ms</i>
                </span>
                <span />
            </div>
            {keepers.map((one) => (
                <div key={one.module} class="list-row lazy-keeper-grid is-still">
                    <span class="cut mono" title={one.module}>
                        {one.module}
                    </span>
                    <Importer row={one} />
                    <span class="is-right">{int(one.modules)}</span>
                    <span class="is-right">{formatFixed(one.self_us / 1000, 3)}</span>
                    <MakeLazyButton row={one} />
                </div>
            ))}
        </>
    );
}

/** The line to change: "import yaml in app.config", with the number of further lines. Only the recorder
 * tells the program's own lines from those of functions that it calls. */
function lineText(items: string[], evidence: LazyAnswer['evidence']): string {
    const [module, importer] = items[0].split('@');
    const program = evidence === 'recorded' ? 'the program' : 'the program or a function';
    const place = importer === '__main__' ? program : importer;
    const more = items.length > 1 ? ` and ${plural(items.length - 1, 'more line')}` : '';
    return `import ${module}${place ? ` in ${place}` : ''}${more}`;
}

interface SuggestionProps {
    list: string[];
    one: LazySuggestion;
    evidence: LazyAnswer['evidence'];
}

function Suggestion({ list, one, evidence }: SuggestionProps) {
    const items = readLazy(one.lazy);
    /** the log cannot prove any saving */
    const isUnproven = evidence === 'first importers';
    const n = items.filter((item) => list.includes(item)).length;
    return (
        <div class="list-row lazy-choice-grid is-still">
            <CheckBox
                label={one.package}
                checked={n === items.length ? true : n ? null : false}
                onChange={() => toggleImports(items)}
            />
            <span class="cut" title={items.map(itemText).join('\n')}>
                <Swatch origin={one.origin} />
                <span class="mono">{one.package}</span>{' '}
                <code class="lazy-line">{lineText(items, evidence)}</code>
            </span>
            <span class={`is-right is-certain${isUnproven ? ' soft' : ''}`}>
                {isUnproven ? '–' : formatFixed(one.low_us / 1000, 3)}
            </span>
            <span class="is-right">{formatFixed(one.high_us / 1000, 3)}</span>
        </div>
    );
}

const RESULT_TEXTS: Record<LazyRow['fate'], string> = {
    saved: 'saved',
    open: 'unknown',
    stays: 'still imported',
};

/** Modules below the selected imports, each either saved or still imported, with its importer. */
function LazyModules({
    rows,
    modules,
}: {
    rows: LazyRow[];
    modules: LazyAnswer['modules'] | null;
}) {
    const { saved = 0, open = 0, stays = 0 } = modules ?? {};
    const counts = [
        `${int(saved)} saved`,
        open && `${int(open)} unknown`,
        stays && `${int(stays)} still imported`,
    ].filter(Boolean);
    const more = saved + open + stays - rows.length;
    return (
        <section class="pane lazy-below">
            <PaneHead title="Modules below" remark={rows.length ? counts.join(', ') : null} />
            <div class="list-head lazy-module-grid">
                <span>Module</span>
                <span class="is-right">
                    Self <i>ms</i>
                </span>
                <span>Result</span>
                <span>Still imported by</span>
                <span />
            </div>
            <div class="list">
                {rows.map((row) => (
                    <Module key={row.id} row={row} />
                ))}
                {rows.length > 0 && more > 0 && (
                    <p class="report-empty">and {int(more)} more with smaller self times</p>
                )}
                {!rows.length && (
                    <p class="report-empty">Select an import on the left to see what it saves.</p>
                )}
            </div>
        </section>
    );
}

type ImporterFields = Pick<LazyRow, 'module' | 'by' | 'proof'>;

/** Name of the importer. */
function Importer({ row: { by, proof } }: { row: ImporterFields }) {
    if (by === null) return <span />;
    return (
        <span class="cut mono" title={`${by} imports it; source: ${proof}`}>
            {by === '__main__' ? 'the program' : by}
        </span>
    );
}

function MakeLazyButton({ row: { by, proof, module } }: { row: ImporterFields }) {
    if (by === null || proof === 'its submodule') return <span />;
    return (
        <button type="button" class="link" onClick={() => toggleImports([`${module}@${by}`])}>
            Make lazy there too
        </button>
    );
}

function Module({ row }: { row: LazyRow }) {
    return (
        <div class="list-row lazy-module-grid is-still">
            <span class="cut mono" title={row.module}>
                {row.module}
            </span>
            <span class="is-right">{formatFixed(row.self_us / 1000, 3)}</span>
            <span class={row.fate === 'saved' ? '' : 'soft'}>{RESULT_TEXTS[row.fate]}</span>
            <Importer row={row} />
            <MakeLazyButton row={row} />
        </div>
    );
}
