/* SPDX-License-Identifier: MIT
 *
 * Overview, ruler and lanes in one canvas, with the labels next to it. The caller stores selection,
 * window and range in the URL.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { axisText } from '../../base/axis';
import { useEffectOn, useLayoutEffectOn } from '../../base/hooks';
import { watchTheme } from '../../components/theme_watch';
import { listenTimeline } from './input';
import { useTimelineKeys } from './keys';
import { TimelineLabels } from './labels';
import type { StageParts, TimelineProps } from './props';
import { TimelineStage } from './stage';

/** The range of rendered labels changes in steps of this many px, so that most scroll events render
 * nothing. */
const LABEL_BAND = 400;

interface TimelineViewProps extends TimelineProps {
    /** receives the stage, so that the parent can call it */
    stageRef: { current: TimelineStage | null };
}

export function TimelineView(props: TimelineViewProps) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const scroller = useRef<HTMLDivElement | null>(null);
    const labels = useRef<HTMLDivElement | null>(null);
    const span = useRef<HTMLDivElement | null>(null);
    const timeLine = useRef<HTMLDivElement | null>(null);
    const [band, setBand] = useState(0);
    const [lanesHeight, setLanesHeight] = useState(800);
    const { stageRef, lanes, selected, flows, range, found, at } = props;

    useLayoutEffectOn(() => {
        const parts = partsOf({
            canvas: canvas.current,
            scroller: scroller.current,
            labels: labels.current,
            span: span.current,
            timeLine: timeLine.current,
        });
        if (!parts) return undefined;
        const now = new TimelineStage(parts, props, () => {
            setBand(Math.floor(now.scene.top / LABEL_BAND));
            setLanesHeight(now.lanesHeight);
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
    useLayoutEffectOn(() => stageRef.current?.redraw(), [selected, flows, range, found]);
    useLayoutEffectOn(
        () => stageRef.current?.changeAlignment(props),
        [props.commonRange, props.origin],
    );
    useLayoutEffectOn(() => {
        stageRef.current?.redraw();
        stageRef.current?.onScroll();
        stageRef.current?.requestData();
    }, [lanes]);
    useEffectOn(() => stageRef.current?.follow(at), [at]);
    useTimelineKeys(stageRef, selected !== null);

    // When a label gets the focus, scroll its lane into view. The browser's own scrolling of the
    // label column is undone, because the lanes would not follow it.
    const followFocus = (event: FocusEvent): void => {
        const now = stageRef.current;
        if (!now || !(event.target instanceof HTMLElement)) return;
        const box = event.target.getBoundingClientRect();
        const viewRect = now.parts.scroller.getBoundingClientRect();
        const isOutside = box.top < viewRect.top || box.bottom > viewRect.bottom;
        if (isOutside) now.scrollTo(now.scene.top + box.top - viewRect.top - viewRect.height / 3);
    };
    const undoScroll = ({ currentTarget }: { currentTarget: HTMLElement }): void => {
        currentTarget.scrollTop = 0;
    };

    const { start_ns, end_ns } = props.answer;
    return (
        <div class="timeline-stage">
            <div class="timeline-names-column">
                <div class="timeline-overview-label">
                    <b>Overview</b>
                    <span>{axisText(end_ns - start_ns)}</span>
                </div>
                <div class="timeline-span" ref={span} />
                <div class="timeline-labels" onFocusIn={followFocus} onScroll={undoScroll}>
                    <div ref={labels}>
                        <TimelineLabels
                            lanes={lanes}
                            from={(band - 1) * LABEL_BAND}
                            to={(band + 2) * LABEL_BAND + lanesHeight}
                            onFold={props.onFold}
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
                    onScroll={() => stageRef.current?.onScroll()}
                >
                    <div style={{ height: lanes.height }} />
                </div>
            </div>
        </div>
    );
}

type Refs = { [K in keyof StageParts]: StageParts[K] | null };

function partsOf(refs: Refs): StageParts | null {
    return Object.values(refs).includes(null) ? null : (refs as StageParts);
}

function ariaText({ answer, selected, range }: TimelineViewProps): string {
    const { tracks, counters, memory } = answer;
    const parts = [
        `Timeline of ${tracks.length} tracks and ${counters.length + memory.length} curves`,
    ];
    if (selected) parts.push(`a slice at ${axisText(selected.start)} is selected`);
    if (range) parts.push(`a range of ${axisText(range.to - range.from)} is selected`);
    return parts.join(', ');
}
