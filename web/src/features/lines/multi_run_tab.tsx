/* SPDX-License-Identifier: MIT
 *
 * The same lines as measured by several runs, one group of columns per run: line_profiler,
 * memory_profiler, Scalene, and cProfile's totals at the first lines of functions.
 */
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import type { MultiRunAnswer, Run } from '../../base/answers';
import { useKeys } from '../../base/keys';
import { kindHas } from '../../base/kinds';
import { replaceQuery, route } from '../../base/router';
import { int, plural, when } from '../../base/units';
import { CheckBox } from '../../components/check_box';
import { KindMark } from '../../components/kind_mark';
import { Menu } from '../../components/menu';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { setStatus } from '../../components/status_line';
import { PaneHead, Spacer, Toolbar } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { multiRunRows, anyActive, runMetrics, runOrder, sameFileText } from './multi_run';
import { RunTitle, runColumns } from './multi_run_columns';
import {
    type MultiRunChoice,
    type Candidate,
    useMultiRun,
    useMultiRunChoice,
} from './multi_run_data';
import { usePython } from './data';
import { HeatLegend } from './heat_rail';
import { heatOf, hottestRows, type LineRow } from './source';
import { SourceGrid, type SourceGridHandle } from './source_grid';

const NARROW_PX = 1000;

/* Columns of the runs over common lines. The heat is from the first run that has heat values. */
function useMultiRunModel(run: Run, answer: MultiRunAnswer | null) {
    const runs = useMemo(
        () => runOrder(run.id, answer?.runs ?? []).map(runMetrics),
        [answer, run.id],
    );
    const rows = useMemo(() => (answer ? multiRunRows(answer, runs) : []), [answer, runs]);
    const parts = useMemo(() => runs.map(runColumns), [runs]);
    const columns = useMemo(() => parts.flat(), [parts]);
    const groups = useMemo(
        () =>
            runs.map((of, i) => ({
                title: <RunTitle of={of} self={run.id} />,
                columns: parts[i].length,
            })),
        [runs, parts, run.id],
    );
    const first =
        runs.find(({ metrics }) => metrics.measure !== 'none' && metrics.functions.length) ??
        runs[0];
    const hot = useMemo(
        () => (first ? hottestRows(first.metrics).map((row) => first.metrics.line[row]) : []),
        [first],
    );
    const heatLevelOf = useCallback(
        ({ line }: LineRow) => {
            const row = first?.rowOfLine.get(line);
            if (!first || row === undefined || kindHas(first.run.kind, 'calls')) return 0;
            return heatOf(first.metrics, row, 'function');
        },
        [first],
    );
    const isCold = useCallback(({ line }: LineRow) => !anyActive(runs, line), [runs]);
    return { rows, columns, groups, first, hot, heatLevelOf, isCold };
}

const REMARK = 'heat shows the first run; cProfile totals are on the first line of each function';

export function MultiRunTab({ run }: { run: Run }) {
    const choice = useMultiRunChoice(run, route.value.query);
    const { data: answer, error, loading } = useMultiRun(choice);
    useEffect(() => setStatus(undefined, REMARK), []);
    const hasNoFile = choice.ready && choice.path === null;
    const wide = viewportWidth.value >= NARROW_PX;
    return (
        <div class="tab-body lines-tab">
            <Toolbar label="view options">
                <FileMenu choice={choice} />
                {!wide && <RunsMenu choice={choice} />}
                <Spacer />
                <HeatLegend of="of the function" />
            </Toolbar>
            {error && <Notice kind="error" title="The runs could not be read" error={error} />}
            {hasNoFile && <p class="grid-empty">{emptyText(run, choice.files?.length ?? 0)}</p>}
            {!hasNoFile && (
                <div class="panes">
                    {wide && <RunsPane choice={choice} self={run.id} />}
                    <section class="pane pane-main">
                        {answer && <MultiRunGrid run={run} answer={answer} />}
                        <LoadingLine active={loading} />
                    </section>
                </div>
            )}
        </div>
    );
}

function MultiRunGrid({ run, answer }: { run: Run; answer: MultiRunAnswer }) {
    const { rows, columns, groups, first, hot, heatLevelOf, isCold } = useMultiRunModel(
        run,
        answer,
    );
    const tokens = usePython(answer.text);
    const grid = useRef<SourceGridHandle | null>(null);
    const current = route.value.query.line ?? (hot.length ? String(hot[0]) : null);
    function stepHot(by: 1 | -1): void {
        if (!hot.length) return;
        const key = String(hot[(hot.indexOf(Number(current)) + by + hot.length) % hot.length]);
        replaceQuery({ line: key });
        grid.current?.centre(key);
    }
    useKeys('Across runs', [
        { key: 'n', label: 'next hottest line', run: () => stepHot(1) },
        { key: 'p', label: 'previous hottest line', run: () => stepHot(-1) },
    ]);
    useEffect(() => grid.current?.focus(), []);
    return (
        <SourceGrid
            label="Source across runs"
            columns={columns}
            groups={groups}
            rows={rows}
            text={answer.text}
            tokens={tokens}
            heatLevelOf={heatLevelOf}
            isCold={isCold}
            band={({ fn }) => <b class="mono">{first?.metrics.functions[fn]?.name}</b>}
            current={current}
            onCurrent={({ key }) => replaceQuery({ line: key })}
            handle={grid}
            empty="None of the chosen runs measured this file. Choose other runs above."
        />
    );
}

