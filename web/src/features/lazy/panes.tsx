/* SPDX-License-Identifier: MIT */
import { formatHash } from '../../base/router';
import { fmtFixed, int, plural } from '../../base/units';
import { CheckBox } from '../../components/check_box';
import { Swatch } from '../../components/origin_legend';
import { PaneHead } from '../../components/toolbar';
import { readLazy } from './selection';
import { type LazyAnswer, type LazyKeeper, type LazyRow, type LazySuggestion, toggle } from './tab';

interface ChoiceProps {
    list: string[];
    suggestions: LazySuggestion[];
    /** The log cannot prove any saving. */
    plain: boolean;
    keepers: LazyKeeper[];
}

/** Formats an entry such as "numpy@app" as text. */
function said(word: string): string {
    const [module, importer] = word.split('@');
    if (importer === undefined) return `${module} where it is first imported`;
    if (importer === '*') return `${module} wherever it is imported`;
    return `${module} in ${importer === '__main__' ? 'the program' : importer}`;
}

/** List of checkboxes: the selected imports that are not candidates, then the candidates. */
export function LazyChoice({ list, suggestions, plain, keepers }: ChoiceProps) {
    const known = new Set(suggestions.flatMap((one) => readLazy(one.lazy)));
    const others = list.filter((word) => !known.has(word));
    return (
        <section class="pane lazy-worth">
            <PaneHead title="Candidates" remark="packages that the program’s own code imports" />
            <div class="list-head lazy-choice-grid">
                <span />
                <span>Import</span>
                <span class="is-right" title="time that is certainly saved">
                    Certain <i>ms</i>
                </span>
                <span class="is-right" title="time that is saved according to all logs">
                    Likely <i>ms</i>
                </span>
                <span
                    class="is-right"
                    title="time that is saved if no other module imports the modules below"
                >
                    At most <i>ms</i>
                </span>
            </div>
            <div class="list">
                {others.map((word) => (
                    <div key={word} class="list-row lazy-choice-grid is-still">
                        <CheckBox label={said(word)} checked onChange={() => toggle([word])} />
                        <span class="cut" title={said(word)}>
                            {said(word)}
                        </span>
                    </div>
                ))}
                {suggestions.map((one) => (
                    <Suggestion key={one.package} list={list} one={one} plain={plain} />
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

/** The other imports that keep most of the modules below the selected imports loaded. */
function Keepers({ keepers }: { keepers: LazyKeeper[] }) {
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
                    <span class="is-right">{fmtFixed(one.self_us / 1000, 3)}</span>
                    <AlsoLazy row={one} />
                </div>
            ))}
        </>
    );
}

interface SuggestionProps {
    list: string[];
    one: LazySuggestion;
    plain: boolean;
}

function Suggestion({ list, one, plain }: SuggestionProps) {
    const words = readLazy(one.lazy);
    const n = words.filter((word) => list.includes(word)).length;
    return (
        <div class="list-row lazy-choice-grid is-still">
            <CheckBox
                label={one.package}
                checked={n === words.length ? true : n ? null : false}
                onChange={() => toggle(words)}
            />
            <span class="cut" title={words.map(said).join('\n')}>
                <Swatch origin={one.origin} />
                <span class="mono">{one.package}</span>{' '}
                {words.length > 1 && (
                    <span class="soft">{plural(words.length, 'import statement')}</span>
                )}
            </span>
            <span class={plain ? 'is-right soft' : 'is-right'}>
                {plain ? '–' : fmtFixed(one.low_us / 1000, 3)}
            </span>
            <span class="is-right">{fmtFixed(one.best_us / 1000, 3)}</span>
            <span class="is-right">{fmtFixed(one.high_us / 1000, 3)}</span>
        </div>
    );
}

const FATES: Record<LazyRow['fate'], string> = {
    saved: 'saved',
    open: 'unknown',
    'likely stays': 'likely still imported',
    stays: 'still imported',
};

/** Modules below the selected imports: saved, or still imported, and by which module. */
export function LazyModules({
    rows,
    modules,
}: {
    rows: LazyRow[];
    modules: LazyAnswer['modules'] | null;
}) {
    const { saved = 0, open = 0, stays = 0, 'likely stays': likely = 0 } = modules ?? {};
    const counts = [
        `${int(saved)} saved`,
        open && `${int(open)} unknown`,
        likely && `${int(likely)} likely still imported`,
        stays && `${int(stays)} still imported`,
    ].filter(Boolean);
    const more = saved + open + stays + likely - rows.length;
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

type Kept = Pick<LazyRow, 'module' | 'by' | 'proof' | 'in'>;

/** Name of the importer; with a link if another run is the source. */
function Importer({ row: { by, proof, in: run, module } }: { row: Kept }) {
    if (by === null) return <span />;
    return (
        <span
            class="cut"
            title={`${by} imports it; source: ${run ? `the run ${run.name}` : proof}`}
        >
            <span class="mono">{by === '__main__' ? 'the program' : by}</span>
            {run && (
                <>
                    {' in run '}
                    <a class="link" href={formatHash(['run', run.id, 'imports'], { q: module })}>
                        {run.name}
                    </a>
                </>
            )}
        </span>
    );
}

function AlsoLazy({ row: { by, proof, module } }: { row: Kept }) {
    if (by === null || proof === 'its submodule') return <span />;
    return (
        <button type="button" class="link" onClick={() => toggle([`${module}@${by}`])}>
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
            <span class="is-right">{fmtFixed(row.self_us / 1000, 3)}</span>
            <span class={row.fate === 'saved' ? '' : 'soft'}>{FATES[row.fate]}</span>
            <Importer row={row} />
            <AlsoLazy row={row} />
        </div>
    );
}
