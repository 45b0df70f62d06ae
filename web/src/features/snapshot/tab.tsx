/* SPDX-License-Identifier: MIT
 *
 * The Snapshot tab of a memory snapshot of PyTorch: live memory over events, and what is live at the
 * cursor: segments, flame graph and stacks. state.ts says what is in the URL.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type {
    LiveFlame,
    LiveSet,
    Run,
    SegmentMap,
    Snapshot,
    SnapshotDevice,
    SnapshotMark,
} from '../../base/answers';
import { useEffectOn } from '../../base/hooks';
import { useKeys } from '../../base/keys';
import { replaceQuery, route } from '../../base/router';
import { type ApiError } from '../../base/client';
import { bytesText, int, plural } from '../../base/units';
import type { ChartAnnotation, ChartMark } from '../../canvas/snapshot_chart';
import { CheckBox } from '../../components/check_box';
import { CopyButton } from '../../components/copy_button';
import type { GridHandle } from '../../components/grid_types';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { SearchField } from '../../components/search_field';
import { Segmented } from '../../components/segmented';
import { isPaneBeside, PANE_LIMITS, SelectionLayout } from '../../components/selection_layout';
import { sizedPane, Splitter } from '../../components/splitter';
import { setStatus } from '../../components/status_line';
import { PaneHead } from '../../components/toolbar';
import { viewportWidth } from '../../components/viewport';
import { matcher } from '../../model/search';
import { type Pick, pickOfRow, pickOfStack } from '../../model/snapshot_pick';
import { frameText, NO_STACK } from '../../model/snapshot_names';
import { PLACES, treeOf } from '../../model/tree_answers';
import { AllocationPane } from './allocation';
import { type ChartHit, SnapshotChart } from './chart';
import { PartsLegend, SnapshotControls } from './controls';
import { HistoryOff, NoMemory } from './nothing';
import { snapshotPath, usePacedJson } from './data';
import { LiveFlameView } from './flame';
import { csvOf, keyOf, StackTable } from './stacks';
import type { SnapshotStage } from './stage';
import {
    chooseDevice,
    defaultMode,
    eventMarks,
    readState,
    type RowsBy,
    selectAllocation,
    selectRow,
    selectStack,
    type SnapshotState,
    stops,
} from './state';
import { SegmentStrip } from './strip';

const COMMIT_MS = 200;
const MAX_ROWS = 2000;

/* The event of the cursor. While it moves, the URL still has the old one. */
function useCursor({ at, device }: SnapshotState): [number, (event: number) => void] {
    const [moving, setMoving] = useState<number | null>(null);
    const timer = useRef<ReturnType<typeof setTimeout> | undefined>();
    const written = useRef<number | null>(null); // the event in the URL, until the effect below has run
    useEffectOn(() => {
        const isOwn = at === written.current;
        written.current = null;
        if (!isOwn) clearTimeout(timer.current); // something else changed the URL: the move ends
        // The user may have moved the cursor again since this event was written to the URL.
        setMoving((now) => (isOwn && now !== at ? now : null));
    }, [at, device.number]);
    useEffect(() => () => clearTimeout(timer.current), []);
    const move = (event: number): void => {
        setMoving(event);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
            const next = event === device.cursor ? null : String(event);
            if ((route.peek().query.at ?? null) === next) setMoving(null);
            else {
                written.current = event;
                replaceQuery({ at: next, fz: null });
            }
        }, COMMIT_MS);
    };
    return [moving ?? at, move];
}

/** What is said of an event beside its number. */
function noteOf(marks: readonly SnapshotMark[], device: SnapshotDevice, event: number): string {
    const mark = marks.find((one) => one.event === event);
    if (mark?.kind === 'oom') return 'out of memory';
    if (event === device.peak_event) return 'the peak';
    if (mark?.kind === 'snapshot') return 'snapshot taken';
    return event === device.events - 1 ? 'the end' : '';
}

/* Flags by importance; the first is the cursor. */
function flagsOf(
    marks: readonly SnapshotMark[],
    device: SnapshotDevice,
    cursor: number,
    live: number | null,
): ChartMark[] {
    const here = marks.find(({ event, kind }) => event === cursor && kind === 'oom');
    const bytes = live === null ? '' : bytesText(live);
    const atPeak = cursor === device.peak_event;
    const failed = ({ asked }: SnapshotMark): string =>
        asked === null ? 'out of memory' : `out of memory, asked ${bytesText(asked)}`;
    const flags: ChartMark[] = [
        here
            ? { at: cursor, text: failed(here), tone: 'failed' }
            : {
                  at: cursor,
                  text: atPeak ? `peak ${bytesText(device.peak_live)}` : bytes,
                  tone: 'cursor',
              },
    ];
    for (const mark of marks)
        if (mark.kind === 'oom' && mark !== here)
            flags.push({ at: mark.event, text: failed(mark), tone: 'failed' });
    if (!atPeak)
        flags.push({
            at: device.peak_event,
            text: `peak ${bytesText(device.peak_live)}`,
            tone: 'note',
        });
    for (const mark of marks)
        if (mark.kind === 'snapshot')
            flags.push({ at: mark.event, text: 'snapshot taken', tone: 'note' });
    return flags;
}

