/* SPDX-License-Identifier: MIT
 *
 * Labels of the lanes, to their left. The triangle folds a track, the circle pins it. A label can be
 * dragged to another place, and its lower edge changes the height. Only labels near the visible part
 * are rendered.
 */
import { useRef } from 'preact/hooks';
import { isInArea } from './area';
import { areaKey, type Lane, laneIndexAt, type Lanes } from './lanes';
import type { ArrangementChange } from './props';

/** px; in lanes higher than this, the label moves with the scroll position */
const HIGH_LANE_PX = 140;
const DRAG_PX = 4;
const STEP_PX = 17;

interface LabelsProps {
    lanes: Lanes;
    /** true: the labels of the pinned lanes, else of the others */
    isPinned: boolean;
    /** vertical range in px whose labels are rendered */
    from: number;
    to: number;
    onArrange: (change: ArrangementChange) => void;
    /** the label under the pointer or with the focus; null: none */
    onHover: (key: string | null) => void;
    onMenu: (lane: Lane, x: number, y: number) => void;
    /** keys of the lanes of the selected area; null: no area, or one of all lanes */
    area: ReadonlySet<string> | null;
    /** Shift + click on a label: adds the lane to the area, or removes it */
    onArea: (key: string) => void;
}

export function TimelineLabels(props: LabelsProps) {
    const { lanes, isPinned, from, to } = props;
    const shown: Lane[] = [];
    for (let i = laneIndexAt(lanes, Math.max(0, from)); i < lanes.lanes.length; i++) {
        if (lanes.lanes[i].top > to) break;
        if (lanes.lanes[i].isPinned === isPinned) shown.push(lanes.lanes[i]);
    }
    return (
        <>
            {shown.map((lane) =>
                lane.kind === 'busy' || lane.kind === 'rows' ? (
                    <BusyLabel key={lane.key} lane={lane} area={props.area} />
                ) : (
                    <LaneLabel key={lane.key} lane={lane} {...props} />
                ),
            )}
        </>
    );
}

function keysOfProcess({ lanes }: Lanes, process: number): string[] {
    return lanes.flatMap(({ kind, key, process: of }) =>
        kind === 'track' && of?.id === process ? [key] : [],
    );
}

// The label of a high lane stays visible while scrolling through the lane (timeline.css).
const placeOf = ({ top, height }: Lane) => ({
    top,
    height,
    ...(height > HIGH_LANE_PX && { '--lane-top': top, '--lane-height': height }),
});

interface BusyLabelProps {
    lane: Lane;
    area: ReadonlySet<string> | null;
}

function BusyLabel({ lane, area }: BusyLabelProps) {
    const mark = area && isInArea(area, lane) ? ' is-in-area' : '';
    return (
        <div
            class={`timeline-label is-${lane.kind}${mark}`}
            style={placeOf(lane)}
            title={lane.label.tooltip}
        >
            <span>{lane.label.role}</span>
        </div>
    );
}

function LaneLabel(props: { lane: Lane } & LabelsProps) {
    const { lane, lanes, onArrange, onHover, onMenu, area, onArea } = props;
    const { label, process, key, isFolded, isPinned } = lane;
    const isHigh = lane.height > HIGH_LANE_PX && !isFolded;
    const classes = [
        'timeline-label',
        lane.first && 'is-first',
        isFolded && 'is-folded',
        isHigh && 'is-high',
        area && isInArea(area, lane) && 'is-in-area',
    ];
    return (
        <div
            class={classes.filter(Boolean).join(' ')}
            style={placeOf(lane)}
            title={label.tooltip}
            data-lane={key}
            onPointerEnter={() => onHover(key)}
            onPointerLeave={() => onHover(null)}
            onFocusIn={() => onHover(key)}
            onFocusOut={() => onHover(null)}
            onClick={(event) => {
                const isButton = event.target instanceof Element && event.target.closest('button');
                if (event.shiftKey && !isButton) onArea(areaKey(lane));
            }}
            onContextMenu={(event) => {
                event.preventDefault();
                onMenu(lane, event.clientX, event.clientY);
            }}
        >
            <div class="timeline-label-row">
                <button
                    type="button"
                    class="timeline-fold"
                    aria-expanded={!isFolded}
                    aria-label={`${isFolded ? 'unfold' : 'fold'} ${label.name}`}
                    title={`${isFolded ? 'unfold' : 'fold'} (Z)`}
                    onClick={() => onArrange({ fold: [key] })}
                >
                    {isFolded ? '▸' : '▾'}
                </button>
                <LabelText
                    lane={lane}
                    onMove={(before) => onArrange({ move: key, before })}
                    onFoldProcess={
                        process && (() => onArrange({ fold: keysOfProcess(lanes, process.id) }))
                    }
                />
                <button
                    type="button"
                    class="timeline-pin"
                    aria-pressed={isPinned}
                    aria-label={`pin ${label.name}`}
                    title={isPinned ? 'unpin (P)' : 'pin above the other tracks (P)'}
                    onClick={() => onArrange({ pin: key })}
                />
            </div>
            {!isFolded && (
                <HeightEdge lane={lane} onResize={(px) => onArrange({ resize: key, px })} />
            )}
        </div>
    );
}

