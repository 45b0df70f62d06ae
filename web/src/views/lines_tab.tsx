/* SPDX-License-Identifier: MIT
 *
 * The source with what line_profiler, memory_profiler or Scalene measured on it.
 */
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import { useKeys } from '../base/keys';
import type { LineFunctionRow, SourceAnswer } from '../base/line_types';
import { route } from '../base/router';
import type { Run } from '../base/types';
import { Notice } from '../components/notice';
import { LoadingLine } from '../components/progress';
import { SourceGrid, type SourceGridHandle } from '../components/source_grid';
import { setStatus } from '../components/status_line';
import { viewportWidth } from '../components/viewport';
import { callsOf, foldRows } from '../model/fold';
import { TIME_UNITS } from '../model/line_units';
import {
    figuresOf,
    heatOf,
    hottestRows,
    isActive,
    type LineRow,
    type SourceRow,
    sourceRows,
} from '../model/source';
import { columnsOf } from './lines_columns';
import {
    type Base,
    type Calls,
    put,
    scaleOf,
    useLineFiles,
    useLineFunctions,
    usePython,
    useSourceAnswer,
} from './lines_data';
import { LinesNav } from './lines_nav';
import { LinesToolbar } from './lines_toolbar';
import { emptyWords, FunctionBand, ownerWords, qualifiers } from './lines_words';
import { SourceNotice, useSourceDrops } from './source_notice';

const NARROW = 1000;
/** More calls of a function than these are summed unless asked for. */
const FEW = 3;
const NO_CALLS = new Map<number, number>();
const NO_TEXT: (string | null)[] = [];
const NO_ROWS: SourceRow[] = [];
const NO_FUNCTIONS: LineFunctionRow[] = [];

/* The model of what is shown, made anew only when its parts change. */
function useModel(answer: SourceAnswer | null, hideZero: boolean, asked: string | undefined) {
    const counts = useMemo(() => (answer ? callsOf(answer) : NO_CALLS), [answer]);
    const most = Math.max(0, ...counts.values());
    const calls: Calls = asked === 'each' || (asked !== 'sum' && most <= FEW) ? 'each' : 'sum';
    const figures = useMemo(() => {
        if (!answer || calls === 'each') return answer && figuresOf(answer);
        const { line, fn } = answer;
        const folded = foldRows(answer, (row) => `${line[row]} ${fn[row]}`);
        return figuresOf(folded.answer, folded.growthOnly);
    }, [answer, calls]);
    const text = answer?.text ?? NO_TEXT;
    const rows = useMemo(
        () => (figures ? sourceRows(text, figures, hideZero) : NO_ROWS),
        [figures, text, hideZero],
    );
    const hot = useMemo(() => (figures ? hottestRows(figures) : []), [figures]);
    const keys = useMemo(() => {
        const map = new Map<number, string>();
        for (const row of rows) if (row.kind === 'line' && row.at >= 0) map.set(row.at, row.key);
        return map;
    }, [rows]);
    return { figures, text, rows, hot, keys, counts, calls: most > 1 ? calls : null };
}