function annotationsOf({ marks }: Snapshot, device: SnapshotDevice): ChartAnnotation[] {
    return marks.flatMap((mark) =>
        mark.kind === 'annotation' && mark.device === device.number
            ? [{ from: mark.event, to: mark.end, name: mark.name ?? '' }]
            : [],
    );
}

export function SnapshotTab({ run }: { run: Run }) {
    const { data, error, loading } = usePacedJson<Snapshot>(
        snapshotPath(run, '', { plumbing: route.value.query.p === '1' ? 1 : undefined }),
    );
    const device = data && chooseDevice(data, route.value.query.d);
    if (data && !device) return <NoMemory />;
    return (
        <div class="tab-body snapshot">
            {error && <Notice kind="error" title="The snapshot could not be read" error={error} />}
            {data && device && (
                <SnapshotView key={run.id} run={run} snapshot={data} device={device} />
            )}
            <LoadingLine active={loading} />
        </div>
    );
}

const ROWS: { value: RowsBy; text: string }[] = [
    { value: 'stack', text: 'stack' },
    { value: 'file', text: 'file' },
    { value: 'module', text: 'module' },
    { value: 'size', text: 'size' },
];

/** In narrower windows, flame graph and table are tabs of one pane. */
const BESIDE_PX = 1000;
/** Least width of the table beside the flame graph. */
const TABLE_PX = 700;
const FLAME_LIMITS = { normal: 632, min: 300, max: 1400 };