/** A drag of a label: it stays in place, and a line shows where it will be moved. */
interface LabelDrag {
    y: number;
    target: HTMLElement | null;
}

/* The label that the dragged one will be moved above; null if the pointer is at no other label. */
function targetAt(event: PointerEvent): HTMLElement | null {
    const label = document
        .elementFromPoint(event.clientX, event.clientY)
        ?.closest<HTMLElement>('[data-lane]');
    return label && !label.contains(event.currentTarget as Node) ? label : null;
}

interface LabelTextProps {
    lane: Lane;
    /** moves the lane above another one */
    onMove: (before: string) => void;
    onFoldProcess: (() => void) | null;
}

function LabelText({ lane, onMove, onFoldProcess }: LabelTextProps) {
    const drag = useRef<LabelDrag | null>(null);
    const { label } = lane;
    const mark = (target: HTMLElement | null): void => {
        if (!drag.current) return;
        drag.current.target?.classList.remove('is-target');
        target?.classList.add('is-target');
        drag.current.target = target;
    };
    const stop = (): string | undefined => {
        const target = drag.current?.target;
        mark(null);
        drag.current = null;
        return target?.dataset.lane;
    };
    return (
        <div
            class={label.isInline ? 'timeline-names is-beside' : 'timeline-names'}
            onPointerDown={(event) => {
                if (event.button !== 0 || event.target instanceof HTMLButtonElement) return;
                event.currentTarget.setPointerCapture(event.pointerId);
                drag.current = { y: event.clientY, target: null };
            }}
            onPointerMove={(event) => {
                if (!drag.current || Math.abs(event.clientY - drag.current.y) < DRAG_PX) return;
                mark(targetAt(event));
            }}
            onPointerUp={() => {
                const before = stop();
                if (before) onMove(before);
            }}
            onPointerCancel={stop}
        >
            {label.process && onFoldProcess && (
                <button
                    type="button"
                    class="timeline-process"
                    title={`fold or unfold all of ${label.process}`}
                    onClick={onFoldProcess}
                >
                    {label.process}
                </button>
            )}
            <span class="timeline-track">{label.name}</span>
            {label.role && !label.isInline && <span class="timeline-role">{label.role}</span>}
        </div>
    );
}

/* The lower edge of a label: dragging it changes the height of the lane, a double click restores
 * it. */
function HeightEdge({ lane, onResize }: { lane: Lane; onResize: (px: number | null) => void }) {
    const from = useRef<{ y: number; height: number } | null>(null);
    return (
        <div
            class="timeline-height"
            role="separator"
            aria-orientation="horizontal"
            aria-label={`height of ${lane.label.name}`}
            aria-valuenow={lane.height}
            tabIndex={0}
            title="drag for the height, double-click for the default"
            onPointerDown={(event) => {
                event.currentTarget.setPointerCapture(event.pointerId);
                from.current = { y: event.clientY, height: lane.height };
            }}
            onPointerMove={(event) => {
                const start = from.current;
                if (start) onResize(Math.max(1, start.height + event.clientY - start.y));
            }}
            onPointerUp={() => {
                from.current = null;
            }}
            onPointerCancel={() => {
                from.current = null;
            }}
            onDblClick={() => onResize(null)}
            onKeyDown={(event) => {
                if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
                event.preventDefault();
                event.stopPropagation();
                const by = event.key === 'ArrowUp' ? -STEP_PX : STEP_PX;
                onResize(Math.max(1, lane.height + by));
            }}
        />
    );
}