export function LinesTab({ run }: { run: Run }) {
    const query = route.value.query;
    const base: Base = query.of === 'file' ? 'file' : 'function';
    const hideZero = query.zero === '0';
    const files = useLineFiles(run);
    const { data: answer, error, loading } = useSourceAnswer(run, files, query);
    const functions = useLineFunctions(run, answer?.file.path ?? null);
    const wanted = useMemo(
        () =>
            (files ?? []).map(({ id, file }) => ({
                path: file,
                missing: id !== answer?.file.id || answer.source.state === 'missing',
            })),
        [files, answer],
    );
    const dropError = useSourceDrops(run, wanted);
    const { figures, text, rows, hot, keys, counts, calls } = useModel(
        answer,
        hideZero,
        query.calls,
    );
    const tokens = usePython(text);
    const scale = scaleOf(run, answer?.unit_s ?? null, query);
    const columns = useMemo(
        () => (figures ? columnsOf(figures, scale, base) : []),
        [figures, scale.unit, scale.unit_s, base],
    );
    const levelOf = useCallback(
        (row: LineRow) => (figures && row.at >= 0 ? heatOf(figures, row.at, base) : 0),
        [figures, base],
    );
    const isCold = useCallback((row: LineRow) => !figures || !isActive(figures, row.at), [figures]);
    const grid = useRef<SourceGridHandle | null>(null);
    const input = useRef<HTMLInputElement | null>(null);
    // The answer to "where is the time" is on the screen before anything is asked.
    const current = query.line ?? (hot.length ? (keys.get(hot[0]) ?? null) : null);
    const currentAt = useMemo(() => {
        const row = rows.find((one) => one.kind === 'line' && one.key === current);
        return row?.kind === 'line' ? row.at : -1;
    }, [rows, current]);
    const hotAt = hot.indexOf(currentAt);

    function show(key: string | undefined, changes: Record<string, string | null> = {}): void {
        if (key === undefined) return;
        put({ line: key, ...changes });
        grid.current?.centre(key);
        grid.current?.focus();
    }
    function stepHot(by: 1 | -1): void {
        if (!hot.length) return;
        const shown = query.line !== undefined || hotAt !== 0 || by < 0;
        const next = hotAt < 0 ? 0 : shown ? (hotAt + by + hot.length) % hot.length : 0;
        show(keys.get(hot[next]));
    }
    function toFunction(fn: LineFunctionRow): void {
        const inside = hot.find(
            (row) => figures && figures.functions[figures.fn[row]]?.id === fn.id,
        );
        const line = fn.first_line;
        show(inside !== undefined ? keys.get(inside) : line === null ? undefined : String(line), {
            fn: String(fn.id),
        });
    }
    useKeys('Lines', [
        { key: 'n', label: 'next hottest line', run: () => stepHot(1) },
        { key: 'p', label: 'previous hottest line', run: () => stepHot(-1) },
        {
            key: 'z',
            label: 'hide lines without hits',
            run: () => put({ zero: hideZero ? null : '0' }),
        },
        {
            key: 'x',
            label: 'percent of function or of file',
            run: () => put({ of: base === 'file' ? null : 'file' }),
        },
        {
            key: 't',
            label: 'next unit of time',
            run: () => {
                const at = TIME_UNITS.indexOf(scale.unit);
                put({ unit: TIME_UNITS[(at + 1) % TIME_UNITS.length] });
            },
        },
        { key: '/', label: 'go to a function or a line', run: () => input.current?.focus() },
    ]);
    useEffect(() => setStatus(undefined, qualifiers(run)), [run]);
    useEffect(() => grid.current?.focus(), [answer !== null]);

    const currentFn = query.fn !== undefined ? Number(query.fn) : fnOf(figures, currentAt);
    const empty = files?.length === 0;
    return (
        <div class="tab-body lines-tab">
            <LinesToolbar
                figures={figures}
                scale={scale}
                base={base}
                hideZero={hideZero}
                calls={calls}
                functions={functions?.rows ?? NO_FUNCTIONS}
                hot={{ at: hotAt, count: hot.length }}
                onHot={stepHot}
                onFunction={toFunction}
                onLine={(line) => show(String(line), { fn: null })}
                inputRef={input}
            />
            {answer && <SourceNotice run={run} answer={answer} dropError={dropError} />}
            {error && <Notice kind="error" title="The source could not be read" error={error} />}
            <div class="panes">
                {files && !empty && viewportWidth.value >= NARROW && (
                    <LinesNav
                        run={run}
                        files={files}
                        functions={functions}
                        file={answer?.file.id ?? null}
                        fn={currentFn}
                        onFile={(id) => put({ file: String(id), line: null, fn: null })}
                        onFunction={toFunction}
                        hot={{
                            figures,
                            rows: hot,
                            text,
                            current: currentAt,
                            onPick: (row) => show(keys.get(row), { fn: null }),
                        }}
                    />
                )}
                <section class="pane pane-main">
                    {empty ? (
                        <p class="grid-empty">{emptyWords(run)}</p>
                    ) : (
                        figures && (
                            <SourceGrid
                                key={answer?.file.id}
                                label="Source"
                                columns={columns}
                                rows={rows}
                                text={text}
                                tokens={tokens}
                                levelOf={levelOf}
                                isCold={isCold}
                                band={({ fn, again }) => (
                                    <FunctionBand
                                        figures={figures}
                                        index={fn}
                                        again={again}
                                        rows={functions?.rows ?? NO_FUNCTIONS}
                                        calls={counts}
                                    />
                                )}
                                remark={(row) => (row.more ? ownerWords(figures, row.at) : null)}
                                current={current}
                                onCurrent={({ key }) => put({ line: key, fn: null })}
                                handle={grid}
                                empty={
                                    hideZero
                                        ? 'No line ran; show lines without hits to see them all.'
                                        : emptyWords(run)
                                }
                            />
                        )
                    )}
                    <LoadingLine active={loading} />
                </section>
            </div>
        </div>
    );
}

function fnOf(figures: ReturnType<typeof figuresOf> | null, row: number): number | null {
    if (!figures || row < 0) return null;
    return figures.functions[figures.fn[row]]?.id ?? null;
}
