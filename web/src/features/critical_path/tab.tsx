/* SPDX-License-Identifier: MIT
 *
 * The Critical path tab: what decides how long a step takes. URL: step (median, slowest or the id of a
 * step), part, fade=0, by=operator, view (drawn time in ns from the start of the step).
 */
import { useEffect, useMemo } from 'preact/hooks';
import type { CriticalPath, CriticalPathAnswer, Run, WindowAnswer } from '../../base/answers';
import { type Params, withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { goTo, replaceQuery, route } from '../../base/router';
import { int, plural, THIN_SPACE } from '../../base/units';
import { CheckBox } from '../../components/check_box';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Says } from '../../components/says';
import { Segmented } from '../../components/segmented';
import { setStatus } from '../../components/status_line';
import { PaneHead, Spacer, Toolbar } from '../../components/toolbar';
import {
    type DrawnSlice,
    packSlices,
    partInfo,
    partRuns,
    partsInOrder,
    pathSays,
} from '../../model/critical_path';
import { ms } from '../../model/trace_range';
import { useData, useJson } from '../shared/use_json';
import { useRange, viewPath } from '../trace/data';
import { timelineHash } from '../trace/timeline_link';
import { type PathScene, rowsMax } from './paint';
import { PartPane } from './part_pane';
import { OperatorsTable, PartsTable } from './parts_table';
import { PathPicture } from './picture';

const TRACKS_SHOWN = 12;
const SLICE_PX = 1600;
const ZOOM = 1.6;
const PAN = 0.2;
const LEAST_NS = 100;

interface View {
    from: number;
    to: number;
}

function readView(text: string | undefined, { from_ns, to_ns }: CriticalPath): View {
    const found = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '');
    const whole = { from: from_ns, to: to_ns };
    if (!found) return whole;
    const view = { from: from_ns + Number(found[1]), to: from_ns + Number(found[2]) };
    return view.to - view.from >= 1 && view.to <= to_ns ? view : whole;
}

/* Threads and streams on the path, the thread of the step and busy streams; threads first. */
function shownTracks({ tracks }: CriticalPath): CriticalPath['tracks'] {
    return tracks
        .filter((row) => row.main || row.on_path_ns > 0 || (!row.thread && row.busy_ns > 0))
        .sort((a, b) => Number(b.thread) - Number(a.thread) || Number(b.main) - Number(a.main))
        .slice(0, TRACKS_SHOWN);
}

/* At most so many steps are listed by name. */
const STEPS_LISTED = 1000;

function StepChoice({ run, answer }: { run: Run; answer: CriticalPathAnswer }) {
    const { step = 'median' } = route.value.query;
    const { steps, median, slowest } = answer;
    const data = useData<{ columns: string[]; rows: (number | string)[][] }>(
        steps > 1 ? withParams(viewPath(run, 'steps'), { limit: STEPS_LISTED }) : null,
    );
    if (steps < 2) return null;
    const [id, name] = ['id', 'name'].map((column) => data?.columns.indexOf(column) ?? -1);
    const pick = (next: string): void =>
        replaceQuery({ step: next === 'median' ? null : next, view: null });
    return (
        <>
            <Segmented
                label="step"
                value={step}
                options={[
                    { value: 'median', text: 'median', tip: `step ${median ?? ''}` },
                    { value: 'slowest', text: 'slowest', tip: `step ${slowest ?? ''}` },
                ]}
                onChange={pick}
            />
            {data && (
                <select
                    class="field"
                    aria-label="step by name"
                    value={String(answer.step?.id ?? '')}
                    onChange={(event) => pick(event.currentTarget.value)}
                >
                    {data.rows.map((row) => (
                        <option key={row[id]} value={String(row[id])}>
                            {row[name]}
                        </option>
                    ))}
                </select>
            )}
        </>
    );
}

