/* SPDX-License-Identifier: MIT
 *
 * Requests and names that all tabs of a line-level report share.
 */
import { useMemo, useReducer, useState } from 'preact/hooks';
import type { LineProfilerSummary, Page, Run, SourceAnswer } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { useEffectOn, useMemoOn } from '../../base/hooks';
import { kindHas } from '../../base/kinds';
import { type Query } from '../../base/router';
import type { LineFileRow, LineFunctionRow } from '../../base/rows';
import { objectsOf } from '../shared/paged_source';
import { type Answer, useData, useJson } from '../shared/use_json';
import { attachedSourcesVersion } from './attach';
import type { PythonText, Token } from './python_syntax';
import { asTimeUnit, profileUnit, timeScale, type TimeScale } from './units';

export type Base = 'function' | 'file';

/** How calls that memory_profiler reports separately are shown: summed, or one by one. */
export type Calls = 'sum' | 'each';

/** Maximum number of files, and of functions, that are fetched here; other tabs list all of
 * them. */
export const MAX_ROWS = 1000;

export function isTimed(run: Run): boolean {
    return kindHas(run.kind, 'line_times');
}

export function timedSummary(run: Run): LineProfilerSummary | null {
    return isTimed(run) ? (run.summary as unknown as LineProfilerSummary) : null;
}

export function timeScaleOf(run: Run, unit_s: number | null, query: Query): TimeScale {
    const seconds = unit_s ?? timedSummary(run)?.unit_s ?? 1e-9;
    const rounded = Boolean(timedSummary(run)?.rounded);
    return timeScale(asTimeUnit(query.unit) ?? profileUnit(seconds, rounded), seconds, rounded);
}

/** The server's sort key of the value that determines the heat in this kind of run. */
export function heatSort(run: Run, of: 'files' | 'functions'): string {
    if (isTimed(run)) return 'time_s';
    if (kindHas(run.kind, 'line_cpu')) return of === 'files' ? 'cpu_pct' : 'cpu';
    return of === 'files' ? 'peak_mib' : 'increment_mib';
}

export function useLineFiles(run: Run): LineFileRow[] | null {
    const path = withParams(`${API}/runs/${run.id}/line_files`, {
        sort: heatSort(run, 'files'),
        desc: true,
        limit: MAX_ROWS,
    });
    const data = useData<Page>(path);
    return useMemo(() => data && objectsOf<LineFileRow>(data), [data]);
}

/** The functions of one file with the largest values. */
export function useLineFunctions(run: Run, file: string | null) {
    const path = withParams(`${API}/runs/${run.id}/line_functions`, {
        sort: heatSort(run, 'functions'),
        desc: true,
        limit: MAX_ROWS,
        file,
    });
    const data = useData<Page>(file === null ? null : path);
    return useMemo(
        () => (data ? { rows: objectsOf<LineFunctionRow>(data), total: data.total } : null),
        [data],
    );
}

/** Source of the file in the URL, else of the file with the largest value. */
export function useSourceAnswer(
    run: Run,
    files: LineFileRow[] | null,
    query: Query,
): Answer<SourceAnswer> {
    const file = query.file ?? (files ? fileIdOf(files, query.path) : onlyFileId(run));
    const path = withParams(`${API}/runs/${run.id}/source`, {
        file,
        v: attachedSourcesVersion.value || null,
    });
    return useJson<SourceAnswer>(file === null ? null : path);
}

/* Id of the file with this path, else of the first file. Links from other views contain only the
 * path. */
function fileIdOf(files: LineFileRow[], path: string | undefined): number | null {
    return (files.find(({ file }) => file === path) ?? files[0])?.id ?? null;
}

/* Id of the file of a run that has only one file, so that the list of files is not needed; else
 * null. */
function onlyFileId(run: Run): number | null {
    return run.summary.files === 1 ? 1 : null;
}

/** A file of at most this many lines is parsed before it is first drawn, so that it has its colours
 * at once. */
const SHORT_LINES = 2000;
const FIRST_SLICE_MS = 10;
/** Parse time per slice, in ms, if the browser has no requestIdleCallback. */
const SLICE_MS = 8;

type Grammar = typeof import('./python_syntax');
let grammar: Grammar | null = null;

async function loadGrammar(): Promise<Grammar> {
    grammar ??= await import('./python_syntax');
    return grammar;
}

function runWhenIdle(run: (ms: number) => void): () => void {
    if ('requestIdleCallback' in window) {
        const id = requestIdleCallback((deadline) => run(deadline.timeRemaining()));
        return () => cancelIdleCallback(id);
    }
    const id = setTimeout(() => run(SLICE_MS), 16);
    return () => clearTimeout(id);
}

/** Python tokens by line. The source is shown without colours at first and coloured when the
 * browser is idle; a short file is coloured at once. */
export function usePython(text: readonly (string | null)[]): (line: number) => Token[] | null {
    const [, redraw] = useReducer((n: number) => n + 1, 0);
    const [, setLoadedGrammar] = useState(grammar);
    const python = useMemoOn((): { now: PythonText | null; done: boolean } => {
        if (!grammar || text.length > SHORT_LINES) return { now: null, done: false };
        const now = grammar.pythonText(text);
        return { now, done: now.parseFor(FIRST_SLICE_MS) };
    }, [text, grammar]);
    useEffectOn(() => {
        let cancel = (): void => undefined;
        let cancelled = false;
        function runSlice(ms: number): void {
            if (cancelled || !grammar || python.done) return;
            python.now ??= grammar.pythonText(text);
            python.done = python.now.parseFor(ms);
            if (python.done) redraw(undefined);
            else cancel = runWhenIdle(runSlice);
        }
        if (grammar) cancel = runWhenIdle(runSlice);
        // Without the grammar the source stays uncoloured; nothing else depends on it.
        else loadGrammar().then((found) => !cancelled && setLoadedGrammar(found), console.warn);
        return () => {
            cancelled = true;
            cancel();
        };
    }, [python]);
    return useMemoOn(() => (line) => python.now?.tokens(line) ?? null, [python, python.done]);
}
