/* SPDX-License-Identifier: MIT
 *
 * The threads of a stack profile beside its flame graph, the most active first, and the strip above
 * it that selects a range of time.
 */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Run, StackThreads, TimelineAnswer, TimelineTrack } from '../../base/answers';
import { API } from '../../base/client';
import { axisText, isTimeAxis } from '../../base/axis';
import { useKeys } from '../../base/keys';
import { kindOf } from '../../base/kinds';
import { useNames } from '../../base/panel';
import { pushQuery, replaceQuery, route } from '../../base/router';
import { int, pct, plural, THIN_SPACE } from '../../base/units';
import { sizedPane, Splitter } from '../../components/splitter';
import { viewportWidth } from '../../components/viewport';
import {
    activeThreads,
    brushedRange,
    nextThread,
    readThreads,
    selectedAmong,
    shortThreadName,
    type StackThread,
    stripPath,
    threadsOf,
    threadsText,
    toggleThread,
} from '../../model/stack_threads';
import { rangeQuery } from '../../model/trace_range';
import { useData } from '../shared/use_json';
import { rangedPath, useRange } from '../trace/data';
import { sampleParams, typesOf } from './sample_types';

const BINS = 160;
/* value of the menu if several threads are selected */
const SOME = 'some';
const OTHER_TREE = { flame_zoom: null, flame_frame: null };

/* The threads that the URL selects; null: all. */
function selectedThreads(): Set<number> | null {
    const { threads, track } = route.value.query;
    return readThreads(threads ?? track);
}

function showThreads(threads: string | null): void {
    pushQuery({ ...OTHER_TREE, threads, track: null });
}

/** Whether the samples of a run are in the order of time, with times. */
function hasTime(run: Run): boolean {
    return isTimeAxis() && kindOf(run.kind).tabs.includes('time-order');
}

interface ThreadsAnswer {
    threads: StackThread[];
    /** those of all sample types */
    tracks: readonly TimelineTrack[];
    span: { from_ns: number; to_ns: number };
    bins: number;
    hasTime: boolean;
}

/* The threads of a run with their activity; null until they are here. */
function useThreads(run: Run): ThreadsAnswer | null {
    const answer = useData<StackThreads>(
        rangedPath(run, 'stack_threads', useRange(), { bins: BINS, ...sampleParams(run) }),
    );
    const timeline = useData<TimelineAnswer>(`${API}/runs/${run.id}/timeline?px=10`);
    return useMemo(() => {
        if (!answer || !timeline) return null;
        const names = new Map(timeline.tracks.map(({ id, name }) => [id, name]));
        const { from_ns, to_ns, bins } = answer;
        return {
            threads: threadsOf(answer, (id) => names.get(id) ?? `thread ${id}`, isTimeAxis()),
            tracks: timeline.tracks,
            span: { from_ns, to_ns },
            bins,
            hasTime: hasTime(run),
        };
    }, [answer, timeline, run]);
}

const COLUMN_FROM_PX = 1000;

/** Whether the tab has a column of threads; otherwise it has a menu. */
export function showsThreadColumn(run: Run): boolean {
    return viewportWidth.value >= COLUMN_FROM_PX && Number(run.summary.tracks) > 1;
}

const threadsPane = () => sizedPane('stacks.threads', { normal: 208, min: 140, max: 420 });

/** A picture of stacks with the column of threads and the strip of time. */
export function StackColumns({ run, children }: { run: Run; children: ComponentChildren }) {
    const answer = useThreads(run);
    return (
        <div class="stack-columns">
            {showsThreadColumn(run) &&
                (answer ? (
                    answer.threads.length > 1 && <ThreadsColumn answer={answer} />
                ) : (
                    <section
                        class="threads-column"
                        aria-label="Threads"
                        style={{ flexBasis: threadsPane().size }}
                    />
                ))}
            <div class="stack-main">
                {hasTime(run) &&
                    (answer ? <TimeStrip answer={answer} /> : <div class="time-strip" />)}
                {children}
            </div>
        </div>
    );
}

/* The tracks of the sample type on the page; null: all of a run without sample types. */
function useTypeTracks(run: Run): number[] | null {
    const answer = useData<StackThreads>(
        typesOf(run) && rangedPath(run, 'stack_threads', null, { bins: 1, ...sampleParams(run) }),
    );
    return typesOf(run) && (answer?.ids ?? []);
}

