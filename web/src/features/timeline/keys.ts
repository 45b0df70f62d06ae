/* SPDX-License-Identifier: MIT
 *
 * Keyboard input of the timeline. A held key moves the view in every frame, because the key repeat
 * of the keyboard is not smooth.
 */
import { useEffect, useRef } from 'preact/hooks';
import { useKeys } from '../../base/keys';
import type { SizedPane } from '../../components/splitter';
import { moveArea } from '../../model/timeline_area';
import { wholeTrack } from '../../model/timeline_layers';
import { panView, revealView, type TimeView, widthOf, zoomView } from '../../model/timeline_view';
import { dockPane } from './dock';
import type { Lane } from './lanes';
import type { ArrangementChange } from './props';
import { sidePane } from './side_pane';
import { neighbourStep } from './steps_row';
import type { TimelineStage } from './stage';

const STEP_ZOOM = 0.8;
const STEP_PAN = 0.12;
const STEP_SCROLL = 51;
/** while a key is held, per second: zoom factor, and pan distance in view widths */
const HELD_ZOOM = 0.06;
const HELD_PAN = 0.9;
const HOLD_DELAY_MS = 180;

/** The view after zooming by the factor `zoom` or panning by `pan` view widths. */
type Move = (stage: TimelineStage, zoom: number, pan: number) => TimeView;

/* Time at the centre of a zoom: under the pointer if it is over the canvas, else in the middle of
 * the view. */
function zoomCentre(stage: TimelineStage): number {
    const { pointer, view } = stage;
    return pointer ? stage.timeAt(pointer.x) : (view.from + view.to) / 2;
}

const zoomBy =
    (inward: boolean): Move =>
    (stage, zoom) =>
        zoomView(stage.view, stage.whole, inward ? zoom : 1 / zoom, zoomCentre(stage));

const panBy =
    (sign: number): Move =>
    (stage, _zoom, pan) =>
        panView(stage.view, stage.whole, sign * pan * widthOf(stage.view));

const MOVES: Record<string, Move> = {
    w: zoomBy(true),
    s: zoomBy(false),
    a: panBy(-1),
    d: panBy(1),
    ArrowLeft: panBy(-1),
    ArrowRight: panBy(1),
    '+': zoomBy(true),
    '=': zoomBy(true),
    '-': zoomBy(false),
};

/* Pressing a key moves the view by one step; if the key is held, the movement continues until its
 * release. */
class HeldKey {
    private key = '';
    private frame = 0;
    private last = 0;

    press(stage: TimelineStage, key: string): void {
        if (this.key === key) return;
        this.release();
        const move = MOVES[key];
        if (!move) return;
        stage.moveTo(move(stage, STEP_ZOOM, STEP_PAN));
        this.key = key;
        this.last = performance.now() + HOLD_DELAY_MS;
        const step = (now: number): void => {
            const seconds = Math.max(0, now - this.last) / 1000;
            if (seconds > 0) {
                stage.moveTo(move(stage, HELD_ZOOM ** seconds, HELD_PAN * seconds));
                this.last = now;
            }
            this.frame = requestAnimationFrame(step);
        };
        this.frame = requestAnimationFrame(step);
    }

    release(key = this.key): void {
        if (key !== this.key) return;
        cancelAnimationFrame(this.frame);
        this.key = '';
    }
}

interface KeyTargets {
    /** true: a slice is selected, which has neighbours on its row */
    canStep: boolean;
    hasSteps: boolean;
    hasArea: boolean;
}

