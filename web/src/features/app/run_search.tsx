/* SPDX-License-Identifier: MIT
 *
 * The search fields of the top bar: one filters the rows of the shelf; the other lists matching runs,
 * and names in all runs, as links.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { NameHit, NamesAnswer, Run } from '../../base/answers';
import { API, getJson, isAbort, withParams } from '../../base/client';
import { formatHash, goTo, navigate, route, setQuery } from '../../base/router';
import { formatValueIn, int, plural, when } from '../../base/units';
import { KindMark } from '../../components/kind_mark';
import { SearchField } from '../../components/search_field';
import { FormattedValueText } from '../../components/text';
import { viewportWidth } from '../../components/viewport';
import { NameOfHit, SearchProgress } from '../search/hit';
import { hitHref, NAME_TABLES, type SearchState, useNameSearch } from '../shared/name_search';
import { matches, shelf } from '../shared/shelf_state';

const MAX_RESULTS = 5;

interface SearchProps {
    inputRef: { current: HTMLInputElement | null };
}

function placeholder(): string {
    if (viewportWidth.value < 1000) return 'Search';
    const runs = shelf.value?.runs;
    return runs ? `Search ${plural(runs, 'run')}` : 'Search runs';
}

/** Filters the rows of the shelf. */
export function ShelfSearch({ inputRef }: SearchProps) {
    return (
        <SearchField
            large
            hint="/"
            inputRef={inputRef}
            placeholder={placeholder()}
            label="search name, series, tags, note, kind"
            value={route.value.query.q ?? ''}
            count={matches.value}
            onInput={(q) => setQuery({ q }, { replace: true })}
        />
    );
}

interface Answer {
    total: number;
    rows: Run[];
}

function useMatchingRuns(typed: string): Answer | null {
    const [answer, setAnswer] = useState<Answer | null>(null);
    useEffect(() => {
        if (!typed.trim()) {
            setAnswer(null);
            return undefined;
        }
        const control = new AbortController();
        getJson<Answer>(withParams(`${API}/runs`, { q: typed, limit: MAX_RESULTS }), control)
            .then(setAnswer)
            .catch((reason: unknown) => {
                // An error is not shown here: Enter opens the shelf with the same search, which
                // shows it.
                if (!isAbort(reason)) setAnswer(null);
            });
        return () => control.abort();
    }, [typed]);
    return answer;
}

/** What Enter or a click opens. */
interface Option {
    key: string;
    href: string;
}

const MAX_NAMES = 12;

/** Hits by table, in the order of the hottest of each. */
function groupsOf(rows: NameHit[]): [of: string, hits: NameHit[]][] {
    const groups = new Map<string, NameHit[]>();
    for (const hit of rows) {
        const group = groups.get(hit.of);
        if (group) group.push(hit);
        else groups.set(hit.of, [hit]);
    }
    return [...groups];
}

const keyOf = ({ of, name, module }: NameHit) => `${of} ${module} ${name}`;

function optionsOf(runs: Answer | null, names: NamesAnswer | null, typed: string): Option[] {
    const options = (runs?.rows ?? []).map((run) => ({
        key: run.id,
        href: formatHash(['run', run.id]),
    }));
    if (runs && runs.total > runs.rows.length)
        options.push({ key: 'all runs', href: formatHash([], { q: typed }) });
    for (const [, hits] of groupsOf(names?.rows ?? []))
        options.push(...hits.map((hit) => ({ key: keyOf(hit), href: hitHref(hit) })));
    if (names && names.total > names.rows.length)
        options.push({ key: 'all names', href: formatHash(['search'], { q: typed }) });
    return options;
}

interface RunSearchProps extends SearchProps {
    /** The search lost the focus. */
    onLeave?: () => void;
}