/** The threads as a menu: one or all. */
export function ThreadSelect({ run }: { run: Run }) {
    const data = useData<TimelineAnswer>(`${API}/runs/${run.id}/timeline?px=10`);
    const ids = useTypeTracks(run);
    const tracks = (data?.tracks ?? []).filter(({ id }) => !ids || ids.includes(id));
    useNames(data ? ['threads'] : [], {
        nameOf: (ids) => {
            const names = ids
                .split(',')
                .map((id) => tracks.find((track) => String(track.id) === id)?.name);
            return names.includes(undefined) ? null : names.join('\n');
        },
        valueOf: (names) => {
            const found = names
                .split('\n')
                .map((name) => tracks.find((track) => track.name === name)?.id);
            return found.includes(undefined) ? null : found.join(',');
        },
    });
    if (!data || tracks.length < 2) return null;
    const process = new Map(data.processes.map(({ id, pid, name }) => [id, name || pid]));
    const many = data.processes.length > 1;
    const selected = selectedAmong(
        selectedThreads(),
        tracks.map(({ id }) => id),
        data.tracks,
    );
    const value = !selected ? '' : selected.size === 1 ? String([...selected][0]) : SOME;
    return (
        <select
            class="field thread-select"
            aria-label="thread"
            value={value}
            onChange={(event) => showThreads(event.currentTarget.value || null)}
        >
            <option value="">all {tracks.length} threads</option>
            {value === SOME && (
                <option value={SOME}>
                    {int(selected?.size ?? 0)} of {tracks.length} threads
                </option>
            )}
            {tracks.map((track) => (
                <option key={track.id} value={String(track.id)}>
                    {many ? `${process.get(track.process) ?? ''} · ` : ''}
                    {track.name}
                </option>
            ))}
        </select>
    );
}

/* --- The column --- */

const STRIP = { width: 160, height: 14 };
const SEARCHABLE = 12;
/* rows that are rendered above and below those in view */
const OVERSCAN = 6;

function ThreadsColumn({ answer }: { answer: ThreadsAnswer }) {
    const { threads, tracks } = answer;
    const [search, setSearch] = useState('');
    const [showsIdle, setShowsIdle] = useState(false);
    const ids = threads.map(({ id }) => id);
    const selected = selectedAmong(selectedThreads(), ids, tracks);
    useKeys('Threads', [
        {
            key: 't',
            label: 'next thread alone',
            run: () => showThreads(String(nextThread(selected, ids))),
        },
    ]);
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const found = threads.filter(({ name }) =>
        words.every((word) => name.toLowerCase().includes(word)),
    );
    const isAllIdle = threads.every(({ isIdle }) => isIdle);
    const folds = !isAllIdle && !words.length;
    const pane = threadsPane();
    const idle = folds ? found.filter(({ isIdle }) => isIdle) : [];
    const shown = folds && !showsIdle ? found.filter(({ isIdle }) => !isIdle) : found;
    return (
        <section class="threads-column" aria-label="Threads" style={{ flexBasis: pane.size }}>
            <Splitter pane={pane} side="left" label="width of the threads" />
            <div class="pane-head">
                <b>Threads</b>
                <span class="pane-remark">
                    {selected
                        ? `${int(selected.size)} of ${int(ids.length)}`
                        : isTimeAxis()
                          ? 'by activity'
                          : 'by weight'}
                </span>
                <span class="spacer" />
                {selected && (
                    <button type="button" class="link" onClick={() => showThreads(null)}>
                        All
                    </button>
                )}
            </div>
            {threads.length > SEARCHABLE && (
                <input
                    class="field threads-search"
                    type="search"
                    placeholder="Search threads"
                    aria-label="Search threads"
                    value={search}
                    onInput={(event) => setSearch(event.currentTarget.value)}
                />
            )}
            <ThreadRows answer={answer} rows={shown} selected={selected} ids={ids} />
            {idle.length > 0 && (
                <button
                    type="button"
                    class="threads-fold"
                    aria-expanded={showsIdle}
                    onClick={() => setShowsIdle(!showsIdle)}
                >
                    {showsIdle ? '▾' : '▸'} {plural(idle.length, 'idle thread')}
                </button>
            )}
            {words.length > 0 && !found.length && (
                <p class="soft threads-note">No thread matches.</p>
            )}
            <p class="soft threads-note">
                {isTimeAxis()
                    ? 'Activity: share of samples in which the thread is not asleep or waiting for a lock.'
                    : 'Share of the weight of all threads.'}{' '}
                Alt+click: this one alone. <kbd>T</kbd> next.
            </p>
        </section>
    );
}

interface RowsProps {
    answer: ThreadsAnswer;
    rows: readonly StackThread[];
    selected: Set<number> | null;
    ids: readonly number[];
}

function ThreadRows({ answer, rows, selected, ids }: RowsProps) {
    const [top, setTop] = useState(0);
    const box = useRef<HTMLDivElement | null>(null);
    const height = answer.hasTime ? 44 : 26;
    const first = Math.max(0, Math.floor(top / height) - OVERSCAN);
    const last = first + Math.ceil((box.current?.clientHeight ?? 900) / height) + 2 * OVERSCAN;
    return (
        <div
            class="threads-rows"
            ref={box}
            onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        >
            <div style={{ height: rows.length * height, position: 'relative' }}>
                {rows.slice(first, last).map((thread, i) => (
                    <ThreadRow
                        key={thread.id}
                        thread={thread}
                        top={(first + i) * height}
                        height={height}
                        hasStrip={answer.hasTime}
                        isChecked={!selected || selected.has(thread.id)}
                        onClick={(alone) =>
                            showThreads(
                                alone
                                    ? threadsText(new Set([thread.id]), ids)
                                    : toggleThread(selected, ids, thread.id),
                            )
                        }
                    />
                ))}
            </div>
        </div>
    );
}