export function useTimelineKeys(
    stage: { current: TimelineStage | null },
    { canStep, hasSteps, hasArea }: KeyTargets,
): void {
    const heldKey = useRef(new HeldKey());
    useEffect(() => {
        const up = (event: KeyboardEvent): void =>
            heldKey.current.release(event.key.length === 1 ? event.key.toLowerCase() : event.key);
        const stop = (): void => heldKey.current.release();
        addEventListener('keyup', up);
        addEventListener('blur', stop);
        return () => {
            removeEventListener('keyup', up);
            removeEventListener('blur', stop);
            stop();
        };
    }, []);
    const act = (run: (now: TimelineStage) => void) => () => {
        if (stage.current) run(stage.current);
    };
    const onLane = (change: (lane: Lane) => ArrangementChange) =>
        act((now) => {
            const lane = now.hoveredLane;
            if (!lane || lane.kind === 'rows') return;
            // The busy share belongs to its stream.
            const track = lane.kind === 'busy' && lane.track;
            const target = track ? now.scene.lanes.byTrack.get(track.id) : lane;
            if (target) now.props.onArrange(change(target));
        });
    const pressKey = (key: string) => act((now) => heldKey.current.press(now, key));
    const scroll = (by: number) =>
        act((now) => now.scrollTo(now.parts.scroller.scrollTop + by * STEP_SCROLL));
    const arrow = (sign: number) =>
        act((now) => {
            if (now.props.area) nudge(now, sign);
            else heldKey.current.press(now, sign < 0 ? 'ArrowLeft' : 'ArrowRight');
        });
    const rowText = canStep ? 'on its row' : '';
    useKeys('Timeline', [
        { key: 'w', label: 'zoom in at the pointer', run: pressKey('w') },
        { key: 's', label: 'zoom out', run: pressKey('s') },
        { key: '+', label: '', run: pressKey('+') },
        { key: '=', label: '', run: pressKey('=') },
        { key: '-', label: '', run: pressKey('-') },
        { key: 'a', label: 'pan left', run: pressKey('a') },
        { key: 'd', label: 'pan right', run: pressKey('d') },
        { key: 'ArrowLeft', label: hasArea ? 'move the area by a pixel' : '', run: arrow(-1) },
        { key: 'ArrowRight', label: '', run: arrow(1) },
        {
            key: 'shift+ArrowLeft',
            label: hasArea ? 'move the area by ten pixels' : '',
            run: act((now) => nudge(now, -10)),
        },
        { key: 'shift+ArrowRight', label: '', run: act((now) => nudge(now, 10)) },
        { key: 'ArrowUp', label: 'scroll up', run: scroll(-1) },
        { key: 'ArrowDown', label: 'scroll down', run: scroll(1) },
        { key: 'f', label: 'fit slice, range or run', run: act((now) => now.fit()) },
        { key: '0', label: 'the whole run', run: act((now) => now.easeTo(now.whole)) },
        { key: 'r', label: 'range from the slice', run: act(rangeOfSlice) },
        { key: 'm', label: 'area from the slice', run: act(areaOfSlice) },
        {
            key: 'n',
            label: 'note at the pointer, or on the area',
            run: act((now) => now.props.onNote(Math.round(zoomCentre(now)))),
        },
        {
            key: '>',
            label: rowText && `next slice ${rowText}`,
            run: act((now) => now.props.onStep(true)),
        },
        {
            key: '<',
            label: rowText && `previous slice ${rowText}`,
            run: act((now) => now.props.onStep(false)),
        },
        {
            key: 'shift+d',
            label: 'open or close the tables',
            run: () => toggle(dockPane()),
        },
        {
            key: '\\',
            label: 'open or close the details',
            run: () => toggle(sidePane()),
        },
        { key: 'p', label: 'pin the track', run: onLane((lane) => ({ pin: lane.key })) },
        { key: 'z', label: 'fold the track', run: onLane((lane) => ({ fold: [lane.key] })) },
        {
            key: 'shift+z',
            label: 'fold or unfold all tracks',
            run: act((now) => now.props.onArrange({ foldAll: true })),
        },
        { key: '[', label: hasSteps ? 'previous step' : '', run: act(stepBy(false)) },
        { key: ']', label: hasSteps ? 'next step' : '', run: act(stepBy(true)) },
        { key: '/', label: 'search slices', run: act((now) => now.props.onFind()) },
        { key: 'Escape', label: 'step back', run: act(stepBack) },
    ]);
}

const toggle = ({ isOpen, setOpen }: SizedPane): void => setOpen(!isOpen);

/* Selects the next or previous step and makes it visible. */
const stepBy =
    (forward: boolean) =>
    (now: TimelineStage): void => {
        const { steps, area, onArea } = now.props;
        const step = neighbourStep(steps, area?.from ?? now.view.from, forward);
        if (!step) return;
        const span = { from: step.start_ns, to: step.end_ns };
        onArea(span);
        now.easeTo(revealView(span, now.view, now.whole), true);
    };

function rangeOfSlice(now: TimelineStage): void {
    const { selected, onArea } = now.props;
    if (!selected) return;
    onArea({ from: selected.start, to: Math.max(selected.start + 1, selected.end) });
}

function areaOfSlice(now: TimelineStage): void {
    const { selected, hasTracks, onArea } = now.props;
    if (!selected) return;
    const lanes = hasTracks ? new Set([`t${wholeTrack(selected.track)}`]) : null;
    onArea({ from: selected.start, to: Math.max(selected.start + 1, selected.end), lanes });
}

function nudge(now: TimelineStage, px: number): void {
    const { area, onArea } = now.props;
    // At least 1 ns, so that each press moves the area.
    const by = Math.sign(px) * Math.max(1, Math.abs(px) * now.nsPerPx);
    if (area) onArea(moveArea(area, by, now.whole));
}

/** Clears the note, else the slice, else the area, else the search; without any of them, zooms out to the
 * complete run. */
function stepBack(now: TimelineStage): void {
    const { selected, area, found, hasNote } = now.props;
    if (selected || area || found || hasNote) now.props.onBack();
    else now.easeTo(now.whole);
}
