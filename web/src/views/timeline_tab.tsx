/* SPDX-License-Identifier: MIT
 *
 * The Timeline tab: where a step goes, the tracks, the selected slice beside them, the tables of the
 * range below. Window, range, slice, search, folded tracks and the dock stand in the URL.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { API, type ApiError, withParams } from '../base/client';
import { route, setQuery } from '../base/router';
import type { Run } from '../base/types';
import { int } from '../base/units';
import { Notice } from '../components/notice';
import { LoadingLine } from '../components/progress';
import { setStatus } from '../components/status_line';
import type { TimelineStage } from '../components/timeline_stage';
import { TimelineView } from '../components/timeline_view';
import { viewportWidth } from '../components/viewport';
import { type Need, timelineData } from '../model/timeline_data';
import { layoutLanes } from '../model/timeline_lanes';
import type { SliceAnswer, TimelineAnswer } from '../model/timeline_types';
import { rangeQuery, readRange } from '../model/trace_range';
import { TimelineLoader } from './timeline_data';
import { TimelineDetail } from './timeline_detail';
import { TimelineDock } from './timeline_dock';
import { findFrom, FindField, FoundNames, useFind } from './timeline_find';
import { useLinks } from './timeline_links';
import { useSelect, useSteps } from './timeline_select';
import { StepsOfRun } from './timeline_steps';
import { SliceTip } from './timeline_tip';
import { useJson } from './use_json';

const put = (changes: Record<string, string | null>): void => setQuery(changes, { replace: true });
const BESIDE = 1000;
const OVERVIEW_PX = 1000;

export function TimelineTab({ run }: { run: Run }) {
    const path = withParams(`${API}/runs/${run.id}/timeline`, { px: OVERVIEW_PX });
    const { data, error } = useJson<TimelineAnswer>(path);
    if (error) return <Notice kind="error" title="The timeline could not be read" error={error} />;
    if (!data) return <LoadingLine active />;
    if (!data.tracks.length && !data.counters.length && !data.memory.length) {
        return (
            <p class="timeline-hint">
                This trace holds no event that lasts: there is nothing to draw.
            </p>
        );
    }
    return <Timeline run={run} timeline={data} />;
}

interface TimelineProps {
    run: Run;
    timeline: TimelineAnswer;
}

/** Data in memory and its loader, for as long as the tab is open. */
function useTimelineData({ run, timeline }: TimelineProps, onData: () => void) {
    const [error, setError] = useState<ApiError | null>(null);
    const latest = useRef(onData);
    latest.current = onData;
    const both = useMemo(() => {
        const whole = {
            from: timeline.start_ns,
            to: Math.max(timeline.start_ns + 1, timeline.end_ns),
        };
        const data = timelineData(whole);
        const loader = new TimelineLoader(run.id, data, whole, () => latest.current(), setError);
        return { data, loader };
    }, [timeline]);
    useEffect(() => () => both.loader.dispose(), [both]);
    return { ...both, error };
}

function foldedKeys(off: string | undefined): ReadonlySet<string> {
    return new Set(off ? off.split(',') : []);
}

/* Unfolds when all of them are folded, else folds them. */
function fold(keys: string[]): void {
    const off = new Set(foldedKeys(route.peek().query.off));
    const all = keys.every((key) => off.has(key));
    for (const key of keys) {
        if (all) off.delete(key);
        else off.add(key);
    }
    put({ off: [...off].join(',') || null });
}

/** Slices that the picture was made from; said in the status line. */
function drawnFrom(need: Need, data: ReturnType<typeof timelineData>): number {
    let slices = 0;
    for (const track of need.tracks) {
        const window = data.cache.near(track);
        if (window) slices += window.slices.n + window.counted;
    }
    return slices;
}

function KeyWords() {
    return (
        <span class="timeline-keys">
            <kbd>W</kbd>
            <kbd>S</kbd> zoom <kbd>A</kbd>
            <kbd>D</kbd> pan <kbd>F</kbd> fit <kbd>R</kbd> range from slice
        </span>
    );
}