interface RowProps {
    thread: StackThread;
    top: number;
    height: number;
    hasStrip: boolean;
    isChecked: boolean;
    onClick: (alone: boolean) => void;
}

function ThreadRow({ thread, top, height, hasStrip, isChecked, onClick }: RowProps) {
    const { name, active, strip } = thread;
    const share = `${pct(100 * active)}${THIN_SPACE}%`;
    return (
        <button
            type="button"
            class="thread-row"
            role="checkbox"
            aria-checked={isChecked}
            title={`${name}\n${isTimeAxis() ? `active ${share} of ${axisText(thread.weight)}` : `${axisText(thread.weight)}, ${share} of all threads`}`}
            style={{ top, height }}
            onClick={(event) => onClick(event.altKey)}
        >
            <span class={`thread-check${isChecked ? ' is-checked' : ''}`} aria-hidden="true" />
            <span class="thread-name">{shortThreadName(name)}</span>
            <span class="thread-share">{share}</span>
            {hasStrip && (
                <svg
                    class="thread-strip"
                    viewBox={`0 0 ${STRIP.width} ${STRIP.height}`}
                    preserveAspectRatio="none"
                    aria-hidden="true"
                >
                    <path d={stripPath(strip, 255, STRIP.width, STRIP.height)} />
                </svg>
            )}
        </button>
    );
}

/* --- The strip of time --- */

const TIME = { width: 1000, height: 26 };
/* share of the width that a press must move to select a range */
const CLICK_SHARE = 0.003;
const KEY_SHARE = 0.02;

/* How many threads are active over time. A drag selects the range for which all tabs recompute. */
function TimeStrip({ answer }: { answer: ThreadsAnswer }) {
    const { threads, span, bins } = answer;
    const range = useRange();
    const [drag, setDrag] = useState<{ a: number; b: number } | null>(null);
    const selected = selectedThreads();
    const sums = activeThreads(threads, selected, bins);
    const most = Math.max(1, ...sums);
    const length = span.to_ns - span.from_ns || 1;
    const shares = drag
        ? [Math.min(drag.a, drag.b), Math.max(drag.a, drag.b)]
        : range && [(range.from_ns - span.from_ns) / length, (range.to_ns - span.from_ns) / length];
    const clear = () => pushQuery({ ...OTHER_TREE, ...rangeQuery(null) });

    function shareAt(event: PointerEvent): number {
        const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
        return Math.max(0, Math.min(1, (event.clientX - box.left) / (box.width || 1)));
    }

    function onPointerUp(event: PointerEvent): void {
        if (!drag) return;
        const b = shareAt(event);
        setDrag(null);
        const chosen = Math.abs(b - drag.a) > CLICK_SHARE ? brushedRange(span, drag.a, b) : null;
        if (chosen) pushQuery({ ...OTHER_TREE, ...rangeQuery(chosen) });
        else if (range) clear();
    }

    function onKeyDown(event: KeyboardEvent): void {
        const by = { ArrowLeft: -KEY_SHARE, ArrowRight: KEY_SHARE }[event.key];
        if (event.key === 'Escape' && (drag || range)) {
            setDrag(null);
            if (range) clear();
        } else if (by !== undefined) {
            const [from, to] = shares ?? [0, 0.1];
            const moved = event.shiftKey ? [from, to + by] : [from + by, to + by];
            const chosen = brushedRange(span, moved[0], moved[1]);
            if (chosen) replaceQuery({ ...OTHER_TREE, ...rangeQuery(chosen) });
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    }

    const label = range
        ? `range ${axisText(range.from_ns - span.from_ns)} to ${axisText(range.to_ns - span.from_ns)}`
        : 'the whole run';
    return (
        <div
            class="time-strip"
            role="slider"
            tabIndex={0}
            aria-label="time range"
            aria-valuemin={0}
            aria-valuemax={length}
            aria-valuenow={range ? range.from_ns - span.from_ns : 0}
            aria-valuetext={label}
            title="Drag to select a range; Esc or a click: the whole run"
            onPointerDown={(event) => {
                if (event.button !== 0) return;
                event.currentTarget.setPointerCapture(event.pointerId);
                const a = shareAt(event);
                setDrag({ a, b: a });
            }}
            onPointerMove={(event) => drag && setDrag({ a: drag.a, b: shareAt(event) })}
            onPointerUp={onPointerUp}
            onPointerCancel={() => setDrag(null)}
            onKeyDown={onKeyDown}
        >
            <svg
                viewBox={`0 0 ${TIME.width} ${TIME.height}`}
                preserveAspectRatio="none"
                aria-hidden="true"
            >
                <path d={stripPath(sums, most, TIME.width, TIME.height)} />
            </svg>
            {shares && (
                <span
                    class="time-strip-range"
                    style={{
                        left: `${100 * shares[0]}%`,
                        width: `${100 * (shares[1] - shares[0])}%`,
                    }}
                />
            )}
            <span class="time-strip-label">0</span>
            <span class="time-strip-label is-end">{axisText(length)}</span>
        </div>
    );
}
