/* SPDX-License-Identifier: MIT
 *
 * Labels of the lanes, to their left. A click folds a track to its outermost row; a click on a
 * process folds all its tracks. Only labels near the visible part are rendered.
 */
import { type Lane, laneIndexAt, type Lanes } from './lanes';

/** px; in lanes higher than this, the label moves with the scroll position */
const HIGH_LANE_PX = 140;

interface LabelsProps {
    lanes: Lanes;
    /** vertical range in px whose labels are rendered */
    from: number;
    to: number;
    onFold: (keys: string[]) => void;
}

export function TimelineLabels({ lanes, from, to, onFold }: LabelsProps) {
    const shown: Lane[] = [];
    for (let i = laneIndexAt(lanes, Math.max(0, from)); i < lanes.lanes.length; i++) {
        if (lanes.lanes[i].top > to) break;
        shown.push(lanes.lanes[i]);
    }
    return (
        <>
            {shown.map((lane) => (
                <LaneLabel key={lane.key} lane={lane} lanes={lanes} onFold={onFold} />
            ))}
        </>
    );
}

function keysOfProcess({ lanes }: Lanes, process: number): string[] {
    return lanes.flatMap(({ kind, key, process: of }) =>
        kind === 'track' && of?.id === process ? [key] : [],
    );
}

function LaneLabel({
    lane,
    lanes,
    onFold,
}: {
    lane: Lane;
    lanes: Lanes;
    onFold: (keys: string[]) => void;
}) {
    const { label, kind, process } = lane;
    const edge = lane.first ? ' is-first' : '';
    // The label of a high lane stays visible while scrolling through the lane (timeline.css).
    const place = {
        top: lane.top,
        height: lane.height,
        ...(lane.height > HIGH_LANE_PX && { '--lane-top': lane.top, '--lane-height': lane.height }),
    };
    if (kind === 'busy') {
        return (
            <div class="timeline-label is-busy" style={place} title={label.tooltip}>
                <span>{label.role}</span>
            </div>
        );
    }
    const isInline = label.isInline;
    const stateClass = lane.isFolded ? ' is-folded' : lane.height > HIGH_LANE_PX ? ' is-high' : '';
    return (
        <div class={`timeline-label${edge}${stateClass}`} style={place} title={label.tooltip}>
            <div class={isInline ? 'timeline-names is-beside' : 'timeline-names'}>
                {label.process && process && (
                    <button
                        type="button"
                        class="timeline-process"
                        title={`fold or unfold all of ${label.process}`}
                        onClick={() => onFold(keysOfProcess(lanes, process.id))}
                    >
                        {label.process}
                    </button>
                )}
                <button
                    type="button"
                    class="timeline-fold"
                    aria-expanded={!lane.isFolded}
                    onClick={() => onFold([lane.key])}
                >
                    {label.name}
                    {label.role && !isInline && <span class="timeline-role">{label.role}</span>}
                </button>
            </div>
        </div>
    );
}
