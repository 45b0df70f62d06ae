/* SPDX-License-Identifier: MIT
 *
 * Content of the Lines tab, derived from the URL and the server's responses.
 */
import { useCallback, useMemo } from 'preact/hooks';
import type { Run, SourceAnswer } from '../../base/answers';
import { useMemoOn } from '../../base/hooks';
import { route } from '../../base/router';
import type { LineFunctionRow } from '../../base/rows';
import { columnsOf } from './columns';
import {
    type Base,
    type Calls,
    timeScaleOf,
    useLineFiles,
    useLineFunctions,
    usePython,
    useSourceAnswer,
} from './data';
import { countCalls, collapseRows } from './collapse_rows';
import {
    type LineMetrics,
    computeLineMetrics,
    heatOf,
    hottestRows,
    isActive,
    type LineRow,
    type SourceRow,
    sourceRows,
} from './source';

/** If a function has more calls than this, its calls are summed by default. */
const MAX_SEPARATE_CALLS = 3;
const NO_CALLS = new Map<number, number>();
const NO_TEXT: (string | null)[] = [];
const NO_ROWS: SourceRow[] = [];
const NO_FUNCTIONS: LineFunctionRow[] = [];

/* Rows and values of the grid, recomputed only when their inputs change. */
function useGridModel(
    answer: SourceAnswer | null,
    hideZero: boolean,
    urlCalls: string | undefined,
) {
    const counts = useMemo(() => (answer ? countCalls(answer) : NO_CALLS), [answer]);
    const maxCalls = Math.max(0, ...counts.values());
    const calls: Calls =
        urlCalls === 'each' || (urlCalls !== 'sum' && maxCalls <= MAX_SEPARATE_CALLS)
            ? 'each'
            : 'sum';
    const metrics = useMemo(() => {
        if (!answer || calls === 'each') return answer && computeLineMetrics(answer);
        const { line, fn } = answer;
        const collapsed = collapseRows(answer, (row) => `${line[row]} ${fn[row]}`);
        return computeLineMetrics(collapsed.answer, collapsed.growthOnly);
    }, [answer, calls]);
    const text = answer?.text ?? NO_TEXT;
    const rows = useMemo(
        () => (metrics ? sourceRows(text, metrics, hideZero) : NO_ROWS),
        [metrics, text, hideZero],
    );
    const hotRows = useMemo(() => (metrics ? hottestRows(metrics) : []), [metrics]);
    const keyByRow = useMemo(() => {
        const measured = rows.filter((row) => row.kind === 'line' && row.at >= 0) as LineRow[];
        return new Map(measured.map(({ at, key }) => [at, key]));
    }, [rows]);
    return {
        metrics,
        text,
        rows,
        hot: hotRows,
        keyByRow,
        counts,
        calls: maxCalls > 1 ? calls : null,
    };
}

/* Callbacks for the heat level of a row and for whether the row is cold. They remain the same
 * objects until their inputs change, so that rows are not redrawn. */
function useRowStyles(metrics: LineMetrics | null, base: Base) {
    const heatLevelOf = useCallback(
        (row: LineRow) => (metrics && row.at >= 0 ? heatOf(metrics, row.at, base) : 0),
        [metrics, base],
    );
    const isCold = useCallback((row: LineRow) => !metrics || !isActive(metrics, row.at), [metrics]);
    return { heatLevelOf, isCold };
}

function functionIdOf(metrics: LineMetrics | null, row: number): number | null {
    if (!metrics || row < 0) return null;
    return metrics.functions[metrics.fn[row]]?.id ?? null;
}

export function useLines(run: Run) {
    const query = route.value.query;
    const base: Base = query.of === 'file' ? 'file' : 'function';
    const hideZero = query.zero === '0';
    const files = useLineFiles(run);
    const source = useSourceAnswer(run, files, query);
    const answer = source.data;
    const functions = useLineFunctions(run, answer?.file.path ?? null);
    const model = useGridModel(answer, hideZero, query.calls);
    const { metrics, rows, hot, keyByRow } = model;
    const tokens = usePython(model.text);
    const scale = timeScaleOf(run, answer?.unit_s ?? null, query);
    const columns = useMemoOn(
        () => (metrics ? columnsOf(metrics, scale, base) : []),
        [metrics, scale.unit, scale.unit_s, base],
    );
    const rowStyles = useRowStyles(metrics, base);
    // By default, the hottest line is current.
    const current = query.line ?? (hot.length ? (keyByRow.get(hot[0]) ?? null) : null);
    const currentAt = useMemo(() => {
        const row = rows.find((one) => one.kind === 'line' && one.key === current);
        return row?.kind === 'line' ? row.at : -1;
    }, [rows, current]);
    return {
        ...model,
        ...rowStyles,
        source,
        files,
        functions,
        functionRows: functions?.rows ?? NO_FUNCTIONS,
        base,
        hideZero,
        scale,
        columns,
        tokens,
        current,
        currentAt,
        /** true: the user selected the line, by click, key or link */
        isSelectedByUser: query.line !== undefined,
        fn: query.fn !== undefined ? Number(query.fn) : functionIdOf(metrics, currentAt),
        hotAt: hot.indexOf(currentAt),
    };
}

export type Lines = ReturnType<typeof useLines>;
