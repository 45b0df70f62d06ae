/* SPDX-License-Identifier: MIT
 *
 * The same lines as measured by several runs, one group of columns per run: line_profiler,
 * memory_profiler, Scalene, and cProfile's totals at the first lines of functions.
 */
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import { useKeys } from '../../base/keys';
import { kindHas } from '../../base/kinds';
import type { MultiRunAnswer } from '../../base/line_types';
import { replaceQuery, route } from '../../base/router';
import type { Run } from '../../base/types';
import { int, plural, when } from '../../base/units';
import { CheckBox } from '../../components/check_box';
import { KindMark } from '../../components/kind_mark';
import { Menu } from '../../components/menu';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { setStatus } from '../../components/status_line';
import { PaneHead, Spacer, Toolbar } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { multiRunRows, anyActive, runFigures, runOrder } from './multi_run';
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

const NARROW = 1000;

/* Columns of the runs over common lines. The heat is from the first run that has heat values. */
function useMultiRunModel(run: Run, answer: MultiRunAnswer | null) {
    const runs = useMemo(
        () => runOrder(run.id, answer?.runs ?? []).map(runFigures),
        [answer, run.id],
    );
    const rows = useMemo(() => (answer ? multiRunRows(answer, runs) : []), [answer, runs]);
    const parts = useMemo(() => runs.map(runColumns), [runs]);
    const columns = useMemo(() => parts.flat(), [parts]);
    const groups = useMemo(
        () => runs.map((of, i) => ({ title: <RunTitle of={of} />, columns: parts[i].length })),
        [runs, parts],
    );
    const first =
        runs.find(({ figures }) => figures.measure !== 'none' && figures.functions.length) ??
        runs[0];
    const hot = useMemo(
        () => (first ? hottestRows(first.figures).map((row) => first.figures.line[row]) : []),
        [first],
    );
    const levelOf = useCallback(
        ({ line }: LineRow) => {
            const row = first?.rowOfLine.get(line);
            if (!first || row === undefined || kindHas(first.run.kind, 'calls')) return 0;
            return heatOf(first.figures, row, 'function');
        },
        [first],
    );
    const isCold = useCallback(({ line }: LineRow) => !anyActive(runs, line), [runs]);
    return { rows, columns, groups, first, hot, levelOf, isCold };
}

const REMARK = 'heat shows the first run; cProfile totals are on the first line of each function';

export function MultiRunTab({ run }: { run: Run }) {
    const choice = useMultiRunChoice(run, route.value.query);
    const { data: answer, error, loading } = useMultiRun(choice);
    useEffect(() => setStatus(undefined, REMARK), []);
    const nothing = choice.ready && choice.path === null;
    const wide = viewportWidth.value >= NARROW;
    return (
        <div class="tab-body lines-tab">
            <Toolbar label="view options">
                <FileMenu choice={choice} />
                {!wide && <RunsMenu choice={choice} />}
                <Spacer />
                <HeatLegend of="of the function" />
            </Toolbar>
            {error && <Notice kind="error" title="The runs could not be read" error={error} />}
            {nothing && <p class="grid-empty">{emptyText(run, choice.files?.length ?? 0)}</p>}
            {!nothing && (
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
    const { rows, columns, groups, first, hot, levelOf, isCold } = useMultiRunModel(run, answer);
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
            levelOf={levelOf}
            isCold={isCold}
            band={({ fn }) => <b class="mono">{first?.figures.functions[fn]?.name}</b>}
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

function toggled(chosen: string[], id: string): string | null {
    const next = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
    return next.join(',') || null;
}

function FileMenu({ choice }: { choice: MultiRunChoice }) {
    return (
        <Menu
            label={<span class="mono">{choice.path ?? 'no file'} ▾</span>}
            ariaLabel="file"
            class="button file-menu"
            filter
            items={(choice.files ?? []).map(({ path, runs }) => ({
                text: path,
                note: plural(runs.length, 'run'),
                checked: path === choice.path,
                onPick: () => replaceQuery({ path, runs: null, line: null }),
            }))}
        />
    );
}

function RunsMenu({ choice }: { choice: MultiRunChoice }) {
    const { candidates, chosen } = choice;
    return (
        <Menu
            label={`Runs ${int(chosen.length)} of ${int(candidates.length)} ▾`}
            class="button"
            items={candidates.map(({ run, name, kind }) => ({
                text: name,
                note: kind,
                checked: chosen.includes(run),
                onPick: () => replaceQuery({ runs: toggled(chosen, run) }),
            }))}
        />
    );
}

function RunsPane({ choice, self }: { choice: MultiRunChoice; self: string }) {
    const { candidates, chosen } = choice;
    return (
        <nav class="lines-nav" aria-label="runs of this file">
            <PaneHead title="Runs of this file">
                <span class="soft">
                    {int(chosen.length)} of {int(candidates.length)}
                </span>
            </PaneHead>
            <div class="across-runs">
                {candidates.map((one) => (
                    <RunLine
                        key={one.run}
                        one={one}
                        self={one.run === self}
                        checked={chosen.includes(one.run)}
                        onToggle={() => replaceQuery({ runs: toggled(chosen, one.run) })}
                    />
                ))}
            </div>
        </nav>
    );
}

interface RunLineProps {
    one: Candidate;
    self: boolean;
    checked: boolean;
    onToggle: () => void;
}

function RunLine({ one, self, checked, onToggle }: RunLineProps) {
    const added = one.created_ms > 0 ? when(new Date(one.created_ms).toISOString()) : '';
    return (
        <label class="across-run" title={`${one.name}, ${one.kind}, added ${added}`}>
            <CheckBox label={one.name} checked={checked} onChange={onToggle} />
            <KindMark kind={one.kind} />
            <span class={self ? 'ellipsis is-self' : 'ellipsis'}>{one.name}</span>
            <span class="zero">{added}</span>
        </label>
    );
}