function emptyText(run: Run, files: number): string {
    if (!kindHas(run.kind, 'calls') || files === 0) {
        return 'No run on this shelf has line values. Add a profile of line_profiler, memory_profiler or Scalene of the same source.';
    }
    return 'No run on this shelf has line values for the files of this profile. Add one from line_profiler, memory_profiler or Scalene, or pick another file above.';
}

/* Whether a run is shown. A namesake is shown if the user combined its path with the file. */
function isShown(choice: MultiRunChoice, one: Candidate): boolean {
    const isNamesake = choice.namesakes.includes(one);
    return choice.chosen.includes(one.run) && (!isNamesake || choice.also.includes(one.path));
}

function toggle(choice: MultiRunChoice, one: Candidate): void {
    const runs = choice.chosen.filter((id) => id !== one.run);
    const also = new Set(choice.also);
    if (!isShown(choice, one)) {
        runs.push(one.run);
        if (choice.namesakes.includes(one)) also.add(one.path);
    }
    replaceQuery({ runs: runs.join(',') || null, also: [...also].join('\n') || null });
}

function FileMenu({ choice }: { choice: MultiRunChoice }) {
    return (
        <Menu
            label={<span class="mono">{choice.path ?? 'no file'} ▾</span>}
            ariaLabel="file"
            tip={choice.path ?? undefined}
            class="button file-menu"
            filter
            items={(choice.files ?? []).map(({ path, runs }) => ({
                text: path,
                note: plural(runs.length, 'run'),
                checked: path === choice.path,
                onPick: () => replaceQuery({ path, runs: null, also: null, line: null }),
            }))}
        />
    );
}

function RunsMenu({ choice }: { choice: MultiRunChoice }) {
    const all = [...choice.candidates, ...choice.namesakes];
    const shown = all.filter((one) => isShown(choice, one));
    return (
        <Menu
            label={`Runs ${int(shown.length)} of ${int(all.length)} ▾`}
            class="button"
            items={all.map((one) => ({
                text: one.name,
                note: choice.namesakes.includes(one) ? `only the name: ${one.path}` : one.kind,
                checked: shown.includes(one),
                onPick: () => toggle(choice, one),
            }))}
        />
    );
}

function RunsPane({ choice, self }: { choice: MultiRunChoice; self: string }) {
    return (
        <nav class="lines-nav" aria-label="runs of this file">
            <div class="across-runs">
                <RunList title="Runs of this file" list={choice.candidates} {...{ choice, self }} />
                {choice.namesakes.length > 0 && (
                    <>
                        <RunList title="Same name" list={choice.namesakes} {...{ choice, self }} />
                        <p class="across-remark soft">
                            The paths do not tell whether these are the same file. Select a run to
                            show its values on these lines.
                        </p>
                    </>
                )}
            </div>
        </nav>
    );
}

interface RunListProps {
    title: string;
    list: Candidate[];
    choice: MultiRunChoice;
    self: string;
}

function RunList({ title, list, choice, self }: RunListProps) {
    const shown = list.filter((one) => isShown(choice, one));
    return (
        <>
            <PaneHead title={title}>
                <span class="soft">
                    {int(shown.length)} of {int(list.length)}
                </span>
            </PaneHead>
            {list.map((one) => (
                <RunLine
                    key={`${one.run} ${one.path}`}
                    one={one}
                    isSelf={one.run === self}
                    checked={shown.includes(one)}
                    onToggle={() => toggle(choice, one)}
                />
            ))}
        </>
    );
}

interface RunLineProps {
    one: Candidate;
    isSelf: boolean;
    checked: boolean;
    onToggle: () => void;
}

function RunLine({ one, isSelf, checked, onToggle }: RunLineProps) {
    const added = one.created_ms > 0 ? when(new Date(one.created_ms).toISOString()) : '';
    return (
        <label class="across-run" title={`${one.name}, ${one.kind}, added ${added}\n${one.path}`}>
            <CheckBox label={one.name} checked={checked} onChange={onToggle} />
            <KindMark kind={one.kind} />
            <span class={isSelf ? 'ellipsis is-self' : 'ellipsis'}>{one.name}</span>
            <span class="zero">{added}</span>
            <span class="across-same soft">{isSelf ? 'this run' : sameFileText(one)}</span>
        </label>
    );
}
