/* SPDX-License-Identifier: MIT
 *
 * Overview, ruler and lanes in one canvas, with the labels next to it. The caller stores selection,
 * window and area in the URL.
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { axisText } from '../../base/axis';
import { int } from '../../base/units';
import { useEffectOn, useLayoutEffectOn } from '../../base/hooks';
import { watchTheme } from '../../components/theme_watch';
import { toggleLane } from '../../model/timeline_area';
import { allKeys, areaLabels } from './area';
import { PINNED_EDGE } from './bands';
import { listenTimeline } from './input';
import { useTimelineKeys } from './keys';
import { TimelineLabels } from './labels';
import { RULER_END, STEPS } from './scene';
import type { StageParts, TimelineProps } from './props';
import { TimelineStage } from './stage';

/** The range of rendered labels changes in steps of this many px, so that most scroll events render
 * nothing. */
const LABEL_BAND = 400;
/** Labels of pinned lanes are rendered up to this height. */
const MAX_PINNED_PX = 4000;

interface TimelineViewProps extends TimelineProps {
    /** receives the stage, so that the parent can call it */
    stageRef: { current: TimelineStage | null };
    /** drawn over the tracks */
    children: ComponentChildren;
}

export function TimelineView(props: TimelineViewProps) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const scroller = useRef<HTMLDivElement | null>(null);
    const labels = useRef<HTMLDivElement | null>(null);
    const pinnedLabels = useRef<HTMLDivElement | null>(null);
    const span = useRef<HTMLDivElement | null>(null);
    const timeLine = useRef<HTMLDivElement | null>(null);
    const [band, setBand] = useState(0);
    const [lanesHeight, setLanesHeight] = useState(800);
    const [pinnedView, setPinnedView] = useState(0);
    const { stageRef, lanes, selected, flows, area, found, at } = props;

    useLayoutEffectOn(() => {
        const parts = partsOf({
            canvas: canvas.current,
            scroller: scroller.current,
            labels: labels.current,
            pinnedLabels: pinnedLabels.current,
            span: span.current,
            timeLine: timeLine.current,
        });
        if (!parts) return undefined;
        const now = new TimelineStage(parts, props, () => {
            setBand(Math.floor(now.scene.top / LABEL_BAND));
            setLanesHeight(now.lanesHeight);
            setPinnedView(now.pinnedViewHeight);
        });
        stageRef.current = now;
        now.resize();
        now.scrollTo(props.y);
        const observer = new ResizeObserver(() => now.resize());
        if (parts.canvas.parentElement) observer.observe(parts.canvas.parentElement);
        const unwatch = watchTheme(now.retheme);
        const release = listenTimeline(now);
        return () => {
            observer.disconnect();
            unwatch();
            release();
            now.dispose();
            stageRef.current = null;
        };
    }, []);

    useLayoutEffect(() => {
        if (stageRef.current) stageRef.current.props = props;
    });
    useLayoutEffectOn(
        () => stageRef.current?.redraw(),
        [selected, flows, props.path, area, found, props.ticks, props.isHit],
    );
    useLayoutEffectOn(
        () => stageRef.current?.changeAlignment(props),
        [props.commonRange, props.origin],
    );
    useLayoutEffectOn(() => stageRef.current?.relayout(), [lanes]);
    useEffectOn(() => stageRef.current?.follow(at), [at]);
    useTimelineKeys(stageRef, {
        canStep: selected !== null,
        hasSteps: props.steps.length > 0,
        hasArea: area !== null,
    });

    // When a label gets the focus, scroll its lane into view. The browser's own scrolling of the
    // label column is undone, because the lanes would not follow it.
    const followFocus = (event: FocusEvent): void => {
        const now = stageRef.current;
        if (!now || !(event.target instanceof HTMLElement)) return;
        const box = event.target.getBoundingClientRect();
        if (event.target.closest('.timeline-pinned-labels')) return;
        const viewRect = now.parts.scroller.getBoundingClientRect();
        const isOutside = box.top < viewRect.top || box.bottom > viewRect.bottom;
        if (isOutside) now.scrollTo(now.scene.top + box.top - viewRect.top - viewRect.height / 3);
    };
    const undoScroll = ({ currentTarget }: { currentTarget: HTMLElement }): void => {
        currentTarget.scrollTop = 0;
    };

    const { start_ns, end_ns } = props.answer;
    const head = RULER_END + (props.steps.length ? STEPS : 0);
    const edge = pinnedView > 0 ? PINNED_EDGE : 0;
    const labelProps = {
        lanes,
        onArrange: props.onArrange,
        onHover: (key: string | null) => {
            if (stageRef.current) stageRef.current.labelKey = key;
        },
        onMenu: props.onLabelMenu,
        area: area?.lanes ?? null,
        onArea: (key: string): void => {
            if (area && stageRef.current) {
                props.onArea(toggleLane(area, key, allKeys(stageRef.current.scene)));
            }
        },
    };
    return (
        <div class="timeline-stage">
            <div class="timeline-names-column">
                <div class="timeline-overview-label">
                    <b>Overview</b>
                    <span>{axisText(end_ns - start_ns)}</span>
                </div>
                <div class="timeline-span" ref={span} />
                {props.steps.length > 0 && (
                    <div class="timeline-steps-label" style={{ height: STEPS }}>
                        <b>Steps</b>
                        <span>{int(props.steps.length)}</span>
                    </div>
                )}
                <div
                    class="timeline-labels timeline-pinned-labels"
                    style={{ height: pinnedView }}
                    onScroll={undoScroll}
                >
                    <div ref={pinnedLabels}>
                        <TimelineLabels {...labelProps} isPinned from={0} to={MAX_PINNED_PX} />
                    </div>
                </div>
                <div
                    class={`timeline-labels${edge ? ' is-below-pinned' : ''}`}
                    onFocusIn={followFocus}
                    onScroll={undoScroll}
                >
                    <div ref={labels}>
                        <TimelineLabels
                            {...labelProps}
                            isPinned={false}
                            from={lanes.pinnedHeight + (band - 1) * LABEL_BAND}
                            to={lanes.pinnedHeight + (band + 2) * LABEL_BAND + lanesHeight}
                        />
                    </div>
                </div>
            </div>
            <div class="timeline-surface">
                <canvas
                    ref={canvas}
                    class="timeline-canvas"
                    tabIndex={0}
                    role="img"
                    aria-label={ariaText(props)}
                />
                <div ref={timeLine} class="timeline-moment" hidden />
                <div
                    ref={scroller}
                    class="timeline-scroll"
                    style={{ top: head + pinnedView + edge }}
                    onScroll={() => stageRef.current?.onScroll()}
                >
                    <div style={{ height: lanes.height - lanes.pinnedHeight }} />
                </div>
                {props.children}
            </div>
        </div>
    );
}

type Refs = { [K in keyof StageParts]: StageParts[K] | null };

function partsOf(refs: Refs): StageParts | null {
    return Object.values(refs).includes(null) ? null : (refs as StageParts);
}

function ariaText({ answer, selected, area }: TimelineViewProps): string {
    const { tracks, counters, memory } = answer;
    const parts = [
        `Timeline of ${tracks.length} tracks and ${counters.length + memory.length} curves`,
    ];
    if (selected) parts.push(`a slice at ${axisText(selected.start)} is selected`);
    if (area) parts.push(`an area of ${areaLabels(area)[0]}`);
    return parts.join(', ');
}
