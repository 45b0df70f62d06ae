/* SPDX-License-Identifier: MIT
 *
 * The Timeline tab: the tracks, the selected slice next to the tracks, and the tables of the range
 * below. Window, range, slice, search, the arrangement of the tracks and the table of the dock are
 * in the URL.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Run, SliceAnswer, TimelineAnswer, TimelineNote } from '../../base/answers';
import { API, asApiError } from '../../base/client';
import { useEffectOn, useMemoOn } from '../../base/hooks';
import { isPanel } from '../../base/panel';
import { pushQuery, replaceQuery, route } from '../../base/router';
import { int } from '../../base/units';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { setStatus } from '../../components/status_line';
import { viewportWidth } from '../../components/viewport';
import { withLayers } from '../../model/timeline_layers';
import { fitView, panView, type TimeView } from '../../model/timeline_view';
import { type Area, areaQuery, areaText, rangeOfArea, readArea } from '../../model/timeline_area';
import { useJson } from '../shared/use_json';
import type { WorkerName } from '../../model/worker_names';
import { isAttributed, isStacks, timelinePath, traceOf } from '../trace/data';
import { useWorkerNames } from '../trace/worker_names';
import { ARRANGEMENT_KEYS, parseArrangement } from './arrangement';
import { AreaPane } from './area_pane';
import { useTimelineNotes } from './notes';
import { type NoteDraft, NotesLayer, NotesList } from './notes_layer';
import { useTimelineLink } from './panel_link';
import { TimelineDetail } from './detail';
import { type DockDetail, TimelineDock } from './dock';
import { GesturesHint } from './hint';
import { deviceWord } from '../../model/device';
import { layoutLanes } from './lanes';
import { useLinks } from './links';
import { hitOf, openLaneMenu, openSliceMenu, sliceActions } from './menus';
import { PathSwitch, usePathLine } from './path_line';
import type { ArrangementChange } from './props';
import { FindField, useFind, useHitPosition } from './search';
import { useSelect } from './selection';
import { SidePane, sidePane } from './side_pane';
import { useSnapshotMemory } from './snapshot_memory';
import { type SqlRows, useSqlRows } from './sql_rows';
import type { TimelineStage } from './stage';
import { arrange, useTimelineData } from './state';
import { NoStepsHint } from './steps';
import { stepsOfFirstWorker } from './steps_row';
import { RowsChip, TimelineToolbar } from './toolbar';
import { CurveTip, RowTip, SliceTip } from './tooltip';
import { TimelineView } from './view';

const PANE_MIN_WIDTH = 1000;

export function TimelineTab({ run }: { run: Run }) {
    const { data, error } = useJson<TimelineAnswer>(timelinePath(run));
    const timeline = useMemo(() => data && withLayers(data), [data]);
    if (error) return <Notice kind="error" title="The timeline could not be read" error={error} />;
    if (!timeline) return <LoadingLine active />;
    if (!timeline.tracks.length && !timeline.counters.length && !timeline.memory.length) {
        return (
            <p class="grid-empty">
                This trace has no events with a duration. The Ledger tab lists what was read.
            </p>
        );
    }
    return <Timeline run={run} timeline={timeline} />;
}

interface TimelineProps {
    run: Run;
    timeline: TimelineAnswer;
}

/* Parses `from~to`, the range in ns that covers both aligned runs; null if there is none. */
function parseCommonRange(text: string | undefined): TimeView | null {
    const [from, to] = (text ?? '').split('~').map(Number);
    return to > from ? { from, to } : null;
}

function useLanes(
    run: Run,
    timeline: TimelineAnswer,
    roles: ReadonlyMap<number, string>,
    nameOf: WorkerName | null,
    sqlRows: SqlRows | null,
) {
    const { query } = route.value;
    const snapshots = useSnapshotMemory(run);
    const arrangement = useMemoOn(
        // A panel is low: no tracks are pinned at first, and there is no row of steps.
        () => parseArrangement(isPanel() ? { pin: 'none', ...query } : query),
        ARRANGEMENT_KEYS.map((key) => query[key]),
    );
    const lanes = useMemoOn(
        () =>
            layoutLanes(
                { ...timeline, memory: [...snapshots, ...timeline.memory] },
                arrangement,
                roles,
                nameOf,
                sqlRows,
            ),
        [timeline, snapshots, arrangement, roles, nameOf, sqlRows, deviceWord()],
    );
    // A run without marks has one step, the complete run.
    const hasSteps = traceOf(run).steps > 0;
    const steps = useMemo(
        () => (isPanel() || !hasSteps ? [] : stepsOfFirstWorker(timeline.steps)),
        [timeline, hasSteps],
    );
    return { lanes, steps };
}