/** Search for runs by their labels, and for names in all runs. */
export function RunSearch({ inputRef, onLeave }: RunSearchProps) {
    const [typed, setTyped] = useState('');
    const [at, setAt] = useState(-1);
    const box = useRef<HTMLDivElement | null>(null);
    const answer = useMatchingRuns(typed);
    const names = useNameSearch(typed, { limit: MAX_NAMES });
    const options = typed ? optionsOf(answer, names.data, typed) : [];

    function clearSearch(): void {
        setTyped('');
        setAt(-1);
        inputRef.current?.blur();
    }
    /* Without a marked option: the only one, else all names, else the shelf. */
    function openMarked(): void {
        if (options[at]) goTo(options[at].href);
        else if (options.length === 1 && !names.loading) goTo(options[0].href);
        else if (names.data?.total && !answer?.total) navigate(['search'], { q: typed });
        else navigate([], { q: typed });
        clearSearch();
    }
    function onKeyDown(event: KeyboardEvent): void {
        if (event.key === 'ArrowDown') setAt(Math.min(options.length - 1, at + 1));
        else if (event.key === 'ArrowUp') setAt(Math.max(-1, at - 1));
        else return;
        event.preventDefault();
    }

    return (
        <div
            class="top-search"
            ref={box}
            onKeyDown={onKeyDown}
            onFocusOut={(event) => {
                if (box.current?.contains(event.relatedTarget as Node | null)) return;
                clearSearch();
                onLeave?.();
            }}
        >
            <SearchField
                large
                hint="ctrl k"
                inputRef={inputRef}
                placeholder={placeholder()}
                label="search runs, functions, modules, operators and lines"
                value={typed}
                onInput={(text) => {
                    setTyped(text);
                    setAt(-1);
                }}
                onEnter={openMarked}
            />
            {typed && answer && (
                <Results
                    answer={answer}
                    names={names}
                    marked={options[at]?.key ?? null}
                    typed={typed}
                    onGo={clearSearch}
                />
            )}
        </div>
    );
}

interface ResultsProps {
    answer: Answer;
    names: SearchState<NamesAnswer>;
    /** key of the option that Enter opens */
    marked: string | null;
    typed: string;
    onGo: () => void;
}

function Results({ answer, names, marked, typed, onGo }: ResultsProps) {
    const { data } = names;
    const list = useRef<HTMLDivElement | null>(null);
    useEffect(() => {
        list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
    }, [marked]);
    const option = (key: string) => ({
        role: 'option' as const,
        'aria-selected': key === marked,
        onClick: onGo,
    });
    return (
        <div class="results" role="listbox" ref={list}>
            <div class="results-head">Runs</div>
            {answer.rows.map((run) => (
                <a key={run.id} {...option(run.id)} href={formatHash(['run', run.id])}>
                    <KindMark kind={run.kind} />
                    <span class="ellipsis">{run.name}</span>
                    {run.headline && (
                        <span class="results-fig">
                            <FormattedValueText
                                value={formatValueIn(run.headline.value, run.headline.unit)}
                            />
                        </span>
                    )}
                    <span class="faint">{when(run.created_at)}</span>
                </a>
            ))}
            {answer.total === 0 && <div class="results-none">No run matches</div>}
            {answer.total > answer.rows.length && (
                <a
                    {...option('all runs')}
                    href={formatHash([], { q: typed })}
                    class="results-all"
                >{`All ${int(answer.total)} on the shelf`}</a>
            )}
            {groupsOf(data?.rows ?? []).map(([of, hits]) => [
                <div class="results-head" key={of}>
                    {NAME_TABLES[of] ?? of} <span>share of the run, at most</span>
                </div>,
                ...hits.map((hit) => (
                    <a key={keyOf(hit)} {...option(keyOf(hit))} href={hitHref(hit)}>
                        <NameOfHit hit={hit} />
                    </a>
                )),
            ])}
            {data && data.total > data.rows.length && (
                <a
                    {...option('all names')}
                    href={formatHash(['search'], { q: typed })}
                    class="results-all"
                >{`All ${int(data.total)} names`}</a>
            )}
            {data?.total === 0 && !names.loading && (
                <div class="results-none">
                    No function, module, operator or line of this name among the{' '}
                    {data.names_per_run} hottest of each run
                </div>
            )}
            <SearchProgress state={names} />
        </div>
    );
}
