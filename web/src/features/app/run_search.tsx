/* SPDX-License-Identifier: MIT
 *
 * The search field of the top bar. On the shelf it filters the rows. On other pages it lists the
 * matching runs as links.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { API, getJson, isAbort, withParams } from '../../base/client';
import { formatHash, navigate, route, setQuery } from '../../base/router';
import type { Run } from '../../base/types';
import { formatValueIn, int, plural, when } from '../../base/units';
import { KindMark } from '../../components/kind_mark';
import { SearchField } from '../../components/search_field';
import { FormattedValueText } from '../../components/text';
import { viewportWidth } from '../../components/viewport';
import { matches, shelf } from '../shared/shelf_state';

const MAX_RESULTS = 8;

interface SearchProps {
    inputRef: { current: HTMLInputElement | null };
}

function placeholder(): string {
    if (viewportWidth.value < 1000) return 'Search';
    const runs = shelf.value?.runs;
    return runs ? `Search ${plural(runs, 'run')}` : 'Search runs';
}

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

export function RunSearch({ inputRef }: SearchProps) {
    const [typed, setTyped] = useState('');
    const [at, setAt] = useState(-1);
    const box = useRef<HTMLDivElement | null>(null);
    const answer = useMatchingRuns(typed);
    const runs = answer?.rows ?? [];

    function clearSearch(): void {
        setTyped('');
        setAt(-1);
        inputRef.current?.blur();
    }
    function openResult(index: number): void {
        if (index >= 0 && index < runs.length) navigate(['run', runs[index].id]);
        else navigate([], { q: typed });
        clearSearch();
    }
    function onKeyDown(event: KeyboardEvent): void {
        if (event.key === 'ArrowDown') setAt(Math.min(runs.length - 1, at + 1));
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
                if (!box.current?.contains(event.relatedTarget as Node | null)) clearSearch();
            }}
        >
            <SearchField
                large
                hint="ctrl k"
                inputRef={inputRef}
                placeholder={placeholder()}
                value={typed}
                onInput={(text) => {
                    setTyped(text);
                    setAt(-1);
                }}
                onEnter={() => openResult(at)}
            />
            {typed && answer && <Results answer={answer} at={at} typed={typed} onGo={openResult} />}
        </div>
    );
}

interface ResultsProps {
    answer: Answer;
    at: number;
    typed: string;
    onGo: (index: number) => void;
}

function Results({ answer, at, typed, onGo }: ResultsProps) {
    return (
        <div class="results" role="listbox">
            {answer.rows.map((run, i) => (
                <a
                    key={run.id}
                    role="option"
                    aria-selected={i === at}
                    href={formatHash(['run', run.id])}
                    onClick={() => onGo(i)}
                >
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
            <a href={formatHash([], { q: typed })} class="results-all" onClick={() => onGo(-1)}>
                {answer.total === 0 ? 'No run matches' : `All ${int(answer.total)} on the shelf`}{' '}
                <kbd>↵</kbd>
            </a>
        </div>
    );
}
