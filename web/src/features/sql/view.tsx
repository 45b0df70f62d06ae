/* SPDX-License-Identifier: MIT
 *
 * Editor, result and documentation, for one run or for the shelf.
 */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { type ApiError, asApiError } from '../../base/client';
import { useEffectOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { kindHas } from '../../base/kinds';
import { formatHash, replaceQuery, route, setQuery } from '../../base/router';
import { useTyped } from '../../base/typed_fields';
import { Menu } from '../../components/menu';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Segmented } from '../../components/segmented';
import { PaneHead, Spacer, Toolbar } from '../../components/toolbar';
import { SqlDocs } from './docs';
import { SqlEditor, type SqlEditorHandle } from './editor';
import { examplesWithRows, type SqlExample } from './examples';
import { columnWith, type LinkedRun } from './links';
import type { SqlResult } from './result';
import type { ChartKind } from './result_chart';
import { resultText, SqlPicture, SqlTable } from './result_view';
import { SavedMenu } from './saved';
import {
    type SqlRequest,
    fetchViewsWithRows,
    readHistory,
    downloadResult,
    type SqlScope,
    useStatement,
} from './state';
import { tokenRangeAtByte } from './syntax';
import type { ViewDoc } from './views';

const DEFAULT_ROWS = 10_000;
const MAX_ROWS = 100_000;
const MAX_MENU_CHARS = 64;

/** With more runs than this, the page does not query which views have rows. */
const MAX_FILTERED_RUNS = 20;

function useViewsWithRows(scope: SqlScope, views: ViewDoc[]): Set<string> | null {
    const [viewsWithRows, setViewsWithRows] = useState<Set<string> | null>(null);
    useEffectOn(() => {
        let left = false;
        setViewsWithRows(null);
        if ('runs' in scope && scope.runs.length > MAX_FILTERED_RUNS) return undefined;
        // If this query fails, all views are listed as if they had rows.
        fetchViewsWithRows(
            scope,
            views.map(({ name }) => name),
        )
            .then((names) => left || setViewsWithRows(names))
            .catch(() => undefined);
        return () => {
            left = true;
        };
    }, [JSON.stringify(scope)]);
    return viewsWithRows;
}

/** Text of the editor: the text typed since the last run, else the statement of the URL, else
 * `fallback`. */
function useDraft(urlSql: string, fallback: string) {
    const [typed, setTyped] = useTyped(urlSql);
    return { draft: typed ?? (urlSql || fallback), setTyped };
}

function linkedRun(run: Run | undefined): LinkedRun | null {
    if (!run) return null;
    const span = run.summary.span_ns;
    return { id: run.id, kind: run.kind, span_ns: typeof span === 'number' ? span : 0 };
}

interface SqlViewProps {
    scope: SqlScope;
    /** The run of the query, to which its results lead back; undefined: several runs. */
    run?: Run;
    views: ViewDoc[];
    examples: SqlExample[];
    /** Kind of run whose saved statements are offered; '' for the statements of the shelf. */
    kind: string;
    /** Field, before the examples, that selects the runs of the query. */
    picker?: ComponentChildren;
    /** Text for a view without rows. */
    emptyText?: (view: ViewDoc) => string;
}

export function SqlView(props: SqlViewProps) {
    const { scope, views, examples: all, kind, picker } = props;
    const { query } = route.value;
    const [stamp, setStamp] = useState(0);
    const limit = query.rows === 'most' ? MAX_ROWS : DEFAULT_ROWS;
    const request = useStatement(scope, query.sql ?? '', limit, stamp);
    const viewsWithRows = useViewsWithRows(scope, views);
    const examples = useMemo(
        () => (viewsWithRows ? examplesWithRows(all, viewsWithRows) : []),
        [all, viewsWithRows],
    );
    const { draft, setTyped } = useDraft(query.sql ?? '', examples[0]?.sql ?? '');
    const editor = useRef<SqlEditorHandle | null>(null);
    const run = (sql = draft) => {
        if (!sql.trim()) return;
        if (sql === query.sql) setStamp(stamp + 1);
        else setQuery({ sql, order: null, x: null, y: null, rows: null });
        setTyped(null);
    };
    useKeys('SQL', [
        { key: 'ctrl+Enter', label: 'run the statement', run: () => run(), inFields: true },
        { key: '/', label: 'to the statement', run: () => editor.current?.focus() },
    ]);
    const linked = useMemo(() => linkedRun(props.run), [props.run]);
    // Views without rows are not completed.
    const listed = useMemo(
        () => (viewsWithRows ? views.filter(({ name }) => viewsWithRows.has(name)) : views),
        [views, viewsWithRows],
    );
    const at = request.error?.at ?? null;
    const errorRange = useMemo(
        () => (at !== null && draft === request.sql ? tokenRangeAtByte(draft, at) : null),
        [at, draft, request.sql],
    );
    return (
        <div class="tab-body sql">
            <SqlToolbar
                scope={scope}
                picker={picker}
                kind={kind}
                request={request}
                draft={draft}
                examples={examples}
                onRun={run}
                onPick={setTyped}
            />
            <div class={query.views === '0' ? 'panes' : 'panes has-docs'}>
                <section class="pane pane-main">
                    <SqlEditor
                        label="Statement"
                        value={draft}
                        errorRange={errorRange}
                        onInput={setTyped}
                        onRun={() => run()}
                        views={listed}
                        handle={editor}
                    />
                    <QueryResult request={request} run={linked} />
                </section>
                <SqlDocs
                    views={views}
                    viewsWithRows={viewsWithRows}
                    emptyText={props.emptyText ?? (() => 'no rows')}
                    onInsert={(text) => editor.current?.insert(text)}
                />
            </div>
        </div>
    );
}