function Timeline({ run, timeline }: TimelineProps) {
    const { query } = route.value;
    const stage = useRef<TimelineStage | null>(null);
    const search = useRef<HTMLInputElement | null>(null);
    const [drawn, setDrawn] = useState<number | null>(null);
    const { data, loader, error } = useTimelineData({ run, timeline }, () => {
        const now = stage.current;
        if (!now) return;
        now.redraw();
        setDrawn(drawnFrom(now.need(false), data));
    });
    const folded = useMemo(() => foldedKeys(query.off), [query.off]);
    const lanes = useMemo(() => layoutLanes(timeline, folded, new Map()), [timeline, folded]);
    const id = query.slice && /^\d{1,16}$/.test(query.slice) ? Number(query.slice) : null;
    const detail = useJson<SliceAnswer>(id === null ? null : `${API}/runs/${run.id}/slices/${id}`);
    const links = useLinks(run, id, detail.data);
    const find = useFind(run, query.find ?? '', query.fre === '1');
    const range = useMemo(() => readRange(query), [query.from_ns, query.to_ns]);
    const span = useMemo(() => range && { from: range.from_ns, to: range.to_ns }, [range]);
    const { select, clicked } = useSelect(stage, links.selected);
    const steps = useSteps(detail, select);
    const back = (): void => {
        if (id !== null) select(null);
        else if (range) put(rangeQuery(null));
        else put({ find: null });
    };
    async function enter(backward: boolean): Promise<void> {
        const at = links.selected?.start ?? stage.current?.view.from ?? timeline.start_ns;
        const hit = await findFrom(run, find, links.selected ? at : at - 1, backward);
        if (hit) select(hit.id);
    }
    useEffect(() => {
        const words = drawn === null ? null : `drawn from ${int(drawn)} slices at 1 px`;
        setStatus(undefined, words, <KeyWords />);
    }, [drawn]);

    const beside = viewportWidth.value >= BESIDE;
    const field = (
        <FindField find={find} inputRef={search} onEnter={(backward) => void enter(backward)} />
    );
    const side =
        id !== null ? (
            <TimelineDetail
                run={run}
                timeline={timeline}
                answer={detail}
                launcher={links.other}
                onSelect={select}
            />
        ) : null;
    return (
        <div class="tab-body timeline">
            <StepsOfRun run={run} />
            {error && (
                <Notice kind="error" title="Part of the timeline could not be read" error={error} />
            )}
            <div class="timeline-panes">
                <div class="timeline-main">
                    <TimelineView
                        stageRef={stage}
                        answer={timeline}
                        data={data}
                        lanes={lanes}
                        at={query.at ?? ''}
                        onAt={(at) => put({ at })}
                        y={Number(query.y) || 0}
                        onY={(y) => put({ y: y ? String(y) : null })}
                        range={span}
                        onRange={(drawn) =>
                            put(rangeQuery(drawn && { from_ns: drawn.from, to_ns: drawn.to }))
                        }
                        selected={links.selected}
                        flows={links.flows}
                        onSelect={clicked}
                        found={find.found}
                        onFold={fold}
                        onNeed={(need) => loader.need(need)}
                        onStep={steps}
                        onBack={back}
                        onFind={() => search.current?.select()}
                        tip={(hit) => <SliceTip hit={hit} data={data} loader={loader} />}
                    />
                    <TimelineDock
                        run={run}
                        range={range}
                        slice={beside || !side ? null : { title: 'Slice', body: side }}
                        tools={beside ? null : field}
                    />
                </div>
                {beside && (
                    <aside class="timeline-side">
                        <div class="timeline-side-find">{field}</div>
                        {side ??
                            (find.q ? (
                                <FoundNames find={find} onName={() => void enter(false)} />
                            ) : (
                                <Hints />
                            ))}
                    </aside>
                )}
            </div>
        </div>
    );
}

function Hints() {
    return (
        <p class="timeline-hint">
            Click a slice for everything that is known of it. Drag on the ruler, or with Shift on
            the tracks, for the tables of a range.
        </p>
    );
}