/* State of the tab: the values of the URL, and the data for them. */
function useTimeline({ run, timeline: read }: TimelineProps) {
    const { query } = route.value;
    const stage = useRef<TimelineStage | null>(null);
    const { timeline, observer } = useTimelineLink(read, stage);
    const commonRange = useMemo(() => parseCommonRange(query.reach), [query.reach]);
    const origin = Number(query.origin) || 0;
    const loaded = useTimelineData(run, read, stage);
    const nameOf = useWorkerNames(run);
    const sqlRows = useSqlRows(run, query.overlay ?? '');
    const { lanes, steps } = useLanes(run, timeline, loaded.roles, nameOf, sqlRows);
    const id = query.slice && /^\d{1,16}$/.test(query.slice) ? Number(query.slice) : null;
    const detail = useJson<SliceAnswer>(id === null ? null : `${API}/runs/${run.id}/slices/${id}`);
    const links = useLinks(run, id, detail.data);
    const find = useFind(run, query.q ?? '', query.regex === '1');
    const area = useMemoOn(() => readArea(query), [query.area, query.from_ns, query.to_ns]);
    const range = useMemo(() => area && rangeOfArea(area), [area]);
    const position = useHitPosition(run, find, detail.data?.slice ?? null);
    const moves = useSelect({ run, stage, detail, selected: links.selected, find, id, origin });
    const link = { timeline, observer, commonRange, origin };
    return {
        query,
        stage,
        ...link,
        ...loaded,
        lanes,
        steps,
        sqlRows,
        id,
        detail,
        links,
        find,
        area,
        position,
        range,
        ...moves,
    };
}

function useTimelineStatus(drawn: number | null): void {
    useEffect(() => {
        const status = drawn === null ? null : `drawn from ${int(drawn)} slices at 1 px`;
        setStatus(undefined, status, <KeyHints />);
    }, [drawn]);
}

function KeyHints() {
    return (
        <span class="timeline-keys">
            <kbd>W</kbd>
            <kbd>S</kbd> zoom <kbd>A</kbd>
            <kbd>D</kbd> pan <kbd>F</kbd> fit <kbd>P</kbd> pin <kbd>Z</kbd> fold <kbd>[</kbd>
            <kbd>]</kbd> step
        </span>
    );
}

function middleOf(stage: TimelineStage | null): number {
    return stage ? Math.round((stage.view.from + stage.view.to) / 2) : 0;
}

/* The notes of the run, the one of the URL, and the one that is being written. */
function useNotes(run: Run, stage: { current: TimelineStage | null }, area: Area | null) {
    const all = useTimelineNotes(run);
    const [draft, setDraft] = useState<NoteDraft | null>(null);
    const onFrame = useRef<((shown: TimelineStage) => void) | null>(null);
    const id = route.value.query.note;
    const selected = all.rows.find((note) => note.id === id) ?? null;
    const reveal = (t_ns: number): void => {
        const now = stage.current;
        if (!now || (t_ns >= now.view.from && t_ns <= now.view.to)) return;
        const middle = (now.view.from + now.view.to) / 2;
        now.easeTo(panView(now.view, now.whole, t_ns - middle));
    };
    const select = (note: TimelineNote | null): void => {
        const noteArea = note?.area ? readArea({ area: note.area }) : null;
        replaceQuery({ note: note?.id ?? null, ...(noteArea && areaQuery(noteArea)) });
        if (note) reveal(note.t_ns);
    };
    const startNote = (t_ns: number): void => {
        if (!all.mayAdd) return;
        setDraft(
            area
                ? { t_ns: area.from, area: areaText(area), note: null }
                : { t_ns: Math.max(0, t_ns), area: '', note: null },
        );
    };
    const spread = (notes: TimelineNote[]): void => {
        const [from, to] = [notes[0].t_ns, notes[notes.length - 1].t_ns];
        if (to === from) select(notes[0]);
        else stage.current?.easeTo(fitView({ from, to }, stage.current.whole, 0.2));
    };
    // The note of a link is shown, unless the link also has a window.
    useEffectOn(() => {
        if (selected && !route.peek().query.at) reveal(selected.t_ns);
    }, [selected?.id]);
    return {
        all,
        selected,
        select,
        draft,
        setDraft,
        startNote,
        spread,
        onFrame,
        mayAdd: all.mayAdd,
    };
}