interface ToolbarProps {
    scope: SqlScope;
    picker: ComponentChildren;
    kind: string;
    request: SqlRequest & { stop: () => void };
    draft: string;
    examples: { title: string; sql: string }[];
    onRun: (sql?: string) => void;
    onPick: (sql: string) => void;
}

function SqlToolbar({
    scope,
    picker,
    kind,
    request,
    draft,
    examples,
    onRun,
    onPick,
}: ToolbarProps) {
    const { query } = route.value;
    const past = readHistory();
    return (
        <Toolbar label="the statement">
            {request.running ? (
                <button type="button" class="button" onClick={request.stop}>
                    Stop
                </button>
            ) : (
                <button
                    type="button"
                    class="button is-run"
                    disabled={!draft.trim()}
                    title="Ctrl+Enter"
                    onClick={() => onRun()}
                >
                    Run <kbd>Ctrl+Enter</kbd>
                </button>
            )}
            {picker}
            <Menu
                label="Examples"
                items={examples.map(({ title, sql }) => ({
                    text: title,
                    onPick: () => onRun(sql),
                }))}
            />
            <SavedMenu kind={kind} sql={draft} onRun={onRun} />
            <Menu
                label="History"
                tip="statements that this browser ran before"
                items={past.map((sql) => ({ text: shortenSql(sql), onPick: () => onPick(sql) }))}
                filter={past.length > 8}
            />
            <Spacer />
            <Segmented
                label="result as"
                value={query.chart ? 'chart' : 'table'}
                options={[
                    { value: 'table', text: 'Table' },
                    { value: 'chart', text: 'Chart' },
                ]}
                onChange={(how) => replaceQuery({ chart: how === 'chart' ? 'line' : null })}
            />
            <SqlExport scope={scope} sql={query.sql ?? ''} />
            <button
                type="button"
                class="quiet"
                aria-pressed={query.views !== '0'}
                onClick={() => replaceQuery({ views: query.views === '0' ? null : '0' })}
            >
                Views
            </button>
        </Toolbar>
    );
}

function shortenSql(sql: string): string {
    const line = sql.replace(/\s+/g, ' ').trim();
    return line.length > MAX_MENU_CHARS ? `${line.slice(0, MAX_MENU_CHARS - 1)}…` : line;
}

/* Button to download the result; an error of the download is shown next to it. */
function SqlExport({ scope, sql }: { scope: SqlScope; sql: string }) {
    const [error, setError] = useState<ApiError | null>(null);
    const save = (format: 'csv' | 'rows') => {
        setError(null);
        downloadResult(scope, sql, format).catch((reason: unknown) => setError(asApiError(reason)));
    };
    if (!sql) return null;
    return (
        <>
            {error && (
                <span class="warn" role="alert" title={error.hint ?? undefined}>
                    {error.text}
                </span>
            )}
            <Menu
                label="Export"
                align="right"
                items={[
                    { text: 'CSV', note: 'all rows, unrounded', onPick: () => save('csv') },
                    { text: 'JSON', note: 'an array of objects', onPick: () => save('rows') },
                ]}
            />
        </>
    );
}

const mayShowOnTimeline = (result: SqlResult, run: LinkedRun): boolean =>
    kindHas(run.kind, 'slices') && columnWith(result, 'start') >= 0;

function QueryResult({ request, run }: { request: SqlRequest; run: LinkedRun | null }) {
    const { query } = route.value;
    const { result, error, running } = request;
    return (
        <div class="sql-answer">
            <PaneHead
                title="Result"
                remark={running ? 'running …' : result ? resultText(result) : ''}
            >
                {result?.cut === 'rows' && query.rows !== 'most' && (
                    <button
                        type="button"
                        class="quiet"
                        onClick={() => replaceQuery({ rows: 'most' })}
                    >
                        up to 100,000
                    </button>
                )}
                {result && run && mayShowOnTimeline(result, run) && (
                    <a
                        class="link"
                        href={formatHash(['run', run.id, 'timeline'], { overlay: request.sql })}
                    >
                        Show on timeline
                    </a>
                )}
            </PaneHead>
            {error && (
                <Notice
                    kind="error"
                    title="Query failed"
                    error={{ ...error, text: error.text, hint: error.hint, at: null }}
                />
            )}
            {result &&
                (query.chart ? (
                    <SqlPicture result={result} kind={query.chart as ChartKind} />
                ) : (
                    <SqlTable key={request.sql} result={result} run={run} />
                ))}
            {!result && !error && !running && (
                <p class="report-empty">
                    Type one SELECT statement over the views listed here. Press Ctrl+Enter to run
                    it.
                </p>
            )}
            <LoadingLine active={running} />
        </div>
    );
}