function SnapshotView({
    run,
    snapshot,
    device,
}: {
    run: Run;
    snapshot: Snapshot;
    device: SnapshotDevice;
}) {
    const state = readState(device);
    const [cursor, setCursor] = useCursor(state);
    const stage = useRef<SnapshotStage | null>(null);
    const goField = useRef<HTMLInputElement | null>(null);
    const searchField = useRef<HTMLInputElement | null>(null);
    const handle = useRef<GridHandle | null>(null);
    const [chartError, setChartError] = useState<ApiError | null>(null);
    const [chartLoading, setChartLoading] = useState(false);
    const [bands, setBands] = useState<[drawn: number, total: number]>([0, 0]);
    const place = { device: device.number, at: cursor };
    const plumbing = state.plumbing ? 1 : 0;
    const live = usePacedJson<LiveSet>(
        snapshotPath(run, 'live', { ...place, by: state.by, plumbing, limit: MAX_ROWS }),
    );
    const flame = usePacedJson<LiveFlame>(snapshotPath(run, 'flame', { ...place, plumbing }));
    const segments = usePacedJson<SegmentMap>(
        snapshotPath(run, 'segments', { ...place, plumbing }),
    );
    const marks = useMemo(() => eventMarks(snapshot, device), [snapshot, device]);
    const annotations = useMemo(() => annotationsOf(snapshot, device), [snapshot, device]);
    const liveAt = live.data?.at === cursor ? live.data.live : null;
    const search = useMemo(() => {
        const found = matcher(state.search, false);
        return found.empty ? null : found;
    }, [state.search]);
    const rows = state.row === null ? undefined : live.data?.rows; // no new pick per cursor without a row
    const picked = useMemo((): Pick | null => {
        if (state.stack !== undefined) return pickOfStack(state.stack);
        const row = rows?.find((one) => keyOf(one, state.by) === state.row);
        return row && state.by !== 'stack' ? pickOfRow(row) : null;
    }, [state.stack, state.row, state.by, rows]);
    const groups = useMemo(() => groupsOf(snapshot, device, picked), [snapshot, device, picked]);
    const names = useMemo(() => groupNames(snapshot, device), [snapshot, device]);
    const go = (event: number): void => {
        const next = Math.max(-1, Math.min(device.events - 1, event));
        setCursor(next);
        stage.current?.reveal(next);
    };
    const goToMark = (by: 1 | -1): void => {
        const all = stops(snapshot, device);
        const next = by > 0 ? all.find((e) => e > cursor) : all.filter((e) => e < cursor).at(-1);
        if (next !== undefined) go(next);
    };
    const pick = (hit: ChartHit): void => {
        if (hit.allocation !== null) selectAllocation(hit.allocation, hit.stack);
        else if (hit.group === 0) selectStack(null);
        else if (hit.group !== null) selectStack(stackOfGroup(snapshot, device, hit.group));
    };
    const back = (): void => {
        if (state.allocation !== null) selectAllocation(null);
        else if (state.stack !== undefined || state.row !== null) selectStack(undefined);
        else if (route.peek().query.fz) replaceQuery({ fz: null });
        else if (state.search) replaceQuery({ q: null });
        else stage.current?.fit();
    };
    useSnapshotKeys({ device, state, cursor, go, goToMark, stage, goField, searchField, back });
    useStatus(run, snapshot, device);
    const asked = marks.find(({ event, kind }) => kind === 'oom' && event === cursor);
    const hasEvents = device.events > 0;
    const where = hasEvents ? 'at the cursor' : 'at the end';
    const hasPane =
        state.allocation !== null && isPaneBeside() && sizedPane('selection', PANE_LIMITS).isOpen;
    const room = viewportWidth.value - (hasPane ? sizedPane('selection', PANE_LIMITS).size : 0);
    const beside = room >= BESIDE_PX;
    const pane = route.value.query.pane === 'flame' ? 'flame' : 'stacks';
    const flameSize = sizedPane('snapshot.flame', {
        ...FLAME_LIMITS,
        max: Math.max(FLAME_LIMITS.min, room - TABLE_PX),
    });
    // A move of the cursor draws the chart in each frame, and these when there is an answer.
    const flameView = useMemo(
        () =>
            flame.data && (
                <LiveFlameView
                    run={run}
                    flame={treeOf(flame.data, PLACES)}
                    stack={state.stack}
                    pick={state.row === null ? null : picked}
                    search={search}
                    onStack={selectStack}
                />
            ),
        [run, flame.data, state.stack, state.row, picked, search],
    );
    const table = useMemo(
        () =>
            live.data && (
                <StackTable
                    run={run}
                    live={live.data}
                    by={state.by}
                    stack={state.stack}
                    picked={state.row}
                    search={search}
                    isNarrow={hasPane}
                    hasEvents={hasEvents}
                    handle={handle}
                    onStack={selectStack}
                    onRow={selectRow}
                    onOpen={() => {
                        if (!beside) replaceQuery({ pane: 'flame' });
                    }}
                />
            ),
        [run, live.data, state.by, state.stack, state.row, search, hasPane, hasEvents, beside],
    );
    const strip = useMemo(
        () =>
            segments.data && (
                <SegmentStrip
                    map={segments.data}
                    where={where}
                    names={names}
                    pick={picked}
                    allocation={state.allocation}
                    asked={asked?.asked ?? null}
                    onBlock={selectAllocation}
                />
            ),
        [segments.data, where, names, picked, state.allocation, asked],
    );
    const flamePane = (
        <section class="pane snapshot-flame" style={beside ? { width: flameSize.size } : undefined}>
            <PaneHead
                title={beside ? `Live ${where}` : <PaneSwitch pane={pane} />}
                remark={live.data ? `${bytesText(live.data.live)} by Python stack` : ''}
            >
                <PlumbingBox checked={!state.plumbing} />
            </PaneHead>
            {flame.error && (
                <Notice
                    kind="error"
                    title="The flame graph could not be read"
                    error={flame.error}
                />
            )}
            {flameView}
            <LoadingLine active={flame.loading} />
        </section>
    );
    const stacksPane = (
        <section class="pane pane-main">
            {beside && <Splitter pane={flameSize} side="left" label="width of the flame graph" />}
            <PaneHead
                title={beside ? 'Stacks by live bytes' : <PaneSwitch pane={pane} />}
                remark={live.data && !hasPane ? rowsText(live.data, state.by, where) : ''}
            >
                <Segmented<RowsBy>
                    label="rows"
                    value={state.by}
                    options={ROWS}
                    onChange={(by) => replaceQuery({ by: by === 'stack' ? null : by, row: null })}
                />
                <SearchField
                    value={state.search}
                    inputRef={searchField}
                    placeholder="Search"
                    label="search stacks"
                    hint="/"
                    width={beside ? 120 : 110}
                    onInput={(q) => replaceQuery({ q: q || null })}
                />
                {live.data && !hasPane && (
                    <CopyButton
                        class="quiet hide-below-600"
                        label="Copy CSV"
                        text={() => csvOf(live.data?.rows ?? [])}
                    />
                )}
            </PaneHead>
            {live.error && (
                <Notice kind="error" title="The live set could not be read" error={live.error} />
            )}
            {table}
            {live.data && live.data.omitted.rows > 0 && (
                <p class="snapshot-note">
                    {plural(live.data.omitted.rows, 'smaller row')} with{' '}
                    {bytesText(live.data.omitted.bytes)} are not listed.
                </p>
            )}
            <LoadingLine active={live.loading} />
        </section>
    );
    return (
        <>
            {!hasEvents && <HistoryOff>only what is alive at the end is known.</HistoryOff>}
            {(hasEvents || snapshot.devices.length > 1) && (
                <SnapshotControls
                    snapshot={snapshot}
                    state={state}
                    cursor={cursor}
                    cursorNote={noteOf(marks, device, cursor)}
                    goField={goField}
                    onCursor={go}
                    onMark={goToMark}
                />
            )}
            {hasEvents && (
                <div class="snapshot-picture">
                    {chartError && (
                        <Notice
                            kind="error"
                            title="The timeline could not be read"
                            error={chartError}
                        />
                    )}
                    <PartsLegend run={run} state={state} />
                    <SnapshotChart
                        stage={stage}
                        run={run}
                        device={device}
                        mode={state.mode}
                        parts={state.parts}
                        x={state.x}
                        zoom={state.zoom}
                        cursor={cursor}
                        cursorBytes={liveAt}
                        title={`GPU ${device.number}`}
                        marks={flagsOf(marks, device, cursor, liveAt)}
                        annotations={annotations}
                        groups={groups}
                        pick={picked}
                        allocation={state.allocation}
                        plumbing={plumbing}
                        label={chartLabel(device, marks, cursor, liveAt)}
                        onCursor={setCursor}
                        onPick={pick}
                        onZoom={(z) => replaceQuery({ z })}
                        onError={setChartError}
                        onLoading={setChartLoading}
                        onBands={(drawn, total) => setBands([drawn, total])}
                    />
                    {state.mode === 'lifetimes' && bands[0] < bands[1] && (
                        <p class="snapshot-note">{bandsText(...bands)}</p>
                    )}
                    <LoadingLine active={chartLoading} />
                </div>
            )}
            {segments.error && (
                <Notice
                    kind="error"
                    title="The segments could not be read"
                    error={segments.error}
                />
            )}
            {strip}
            <SelectionLayout
                pane={
                    state.allocation !== null && (
                        <AllocationPane
                            run={run}
                            device={device.number}
                            id={state.allocation}
                            events={device.events}
                            onCursor={go}
                            onClose={() => selectAllocation(null)}
                        />
                    )
                }
            >
                <div class="snapshot-panes">
                    {(beside || pane === 'flame') && flamePane}
                    {(beside || pane === 'stacks') && stacksPane}
                </div>
            </SelectionLayout>
        </>
    );
}

