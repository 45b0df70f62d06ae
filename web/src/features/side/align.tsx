/* SPDX-License-Identifier: MIT
 *
 * Bar above two timelines: it shows and changes their alignment, shows the resulting shift, and
 * moves to the next pair of steps or events.
 */
import { useState } from 'preact/hooks';
import type { Run } from '../../base/answers';
import { asApiError } from '../../base/client';
import { useKeys } from '../../base/keys';
import type { Side } from '../../base/panel';
import { route } from '../../base/router';
import type { TraceStepRow as TraceStep } from '../../base/rows';
import { formatSeconds, MINUS, pct, text, THIN_SPACE } from '../../base/units';
import { Menu } from '../../components/menu';
import { Segmented } from '../../components/segmented';
import { Spacer, Toolbar } from '../../components/toolbar';
import { formatDelta } from '../../model/compare';
import { wholeName } from '../../model/filter_query';
import { SIDES } from '../../model/side';
import {
    type Align,
    type Anchors,
    START_ALIGNMENT,
    shiftOf,
    stepBy,
    matchingStep,
    stepsOf,
} from '../../model/time_align';
import { findSlice } from '../timeline/search';
import { alignBy, type Aligned } from './axis';

type AlignMode = 'start' | 'step' | 'event';

interface BarProps {
    runs: Record<Side, Run>;
    now: Aligned;
}

type Steps = Record<Side, TraceStep[]>;

/* Id of the slice that is selected in the URL. */
function selectedSlice(side: Side): number | null {
    const id = route.value.query[`${side}.slice`];
    return id && /^\d{1,16}$/.test(id) ? Number(id) : null;
}

type NameSearch = { q: string; regex: boolean };
type SearchStart = { ns: number; id?: number };

/** Aligns by the next slice of each run that matches the search. Returns false, without a change,
 * if one of the runs has no such slice. */
async function alignByNextHits(
    { runs, now }: BarProps,
    search: Record<Side, NameSearch>,
    backward: boolean,
    from: Record<Side, SearchStart>,
): Promise<boolean> {
    const hits = await Promise.all(
        SIDES.map((side) => findSlice(runs[side], search[side], from[side], backward)),
    );
    if (!hits[0] || !hits[1]) return false;
    alignBy(now, { by: 'event', base: hits[0].id, new: hits[1].id }, true);
    return true;
}

/* Aligns by the selected slices, else by the first hit of the search in each run. Returns an error
 * message, or null. */
async function alignEvent(props: BarProps): Promise<string | null> {
    const [base, fresh] = [selectedSlice('base'), selectedSlice('new')];
    if (base !== null && fresh !== null) {
        alignBy(props.now, { by: 'event', base, new: fresh });
        return null;
    }
    const { q, regex } = route.peek().query;
    if (!q) return 'Select a slice in each run, or search to align the first hits.';
    const search = { q, regex: regex === '1' };
    const first = { ns: 0, id: 0 };
    const found = await alignByNextHits(props, { base: search, new: search }, false, {
        base: first,
        new: first,
    });
    return found ? null : 'One of the runs has no hit. Search for a slice that both runs have.';
}

/* Aligns by the previous or next slices of the same names. Returns an error message, or null. */
async function stepEvent(props: BarProps, by: 1 | -1): Promise<string | null> {
    const { align, anchors } = props.now;
    if (align.by !== 'event') return null;
    const search = { base: wholeName(anchors.base.name), new: wholeName(anchors.new.name) };
    const from = {
        base: { ns: anchors.base.ns, id: align.base },
        new: { ns: anchors.new.ns, id: align.new },
    };
    const found = await alignByNextHits(props, search, by < 0, from);
    return found ? null : `One of the runs has no slice ${by > 0 ? 'after' : 'before'} this one.`;
}

function useAlignActions(props: BarProps, steps: Steps) {
    const [message, setMessage] = useState<string | null>(null);
    const { now } = props;
    const report = (result: Promise<string | null>): void => {
        result.then(setMessage, (reason: unknown) => setMessage(asApiError(reason).text));
    };
    const go = (by: 1 | -1): void => {
        if (now.align.by === 'event') {
            report(stepEvent(props, by));
            return;
        }
        const next = stepBy(now.align, now.align.by === 'step' ? by : 0, steps.base, steps.new);
        if (next) alignBy(now, next, true);
        setMessage(next ? null : 'One of the runs has no more steps.');
    };
    const choose = (by: AlignMode): void => {
        setMessage(null);
        if (by === 'event') report(alignEvent(props));
        else if (by === 'start') alignBy(now, START_ALIGNMENT);
        else alignBy(now, { by, base: 1, new: matchingStep(steps.base, steps.new, 1) });
    };
    return { message, go, choose };
}

