/* SPDX-License-Identifier: MIT */
import { fmtFixed, int } from '../base/units';
import { CheckBox } from '../components/check_box';
import { Swatch } from '../components/origin_legend';
import { PaneHead } from '../components/toolbar';
import { readLazy } from '../model/lazy';
import { type LazyAnswer, type LazyRow, type LazySuggestion, toggle } from './lazy_tab';

interface ChoiceProps {
    list: string[];
    suggestions: LazySuggestion[];
}

/** "numpy@app" as people say it. */
function said(word: string): string {
    const [module, importer] = word.split('@');
    if (importer === undefined) return `${module} where it is first imported`;
    if (importer === '*') return `${module} wherever it is imported`;
    return `${module} in ${importer === '__main__' ? 'the program' : importer}`;
}

/** What is ticked, and below it what would be worth it. */
export function LazyChoice({ list, suggestions }: ChoiceProps) {
    const known = new Set(suggestions.flatMap((one) => readLazy(one.lazy)));
    const others = list.filter((word) => !known.has(word));
    return (
        <section class="pane who-again">
            <PaneHead title="Worth it" remark="packages that the program’s own code imports" />
            <div class="list-head lazy-choice-grid">
                <span />
                <span>Import</span>
                <span class="is-right" title="what is certainly saved">
                    Certain <i>ms</i>
                </span>
                <span class="is-right" title="when nobody else needs what hangs below">
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
                    <Suggestion key={one.package} list={list} one={one} />
                ))}
                {!others.length && !suggestions.length && (
                    <p class="report-empty">
                        The program’s own code imports no package that could be lazy. Any module can
                        be searched for above.
                    </p>
                )}
            </div>
        </section>
    );
}

function Suggestion({ list, one }: { list: string[]; one: LazySuggestion }) {
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
                    <span class="soft">{`${int(words.length)} import statements`}</span>
                )}
            </span>
            <span class="is-right">{fmtFixed(one.low_us / 1000, 3)}</span>
            <span class="is-right">{fmtFixed(one.high_us / 1000, 3)}</span>
        </div>
    );
}

const FATES: Record<LazyRow['fate'], string> = {
    saved: 'saved',
    open: 'not known',
    'likely stays': 'likely stays',
    stays: 'stays',
};

/** What hung below the ticked imports: gone, or kept by whom. */
export function LazyModules({
    rows,
    modules,
}: {
    rows: LazyRow[];
    modules: LazyAnswer['modules'] | null;
}) {
    const counts = modules
        ? `${int(modules.saved)} saved, ${int(modules.open)} not known, ${int(modules.stays + modules['likely stays'])} stay`
        : null;
    return (
        <section class="pane who-children">
            <PaneHead title="Modules below" remark={rows.length ? counts : null} />
            <div class="list-head lazy-module-grid">
                <span>Module</span>
                <span class="is-right">
                    Self <i>ms</i>
                </span>
                <span>Then</span>
                <span>Imported anyway by</span>
                <span />
            </div>
            <div class="list">
                {rows.map((row) => (
                    <Module key={row.id} row={row} />
                ))}
                {!rows.length && <p class="report-empty">Nothing is ticked.</p>}
            </div>
        </section>
    );
}

function Module({ row }: { row: LazyRow }) {
    const { by } = row;
    const firm = by === null || row.proof === 'its submodule';
    return (
        <div class="list-row lazy-module-grid is-still">
            <span class="cut mono" title={row.module}>
                {row.module}
            </span>
            <span class="is-right">{fmtFixed(row.self_us / 1000, 3)}</span>
            <span class={row.fate === 'saved' ? '' : 'soft'}>{FATES[row.fate]}</span>
            <span class="cut" title={row.proof ? `known from: ${row.proof}` : undefined}>
                {by !== null && <span class="mono">{by === '__main__' ? 'the program' : by}</span>}
            </span>
            <span>
                {!firm && (
                    <button
                        type="button"
                        class="link"
                        onClick={() => toggle([`${row.module}@${by}`])}
                    >
                        lazy there too
                    </button>
                )}
            </span>
        </div>
    );
}