/* What the pane beside the tracks has, as panes of the dock. */
function detailsOf(
    slice: ComponentChildren,
    area: ComponentChildren,
    notes: ComponentChildren,
): DockDetail[] {
    const details: DockDetail[] = [];
    if (slice) details.push({ id: 'slice', title: 'Slice', body: slice });
    else if (area) details.push({ id: 'slice', title: 'Area', body: area });
    if (notes) details.push({ id: 'notes', title: 'Notes', body: notes });
    return details;
}

/* Back undoes zoom and selection. The history of a panel belongs to the page around it. */
const write = (changes: Record<string, string | null>): void =>
    isPanel() ? replaceQuery(changes) : pushQuery(changes);

const writeView = (at: string | null, isFollowUp: boolean): void =>
    isFollowUp ? replaceQuery({ at }) : write({ at });

function Timeline({ run, timeline }: TimelineProps) {
    const now = useTimeline({ run, timeline });
    const { query, stage, data, loader, error, links, find, area, range, detail, select } = now;
    const { path, problem } = usePathLine(run);
    const search = useRef<HTMLInputElement | null>(null);
    const [message, setMessage] = useState<string | null>(null);
    useTimelineStatus(now.drawn);
    const report = (result: Promise<string | null>): void => {
        result.then(setMessage, (reason: unknown) => setMessage(asApiError(reason).text));
    };
    const enter = (backward: boolean): void => report(now.enter(backward));
    const onArrange = (change: ArrangementChange): void => arrange(change, now.lanes);
    const onName = (name: string): void => report(now.toName(name));
    const menuProps = (of: TimelineStage) => ({
        run,
        stage: of,
        data,
        loader,
        onArrange,
        onName,
        onError: setMessage,
    });
    const hasSidePane = viewportWidth.value >= PANE_MIN_WIDTH;
    const field = (
        <FindField
            find={find}
            position={now.position}
            inputRef={search}
            onStep={enter}
            message={message}
        />
    );
    const slice =
        now.id === null ? null : (
            <TimelineDetail
                run={run}
                timeline={timeline}
                answer={detail}
                launcher={links.other}
                actionsOf={(answer) => {
                    const target = stage.current && hitOf(answer, now.lanes);
                    if (!stage.current || !target) return [];
                    return sliceActions(target, answer.slice.name, menuProps(stage.current));
                }}
                onSelect={select}
            />
        );
    const notes = useNotes(run, stage, area);
    const { startNote } = notes;
    const areaPane = area && range && (
        <AreaPane
            run={run}
            timeline={timeline}
            area={area}
            range={range}
            onZoom={() => stage.current?.easeTo(fitView(area, stage.current.whole))}
            onNote={notes.mayAdd ? () => startNote(area.from) : null}
            onClose={() => replaceQuery(areaQuery(null))}
        />
    );
    // The details of an area of tracks take the place of those of a slice.
    const selectArea = (drawn: Area | null): void =>
        write({ ...areaQuery(drawn), ...(drawn?.lanes && { slice: null }) });
    // In narrow windows the details are a table of the dock.
    const notesList = notes.all.rows.length > 0 && (
        <NotesList run={run} notes={notes.all} selected={notes.selected} onSelect={notes.select} />
    );
    const details = hasSidePane ? [] : detailsOf(slice, areaPane, notesList);
    return (
        <div class="tab-body timeline">
            {!isPanel() && (
                <>
                    <TimelineToolbar lanes={now.lanes} filter={query.tracks ?? ''}>
                        {now.sqlRows && <RowsChip rows={now.sqlRows} run={run} />}
                        {isAttributed(run) && (
                            <PathSwitch
                                timeline={timeline}
                                problem={problem}
                                middle={() => middleOf(stage.current)}
                            />
                        )}
                        {notes.mayAdd && (
                            <button
                                type="button"
                                class="button"
                                title="note on the area, or in the middle of the view; N: at the pointer"
                                onClick={() => startNote(middleOf(stage.current))}
                            >
                                Add note <kbd>N</kbd>
                            </button>
                        )}
                        {field}
                    </TimelineToolbar>
                    <div class="timeline-lines">
                        <GesturesHint />
                        <NoStepsHint run={run} />
                    </div>
                </>
            )}
            {error && (
                <Notice kind="error" title="Part of the timeline could not be read" error={error} />
            )}
            <div class="timeline-panes">
                <div class="timeline-main">
                    <TimelineView
                        stageRef={stage}
                        answer={now.timeline}
                        commonRange={now.commonRange}
                        origin={now.origin}
                        observer={now.observer}
                        torch={isAttributed(run)}
                        data={data}
                        lanes={now.lanes}
                        at={query.at ?? ''}
                        onAt={writeView}
                        y={Number(query.y) || 0}
                        onY={(y) => replaceQuery({ y: y ? String(y) : null })}
                        area={area}
                        onArea={selectArea}
                        hasTracks={!isStacks(run)}
                        selected={links.selected}
                        flows={links.flows}
                        path={path}
                        onSelect={now.clicked}
                        found={find.found}
                        ticks={find.ticks}
                        isHit={now.position !== null}
                        steps={now.steps}
                        meanStep={traceOf(run).step_ns}
                        onArrange={onArrange}
                        onLabelMenu={(lane, x, y) => openLaneMenu(lane, x, y, onArrange)}
                        onMenu={(hit, x, y) => {
                            if (stage.current)
                                void openSliceMenu(hit, x, y, menuProps(stage.current));
                        }}
                        onNeed={(need) => loader.load(need)}
                        onStep={now.step}
                        onBack={() => (query.note ? notes.select(null) : now.back(area !== null))}
                        hasNote={Boolean(query.note)}
                        onNote={startNote}
                        onFrame={(shown) => notes.onFrame.current?.(shown)}
                        onFind={() => search.current?.select()}
                        tip={(hit) => <SliceTip hit={hit} data={data} loader={loader} />}
                        curveTip={(lane, { x, y }) => {
                            const t = stage.current?.timeAt(x) ?? 0;
                            if (!lane.marks) {
                                return <CurveTip lane={lane} t={t} curves={data.curves} />;
                            }
                            const mark = stage.current?.rowMarkAt(x, y);
                            return mark ? <RowTip mark={mark} /> : null;
                        }}
                        onRowMark={(mark) =>
                            mark.slice === null
                                ? selectArea({
                                      ...mark,
                                      to: Math.max(mark.from + 1, mark.to),
                                      lanes: null,
                                  })
                                : now.clicked(mark.slice)
                        }
                    >
                        <NotesLayer
                            notes={notes.all}
                            selected={notes.selected}
                            draft={notes.draft}
                            onFrame={notes.onFrame}
                            onSelect={notes.select}
                            onDraft={notes.setDraft}
                            onSpread={notes.spread}
                        />
                    </TimelineView>
                    {(!isPanel() || !hasSidePane) && (
                        <TimelineDock
                            run={run}
                            timeline={timeline}
                            range={range}
                            details={details}
                            tools={isPanel() ? field : null}
                        />
                    )}
                </div>
                {hasSidePane && sidePane().isOpen && (
                    <SidePane
                        field={isPanel() ? field : null}
                        find={find}
                        timeline={timeline}
                        onName={onName}
                        foot={notesList}
                    >
                        {slice ?? areaPane}
                    </SidePane>
                )}
            </div>
        </div>
    );
}