const ALIGNMENT_LOST =
    'The slice or step in this link is not in both runs. The runs are aligned by their start.';

export function AlignBar(props: BarProps) {
    const { align, anchors, timelines } = props.now;
    const steps = { base: stepsOf(timelines.base), new: stepsOf(timelines.new) };
    const { message, go, choose } = useAlignActions(props, steps);
    const haveSteps = steps.base.length > 0 && steps.new.length > 0;
    const isByName = align.by === 'step' || align.by === 'event';
    const lost = isByName && anchors.base.duration_ns === null ? ALIGNMENT_LOST : null;
    useKeys('Alignment', [
        { key: ']', label: 'next step or hit in both', run: () => go(1) },
        { key: '[', label: 'previous step or hit in both', run: () => go(-1) },
    ]);
    return (
        <Toolbar label="alignment of the two timelines">
            <span class="soft">Aligned by</span>
            <Segmented<AlignMode>
                label="aligned by"
                value={align.by === 'ns' ? null : align.by}
                options={[
                    { value: 'start', text: 'Start' },
                    {
                        value: 'step',
                        text: 'Step',
                        disabled: !haveSteps,
                        tip: haveSteps ? undefined : 'one of the runs has no steps',
                    },
                    {
                        value: 'event',
                        text: 'Event',
                        tip: 'align the two selected slices, or the first hits of the search',
                    },
                ]}
                onChange={choose}
            />
            {isByName && <StepButtons go={go} />}
            {align.by === 'step' && <StepPickers now={props.now} steps={steps} align={align} />}
            {align.by === 'event' && !lost && <EventNames anchors={anchors} />}
            <ShiftText anchors={anchors} />
            <Spacer />
            {(message ?? lost) && (
                <span class="align-said ellipsis" role="status">
                    {message ?? lost}
                </span>
            )}
        </Toolbar>
    );
}

function StepButtons({ go }: { go: (by: 1 | -1) => void }) {
    return (
        <span class="align-walk">
            <button
                type="button"
                class="button"
                aria-label="previous in both"
                onClick={() => go(-1)}
            >
                <kbd>[</kbd>
            </button>
            <button type="button" class="button" aria-label="next in both" onClick={() => go(1)}>
                <kbd>]</kbd>
            </button>
        </span>
    );
}

interface StepPickersProps {
    now: Aligned;
    steps: Steps;
    align: Extract<Align, { by: 'step' }>;
}

function StepPickers({ now, steps, align }: StepPickersProps) {
    const pick = (side: Side) => (
        <Menu
            label={steps[side][align[side] - 1]?.name ?? 'no such step'}
            ariaLabel={`step of ${side}`}
            class="mono align-step"
            filter={steps[side].length > 12}
            items={steps[side].map(({ name, start_ns, end_ns }, i) => ({
                text: name,
                note: timeText(end_ns - start_ns),
                checked: i + 1 === align[side],
                onPick: () => alignBy(now, { ...align, [side]: i + 1 }),
            }))}
        />
    );
    return (
        <>
            {pick('base')} ↔ {pick('new')}
        </>
    );
}

function EventNames({ anchors }: { anchors: Anchors }) {
    const [a, b] = [anchors.base.name, anchors.new.name];
    const names = a === b ? a : `${a} ↔ ${b}`;
    return (
        <code class="ellipsis align-event" title={names}>
            {names}
        </code>
    );
}

const timeText = (ns: number): string => text(formatSeconds(ns / 1e9));

/** Durations of the aligned step or event in both runs, and the shift of the new run. */
function ShiftText({ anchors }: { anchors: Anchors }) {
    const shift = shiftOf(anchors);
    const { base, new: fresh } = anchors;
    return (
        <span class="align-words ellipsis">
            {base.duration_ns !== null && fresh.duration_ns !== null && (
                <>
                    <span class="soft">lasts</span> {timeText(base.duration_ns)} →{' '}
                    {timeText(fresh.duration_ns)}{' '}
                    <b>{changeText(base.duration_ns, fresh.duration_ns)}</b>
                </>
            )}
            {shift !== 0 && (
                <span class="soft">
                    {' '}
                    new moved {timeText(Math.abs(shift))}{' '}
                    {shift > 0 ? 'to the left' : 'to the right'}
                </span>
            )}
        </span>
    );
}

function changeText(base: number, fresh: number): string {
    const delta = fresh - base;
    if (delta === 0) return 'the same';
    const share = base > 0 ? (100 * Math.abs(delta)) / base : 0;
    const percent = base > 0 ? ` (${delta < 0 ? MINUS : '+'}${pct(share)}${THIN_SPACE}%)` : '';
    return text(formatDelta(delta, 'ns')) + percent;
}
