/* SPDX-License-Identifier: MIT
 *
 * Source code with the values of line_profiler, memory_profiler or Scalene.
 */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { useEffectOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { useDefaultSelection, useNames } from '../../base/panel';
import { replaceQuery, route } from '../../base/router';
import type { LineFunctionRow } from '../../base/rows';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { setStatus } from '../../components/status_line';
import { viewportWidth } from '../../components/viewport';
import { findPath, lineKey, lineName, type NamedLine } from '../../model/line_names';
import { type Lines, useLines } from './content';
import { LinesNav } from './navigation';
import { SourceGrid, type SourceGridHandle } from './source_grid';
import { SourceNotice, useSourceDrops } from './source_notice';
import { emptyText, FunctionBand, ownerText, valuesRemark } from './text';
import { LinesToolbar } from './toolbar';
import { unitsFor } from './units';

const NARROW_PX = 1000;

type Grid = { current: SourceGridHandle | null };

/* Functions that navigate to another line; each updates the URL. */
function navigationOf(lines: Lines, grid: Grid) {
    const { hot, hotAt, keyByRow, metrics } = lines;
    function show(key: string | undefined, changes: Record<string, string | null> = {}): void {
        if (key === undefined) return;
        replaceQuery({ line: key, ...changes });
        grid.current?.centre(key);
        grid.current?.focus();
    }
    return {
        toRow: (row: number) => show(keyByRow.get(row), { fn: null }),
        toLine: (line: number) => show(String(line), { fn: null }),
        toFile: (id: number) => replaceQuery({ file: String(id), line: null, fn: null }),
        stepHot: (by: 1 | -1) => {
            if (!hot.length) return;
            // At first the hottest line is current without being selected, so the first step
            // selects it.
            const atStart = hotAt < 0 || (!lines.isSelectedByUser && by > 0);
            const next = atStart ? 0 : (hotAt + by + hot.length) % hot.length;
            show(keyByRow.get(hot[next]), { fn: null });
        },
        toFunction: (fn: LineFunctionRow) => {
            const inside = hot.find((row) => metrics?.functions[metrics.fn[row]]?.id === fn.id);
            const first = fn.first_line === null ? undefined : String(fn.first_line);
            const key = inside === undefined ? first : keyByRow.get(inside);
            show(key, { fn: String(fn.id) });
        },
    };
}

type Navigation = ReturnType<typeof navigationOf>;

function useLinesKeys(
    lines: Lines,
    navigation: Navigation,
    input: { current: HTMLInputElement | null },
): void {
    const { hideZero, base, scale } = lines;
    const units = unitsFor(scale.unit_s, scale.rounded);
    const nextUnit = units[(units.indexOf(scale.unit) + 1) % units.length];
    useKeys('Lines', [
        { key: 'n', label: 'next hottest line', run: () => navigation.stepHot(1) },
        { key: 'p', label: 'previous hottest line', run: () => navigation.stepHot(-1) },
        {
            key: 'z',
            label: 'hide lines without hits',
            run: () => replaceQuery({ zero: hideZero ? null : '0' }),
        },
        {
            key: 'x',
            label: 'percent of function or of file',
            run: () => replaceQuery({ of: base === 'file' ? null : 'file' }),
        },
        { key: 't', label: 'next time unit', run: () => replaceQuery({ unit: nextUnit }) },
        { key: '/', label: 'go to a function or a line', run: () => input.current?.focus() },
    ]);
}

export function LinesTab({ run }: { run: Run }) {
    const lines = useLines(run);
    const { files, source, metrics } = lines;
    const { data: answer, error } = source;
    const grid = useRef<SourceGridHandle | null>(null);
    const input = useRef<HTMLInputElement | null>(null);
    const navigation = navigationOf(lines, grid);
    const wantedFiles = useMemo(
        () =>
            (files ?? []).map(({ id, file }) => ({
                path: file,
                missing: id !== answer?.file.id || answer.source.state === 'missing',
            })),
        [files, answer],
    );
    const dropError = useSourceDrops(run, wantedFiles);
    useLinesKeys(lines, navigation, input);
    useLineNames(lines);
    useEffect(() => setStatus(undefined, valuesRemark(run)), [run]);
    useEffectOn(() => grid.current?.focus(), [answer !== null]);
    const empty = files?.length === 0;
    return (
        <div class="tab-body lines-tab">
            <LinesToolbar
                metrics={metrics}
                scale={lines.scale}
                base={lines.base}
                hideZero={lines.hideZero}
                calls={lines.calls}
                functions={lines.functionRows}
                hasHot={lines.hot.length > 0}
                onHot={navigation.stepHot}
                onFunction={navigation.toFunction}
                onLine={navigation.toLine}
                inputRef={input}
            />
            {answer && <SourceNotice run={run} answer={answer} dropError={dropError} />}
            {error && <Notice kind="error" title="The source could not be read" error={error} />}
            <div class="panes">
                {!empty && viewportWidth.value >= NARROW_PX && (
                    <Nav run={run} lines={lines} navigation={navigation} />
                )}
                <section class="pane pane-main">
                    {empty && <p class="grid-empty">{emptyText(run)}</p>}
                    {!empty && metrics && <Source run={run} lines={lines} grid={grid} />}
                    <LoadingLine active={source.loading} />
                </section>
            </div>
        </div>
    );
}

function Nav({ run, lines, navigation }: { run: Run; lines: Lines; navigation: Navigation }) {
    const { files, functions, source, metrics, hot, text, currentAt } = lines;
    if (!files) return null;
    return (
        <LinesNav
            run={run}
            files={files}
            functions={functions}
            file={source.data?.file.id ?? null}
            fn={lines.fn}
            onFile={navigation.toFile}
            onFunction={navigation.toFunction}
            hot={{ metrics, rows: hot, text, current: currentAt, onPick: navigation.toRow }}
        />
    );
}

function Source({ run, lines, grid }: { run: Run; lines: Lines; grid: Grid }) {
    const { metrics, functionRows, counts, hideZero } = lines;
    if (!metrics) return null;
    return (
        <SourceGrid
            key={lines.source.data?.file.id}
            label="Source"
            columns={lines.columns}
            rows={lines.rows}
            text={lines.text}
            tokens={lines.tokens}
            heatLevelOf={lines.heatLevelOf}
            isCold={lines.isCold}
            band={({ fn, isContinued }) => (
                <FunctionBand
                    metrics={metrics}
                    index={fn}
                    isContinued={isContinued}
                    rows={functionRows}
                    calls={counts}
                />
            )}
            remark={(row) => (row.isAdditional ? ownerText(metrics, row.at) : null)}
            current={lines.current}
            onCurrent={({ key }) => replaceQuery({ line: key, fn: null })}
            handle={grid}
            empty={
                hideZero
                    ? 'No line ran. Show lines without hits to see the source.'
                    : emptyText(run)
            }
        />
    );
}

/* Joins a name with its file, because the other panel may not show that file yet. */
function nameWithFile(file: string | null, name: string | null): string | null {
    return file === null || name === null ? null : `${file}\n${name}`;
}

function findInFile(file: string | null, name: string, find: (rest: string) => string | null) {
    const cut = name.indexOf('\n');
    if (file === null || findPath([file], name.slice(0, cut)) < 0) return undefined;
    return find(name.slice(cut + 1));
}

/** Names of the current file, function and line, for the other panel. */
function useLineNames(lines: Lines): void {
    const { files, source, rows, text, metrics, functionRows, current } = lines;
    const urlFile = route.value.query.file;
    const shown = source.data?.file ?? null;
    const file =
        shown && (urlFile === undefined || Number(urlFile) === shown.id) ? shown.path : null;
    const named = useMemo((): NamedLine[] => {
        const functionNameAt = (at: number) => metrics?.functions[metrics.fn[at]]?.name ?? '';
        return rows.flatMap((row) =>
            row.kind === 'line'
                ? [
                      {
                          key: row.key,
                          functionName: functionNameAt(row.at),
                          text: text[row.line - 1] ?? '',
                      },
                  ]
                : [],
        );
    }, [rows, text, metrics]);
    useDefaultSelection('file', files && files.length > 1 ? files[0].id : null);
    useDefaultSelection('line', file && current);
    useNames(files ? ['file'] : [], {
        nameOf: (id) => files?.find((one) => one.id === Number(id))?.file ?? null,
        valueOf: (name) => {
            const at = findPath(files?.map((one) => one.file) ?? [], name);
            return files && at >= 0 ? String(files[at].id) : null;
        },
    });
    useNames(file ? ['line'] : [], {
        nameOf: (key) => nameWithFile(file, lineName(named, key)),
        valueOf: (name) => findInFile(file, name, (rest) => lineKey(named, rest)),
    });
    useNames(file && functionRows.length ? ['fn'] : [], {
        nameOf: (id) =>
            nameWithFile(file, functionRows.find((one) => one.id === Number(id))?.function ?? null),
        valueOf: (name) =>
            findInFile(file, name, (rest) => {
                const found = functionRows.find((one) => one.function === rest);
                return found ? String(found.id) : null;
            }),
    });
}