function bandsText(drawn: number, total: number): string {
    return drawn === 0
        ? `All ${int(total)} allocations of this range are too small for a band: they are the grey area. Stacks show where they are from.`
        : `Bands are the ${int(drawn)} largest of ${int(total)} allocations of this range. The grey area below has the others.`;
}

function PaneSwitch({ pane }: { pane: 'flame' | 'stacks' }) {
    return (
        <Segmented
            label="pane"
            value={pane}
            options={[
                { value: 'stacks', text: 'Stacks' },
                { value: 'flame', text: 'Flame' },
            ]}
            onChange={(next) => replaceQuery({ pane: next === 'flame' ? 'flame' : null })}
        />
    );
}

function PlumbingBox({ checked }: { checked: boolean }) {
    const change = (hide: boolean): void =>
        replaceQuery({ p: hide ? null : '1', fz: null, s: null });
    return (
        <label
            class="snapshot-check"
            title="frames of torch that only call the next one, such as _call_impl and apply"
        >
            <CheckBox label="hide plumbing" checked={checked} onChange={change} />
            <span class="soft">hide plumbing</span>
        </label>
    );
}

function rowsText({ rows, omitted }: LiveSet, by: RowsBy, where: string): string {
    const count = rows.length + omitted.rows;
    return by === 'stack' ? `${int(count)} ${where}` : plural(count, by);
}

/* The groups of the chart whose stack is selected. */
function groupsOf({ groups }: Snapshot, device: SnapshotDevice, pick: Pick | null): number[] {
    const own = groups.filter(
        (one) => one.device === device.number && pick?.stacks?.has(one.stack) === true,
    );
    return [...(pick?.stacks?.has(null) === true ? [0] : []), ...own.map(({ group }) => group)];
}

