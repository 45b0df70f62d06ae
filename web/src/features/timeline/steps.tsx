/* SPDX-License-Identifier: MIT
 *
 * Breakdown of the mean step, or of the range, above the tracks.
 */
import type { TraceOverview, Utilisation } from '../../base/trace_types';
import type { Run } from '../../base/types';
import { formatSeconds, int, text } from '../../base/units';
import { PartLegend, StackedBar } from '../../components/stacked_bar';
import { viewportWidth } from '../../components/viewport';
import { type Segment, segmentsOf } from '../../model/breakdown';
import { type TraceRange } from '../../model/trace_range';
import { useJson } from '../shared/use_json';
import { isAttributed, rangedPath, traceOf, viewPath } from '../trace/data';

/** width in px of the rest of the row, next to the bar */
const BESIDE_BAR_PX = 184;

interface BreakdownBar {
    title: string;
    segments: Segment[];
    base: string;
}

/* Breakdown of the range, if there is one, else of the mean step. */
function useBreakdown(run: Run, range: TraceRange | null): BreakdownBar | null {
    const { steps } = traceOf(run);
    const attributed = isAttributed(run);
    const ofRange = useJson<Utilisation>(
        attributed && range ? rangedPath(run, 'utilisation', range) : null,
    );
    const { data } = useJson<TraceOverview>(
        attributed && steps > 0 ? viewPath(run, 'overview') : null,
    );
    if (range && ofRange.data) {
        const title = `Range of ${text(formatSeconds((range.to_ns - range.from_ns) / 1e9))}`;
        return { title, segments: segmentsOf(ofRange.data.parts.tensorboard), base: 'of range' };
    }
    if (!data) return null;
    const title = steps === 1 ? 'One step' : `Mean of ${int(steps)} steps`;
    return { title, segments: segmentsOf(data.mean.tensorboard), base: 'of step' };
}

/** Row above the tracks; nothing for a trace without steps, unless a range is selected. */
export function StepsOfRun({ run, range }: { run: Run; range: TraceRange | null }) {
    const { steps } = traceOf(run);
    const isShown = isAttributed(run) && (steps > 0 || range !== null);
    const bar = useBreakdown(run, range);
    if (!isShown) return null;
    if (!bar?.segments.length) return <div class="timeline-steps" />;
    const { title, segments, base } = bar;
    const sum = segments.reduce((ns, segment) => ns + segment.ns, 0);
    return (
        <div class="timeline-steps">
            <div class="timeline-steps-title" title={`${text(formatSeconds(sum / 1e9))} in all`}>
                <b>{title}</b>
                <span class="ellipsis">each µs counted once</span>
            </div>
            <div class="timeline-steps-body">
                <StackedBar
                    label={title}
                    segments={segments}
                    base={base}
                    px={viewportWidth.value - BESIDE_BAR_PX}
                />
                <PartLegend segments={segments} base={base} />
            </div>
        </div>
    );
}