function statusOf(answer: CriticalPath): string {
    const { step, steps } = answer;
    const name = step ? `path of ${step.name}` : 'path of the range';
    return [
        name,
        steps > 1 ? `${plural(steps, 'step')} counted` : '',
        '2× faster: the path is computed again with that part halved',
    ]
        .filter(Boolean)
        .join(' · ');
}

function Legend({ answer }: { answer: CriticalPath }) {
    return (
        <span class="path-legend">
            {answer.parts
                .filter(({ ns }) => ns > 0)
                .map(({ part }) => (
                    <span key={part}>
                        <i class={`swatch is-family-${partInfo(part).family}`} />{' '}
                        {partInfo(part).title}
                    </span>
                ))}
            <span>
                <i class="path-key" /> the path
            </span>
        </span>
    );
}

function Path({ run, answer }: { run: Run; answer: CriticalPath }) {
    const { query } = route.value;
    const fades = query.fade !== '0';
    const by = query.by === 'operator' ? 'operator' : 'part';
    const view = readView(query.view, answer);
    const ordered = useMemo(() => partsInOrder(answer), [answer]);
    const part = ordered.find((row) => row.part === query.part) ?? null;
    const tracks = useMemo(() => shownTracks(answer), [answer]);
    const runs = useMemo(() => partRuns(answer.path), [answer]);
    const [first, second] = useMemo(() => pathSays(answer), [answer]);
    const answered = useData<WindowAnswer>(
        withParams(viewPath(run, 'window'), {
            from_ns: view.from,
            to_ns: view.to,
            px: SLICE_PX,
            tracks: tracks.map(({ id }) => id).join(','),
        }),
    );
    const slices = useMemo(
        () =>
            new Map(
                tracks.flatMap((track): [number, DrawnSlice[]][] => {
                    const found = answered?.tracks.find(({ id }) => id === track.id);
                    return answered && found
                        ? [[track.id, packSlices(answered, found, rowsMax(track))]]
                        : [];
                }),
            ),
        [answered, tracks],
    );
    const scene: PathScene = {
        answer,
        tracks,
        runs,
        slices,
        from: view.from,
        to: view.to,
        part: part?.part ?? '',
        fades,
    };
    const select = (next: string | null): void => replaceQuery({ part: next });
    const setView = (from: number, to: number): void => {
        const least = Math.min(LEAST_NS, answer.length_ns);
        const length = Math.max(least, Math.min(answer.length_ns, to - from));
        const start = Math.round(
            Math.max(answer.from_ns, Math.min(from, answer.to_ns - length)) - answer.from_ns,
        );
        const end = Math.min(answer.length_ns, Math.round(start + length));
        const isWhole = end - start >= answer.length_ns;
        replaceQuery({ view: isWhole ? null : `${start}-${end}` });
    };
    const zoom = (factor: number): void => {
        const [middle, half] = [(view.from + view.to) / 2, ((view.to - view.from) / 2) * factor];
        setView(middle - half, middle + half);
    };
    const pan = (share: number): void => {
        const by_ = share * (view.to - view.from);
        setView(view.from + by_, view.to + by_);
    };
    const move = (step: 1 | -1): void => {
        const on = ordered.filter(({ ns }) => ns > 0);
        const at = part ? on.indexOf(part) : -1;
        const next = at < 0 ? on.at(step > 0 ? 0 : -1) : on[at + step];
        if (next) select(next.part);
    };
    const pathStep = answer.step ? String(answer.step.id) : undefined;
    /* The longest time of the selected part, or what is drawn. */
    const place = (name: string | null): string => {
        const index = name === null ? -1 : answer.path.parts.indexOf(name);
        const longest = runs
            .filter((one) => one.part === index)
            .reduce<View | null>((a, b) => (a && a.to - a.from >= b.to - b.from ? a : b), null);
        const { from, to } = longest ?? view;
        return timelineHash(run, { range: { from_ns: from, to_ns: to }, path: pathStep });
    };
    const openEdge = (i: number): void => {
        const { path } = answer;
        const range = { from_ns: path.from_ns[i], to_ns: path.from_ns[i] + path.ns[i] };
        goTo(timelineHash(run, { slice: path.slice[i] || null, range, path: pathStep }));
    };
    const href = place(part?.part ?? null);
    useKeys('Critical path', [
        { key: '.', label: 'next part', run: () => move(1) },
        { key: ',', label: 'previous part', run: () => move(-1) },
        { key: 'w', label: 'zoom in', run: () => zoom(1 / ZOOM) },
        { key: 's', label: 'zoom out', run: () => zoom(ZOOM) },
        { key: 'a', label: 'to the left', run: () => pan(-PAN) },
        { key: 'd', label: 'to the right', run: () => pan(PAN) },
        { key: 'f', label: 'the whole step', run: () => replaceQuery({ view: null }) },
        { key: 'Enter', label: 'the selected part in the timeline', run: () => goTo(href) },
        ...(part ? [{ key: 'Escape', label: 'no part', run: () => select(null) }] : []),
    ]);
    useEffect(() => {
        setStatus(undefined, statusOf(answer));
        return () => setStatus(undefined, null);
    }, [answer]);
    return (
        <>
            <Says first={first} second={second} />
            <Toolbar label="path">
                <StepChoice run={run} answer={answer} />
                <span class="soft">
                    {answer.step && answer.steps < 2 ? `${answer.step.name}, ` : ''}
                    {ms(answer.length_ns)}
                    {THIN_SPACE}ms
                </span>
                <label class="path-fade">
                    <CheckBox
                        label="fade what is off the path"
                        checked={fades}
                        onChange={(checked) => replaceQuery({ fade: checked ? null : '0' })}
                    />{' '}
                    fade what is off the path
                </label>
                <Spacer />
                <Legend answer={answer} />
            </Toolbar>
            <PathPicture
                scene={scene}
                onPick={(i) => select(answer.path.parts[answer.path.part[i]])}
                onOpen={openEdge}
            />
            <div class="path-panes">
                <section class="pane pane-main">
                    <PaneHead
                        title={by === 'part' ? 'Parts of the path' : 'Operators of the path'}
                        remark={`each ns counted once, Σ = the ${answer.step ? 'step' : 'range'}`}
                    >
                        <Segmented
                            label="rows"
                            value={by}
                            options={[
                                { value: 'part', text: 'parts' },
                                {
                                    value: 'operator',
                                    text: `operators ${int(answer.operators_total)}`,
                                },
                            ]}
                            onChange={(next) => replaceQuery({ by: next === 'part' ? null : next })}
                        />
                    </PaneHead>
                    {by === 'part' ? (
                        <PartsTable
                            answer={answer}
                            selected={part?.part ?? ''}
                            onSelect={select}
                            onOpen={(name) => goTo(place(name))}
                        />
                    ) : (
                        <OperatorsTable run={run} answer={answer} onSelect={select} />
                    )}
                </section>
                <section class="pane">
                    <PartPane
                        answer={answer}
                        part={part}
                        timelineHref={href}
                        onClose={() => select(null)}
                    />
                </section>
            </div>
        </>
    );
}

export function CriticalPathTab({ run }: { run: Run }) {
    const { step } = route.value.query;
    const range = useRange();
    const params: Params = range ? { from_ns: range.from_ns, to_ns: range.to_ns } : { step };
    const { data, error, loading } = useJson<CriticalPathAnswer>(
        withParams(viewPath(run, 'critical_path'), params),
    );
    return (
        <div class="tab-body critical-path">
            {error && <Notice kind="error" title="The path could not be computed" error={error} />}
            {data?.reason === null && <Path run={run} answer={data} />}
            {data && data.reason !== null && (
                <Notice kind="info" title="This run has no critical path">
                    {data.reason}
                </Notice>
            )}
            <LoadingLine active={loading} />
        </div>
    );
}