function stackOfGroup(
    { groups }: Snapshot,
    device: SnapshotDevice,
    group: number,
): number | undefined {
    return groups.find((one) => one.device === device.number && one.group === group)?.stack;
}

function groupNames({ groups }: Snapshot, device: SnapshotDevice): string[] {
    const names: string[] = [NO_STACK, '', '', '', '', '', '', 'another stack'];
    for (const one of groups) if (one.device === device.number) names[one.group] = frameText(one);
    return names;
}

function chartLabel(
    device: SnapshotDevice,
    marks: readonly SnapshotMark[],
    cursor: number,
    live: number | null,
): string {
    const failed = marks.filter(({ kind }) => kind === 'oom').length;
    return [
        `live memory of GPU ${device.number} over ${plural(device.events, 'event')}`,
        `peak ${bytesText(device.peak_live)} at event ${int(device.peak_event)}`,
        failed > 0 ? plural(failed, 'failed allocation') : '',
        `cursor at event ${int(cursor)}${live === null ? '' : `, ${bytesText(live)} live`}`,
    ]
        .filter(Boolean)
        .join(', ');
}

function useStatus(run: Run, snapshot: Snapshot, device: SnapshotDevice): void {
    useEffect(() => {
        const missing = snapshot.marks_without_place;
        setStatus(
            undefined,
            [
                'bytes as requested, before rounding to blocks',
                missing > 0
                    ? `${plural(missing, 'annotation')} without a place: events have no times`
                    : '',
            ]
                .filter(Boolean)
                .join(' · '),
            device.events > 0 ? (
                <span class="snapshot-hints">
                    <kbd>←</kbd> <kbd>→</kbd> event <kbd>[</kbd> <kbd>]</kbd> mark <kbd>W</kbd>{' '}
                    <kbd>S</kbd> zoom <kbd>P</kbd> peak
                </span>
            ) : undefined,
        );
        return () => setStatus(undefined, null);
    }, [run.id, snapshot, device]);
}

interface KeyProps {
    device: SnapshotDevice;
    state: SnapshotState;
    cursor: number;
    go: (event: number) => void;
    goToMark: (by: 1 | -1) => void;
    stage: { current: SnapshotStage | null };
    goField: { current: HTMLInputElement | null };
    searchField: { current: HTMLInputElement | null };
    back: () => void;
}

const KEY_ZOOM = 0.8;
const KEY_PAN = 0.12;
const LEAP = 100;

function useSnapshotKeys(props: KeyProps): void {
    const { device, state, cursor, go, goToMark, stage, goField, searchField, back } = props;
    const toggle = (): void => {
        const next = state.mode === 'lifetimes' ? 'stacks' : 'lifetimes';
        replaceQuery({ v: next === defaultMode(device) ? null : next });
    };
    const chartKeys = [
        { key: 'ArrowLeft', label: 'previous event', run: () => go(cursor - 1) },
        { key: 'ArrowRight', label: 'next event', run: () => go(cursor + 1) },
        { key: 'shift+ArrowLeft', label: '100 events back', run: () => go(cursor - LEAP) },
        { key: 'shift+ArrowRight', label: '100 events ahead', run: () => go(cursor + LEAP) },
        { key: '[', label: 'previous mark', run: () => goToMark(-1) },
        { key: ']', label: 'next mark', run: () => goToMark(1) },
        { key: 'p', label: 'peak', run: () => go(device.peak_event) },
        { key: 'w', label: 'zoom in', run: () => stage.current?.zoom(KEY_ZOOM) },
        { key: 's', label: 'zoom out', run: () => stage.current?.zoom(1 / KEY_ZOOM) },
        { key: '+', label: 'zoom in', run: () => stage.current?.zoom(KEY_ZOOM) },
        { key: '=', label: '', run: () => stage.current?.zoom(KEY_ZOOM) },
        { key: '-', label: 'zoom out', run: () => stage.current?.zoom(1 / KEY_ZOOM) },
        { key: 'a', label: 'pan left', run: () => stage.current?.pan(-KEY_PAN) },
        { key: 'd', label: 'pan right', run: () => stage.current?.pan(KEY_PAN) },
        { key: 'f', label: 'fit', run: () => stage.current?.fit() },
        { key: '0', label: '', run: () => stage.current?.fit() },
        { key: 'g', label: 'go to event', run: () => goField.current?.focus() },
        { key: 'l', label: 'lifetimes or stacks', run: toggle },
    ];
    useKeys('Snapshot', [
        ...(device.events > 0 ? chartKeys : []),
        { key: '/', label: 'search stacks', run: () => searchField.current?.focus() },
        { key: 'Escape', label: 'back', run: back },
    ]);
}
