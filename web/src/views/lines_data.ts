/* SPDX-License-Identifier: MIT
 *
 * What all tabs of a line-level report ask the server for, and what they call things by.
 */
import { useMemo, useReducer, useState } from 'preact/hooks';
import { useEffectOn, useMemoOn } from '../base/hooks';
import { signal } from '@preact/signals';
import { API, withParams } from '../base/client';
import { kindHas } from '../base/kinds';
import type {
    LineFileRow,
    LineFunctionRow,
    LineProfilerSummary,
    SourceAnswer,
} from '../base/line_types';
import type { Query } from '../base/router';
import { setQuery } from '../base/router';
import type { Page, Run } from '../base/types';
import { asTimeUnit, ownUnit, timeScale, type TimeScale } from '../model/line_units';
import type { PythonText, Token } from '../model/python_syntax';
import { objectsOf } from './functions_data';
import { type Answer, useJson } from './use_json';

export type Base = 'function' | 'file';

/** Calls that memory_profiler reports apart: summed, or one under the other. */
export type Calls = 'sum' | 'each';

/** Files and functions that are fetched at once; the tables of the other tabs have all. */
export const MOST = 1000;

export const put = (changes: Record<string, string | null>): void =>
    setQuery(changes, { replace: true });

/** Sources were attached: what was fetched before is stale. */
export const attachedCount = signal(0);

export function isTimed(run: Run): boolean {
    return kindHas(run.kind, 'line_times');
}

export function timedSummary(run: Run): LineProfilerSummary | null {
    return isTimed(run) ? (run.summary as unknown as LineProfilerSummary) : null;
}

export function scaleOf(run: Run, unit_s: number | null, query: Query): TimeScale {
    const seconds = unit_s ?? timedSummary(run)?.unit_s ?? 1e-9;
    const rounded = Boolean(timedSummary(run)?.rounded);
    return timeScale(asTimeUnit(query.unit) ?? ownUnit(seconds, rounded), seconds, rounded);
}

/** The server's sort key of what heats the lines of this kind. */
export function heatSort(run: Run, of: 'files' | 'functions'): string {
    if (isTimed(run)) return 'time_s';
    if (kindHas(run.kind, 'line_cpu')) return of === 'files' ? 'cpu_pct' : 'cpu';
    return of === 'files' ? 'peak_mib' : 'increment_mib';
}

export function useLineFiles(run: Run): LineFileRow[] | null {
    const path = withParams(`${API}/runs/${run.id}/line_files`, {
        sort: heatSort(run, 'files'),
        desc: true,
        limit: MOST,
    });
    const { data } = useJson<Page>(path);
    return useMemo(() => data && objectsOf<LineFileRow>(data), [data]);
}

/** The costliest functions of one file. */
export function useLineFunctions(run: Run, file: string | null) {
    const path = withParams(`${API}/runs/${run.id}/line_functions`, {
        sort: heatSort(run, 'functions'),
        desc: true,
        limit: MOST,
        file,
    });
    const { data } = useJson<Page>(file === null ? null : path);
    return useMemo(
        () => (data ? { rows: objectsOf<LineFunctionRow>(data), total: data.total } : null),
        [data],
    );
}

/** The file the URL names, else the one that costs most. */
export function useSourceAnswer(
    run: Run,
    files: LineFileRow[] | null,
    query: Query,
): Answer<SourceAnswer> {
    const file = query.file ?? (files ? fileOf(files, query.path) : onlyFile(run));
    const path = withParams(`${API}/runs/${run.id}/source`, {
        file,
        v: attachedCount.value || null,
    });
    return useJson<SourceAnswer>(file === null ? null : path);
}

/* A link from elsewhere knows the path alone. */
function fileOf(files: LineFileRow[], path: string | undefined): number | null {
    return (files.find(({ file }) => file === path) ?? files[0])?.id ?? null;
}

/* With one file there is no need to wait for the list. */
function onlyFile(run: Run): number | null {
    return run.summary.files === 1 ? 1 : null;
}

/** A file up to here is parsed before its first picture, so that it never shows plain. */
const SHORT_LINES = 2000;
const FIRST_SLICE_MS = 10;
/** Where the browser does not say how long it is idle. */
const SLICE_MS = 8;

type Grammar = typeof import('../model/python_syntax');
let grammar: Grammar | null = null;

async function loadGrammar(): Promise<Grammar> {
    grammar ??= await import('../model/python_syntax');
    return grammar;
}

function idle(run: (ms: number) => void): () => void {
    if ('requestIdleCallback' in window) {
        const id = requestIdleCallback((deadline) => run(deadline.timeRemaining()));
        return () => cancelIdleCallback(id);
    }
    const id = setTimeout(() => run(SLICE_MS), 16);
    return () => clearTimeout(id);
}

/**
 * Tokens of a Python text by line. The text shows plain at once; its colours come when the page has
 * nothing else to do, for a short file with the first picture.
 */
export function usePython(text: readonly (string | null)[]): (line: number) => Token[] | null {
    const [, redraw] = useReducer((n: number) => n + 1, 0);
    const [, ready] = useState(grammar);
    const python = useMemoOn((): { now: PythonText | null; done: boolean } => {
        if (!grammar || text.length > SHORT_LINES) return { now: null, done: false };
        const now = grammar.pythonText(text);
        return { now, done: now.work(FIRST_SLICE_MS) };
    }, [text, grammar]);
    useEffectOn(() => {
        let cancel = (): void => undefined;
        let gone = false;
        function go(ms: number): void {
            if (gone || !grammar || python.done) return;
            python.now ??= grammar.pythonText(text);
            python.done = python.now.work(ms);
            if (python.done) redraw(undefined);
            else cancel = idle(go);
        }
        if (grammar) cancel = idle(go);
        // Without the grammar the source stays plain; nothing else depends on it.
        else loadGrammar().then((found) => !gone && ready(found), console.warn);
        return () => {
            gone = true;
            cancel();
        };
    }, [python]);
    return useMemoOn(() => (line) => python.now?.tokens(line) ?? null, [python, python.done]);
}
