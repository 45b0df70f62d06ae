/* SPDX-License-Identifier: MIT
 *
 * Where a step goes, above the tracks: it says why to look. The gravest finding stands beside it.
 */
import type { Run } from '../base/types';
import type { TraceOverview } from '../base/trace_types';
import { fig, int, text } from '../base/units';
import { PartLegend, StackedBar } from '../components/stacked_bar';
import { viewportWidth } from '../components/viewport';
import { segmentsOf } from '../model/breakdown';
import { rangeQuery } from '../model/trace_range';
import { put, traceOf, viewPath } from './trace_data';
import { useJson } from './use_json';

/** px of a row that the bar does not have */
const BESIDE_BAR = 184;

interface Finding {
    severity: string;
    title: string;
    text: string;
    from_ns: number | null;
    to_ns: number | null;
}

/** The mean step; nothing for traces without steps. */
export function StepsOfRun({ run }: { run: Run }) {
    const { torch, steps } = traceOf(run);
    const wanted = Boolean(torch) && steps > 0;
    const { data } = useJson<TraceOverview>(wanted ? viewPath(run, 'overview') : null);
    // After the bar, so that the picture comes first.
    const { data: found } = useJson<{ rows: Finding[] }>(data ? viewPath(run, 'findings') : null);
    if (!wanted) return null;
    const segments = segmentsOf(data?.mean.tensorboard);
    if (!segments.length) return <div class="timeline-steps" />;
    const room = viewportWidth.value - BESIDE_BAR;
    const worst = found?.rows.find(({ severity }) => severity === 'high') ?? null;
    const title = steps === 1 ? 'One step' : `Mean of ${int(steps)} steps`;
    const sum = segments.reduce((ns, segment) => ns + segment.ns, 0);
    return (
        <div class="timeline-steps">
            <div class="timeline-steps-title" title={`${text(fig(sum / 1e9))} a step`}>
                <b>{title}</b>
                <span>each µs counted once</span>
            </div>
            <div class="timeline-steps-body">
                <StackedBar label={title} segments={segments} base="of step" px={room} />
                <PartLegend segments={segments} base="of step">
                    {worst && <FindingLink finding={worst} />}
                </PartLegend>
            </div>
        </div>
    );
}

function FindingLink({ finding }: { finding: Finding }) {
    const { title, from_ns, to_ns } = finding;
    if (from_ns === null || to_ns === null || to_ns <= from_ns) {
        return (
            <span class="timeline-steps-remark" title={finding.text}>
                {title}
            </span>
        );
    }
    return (
        <button
            type="button"
            class="timeline-steps-remark"
            title={`${finding.text} Click to select the range.`}
            onClick={() => put(rangeQuery({ from_ns, to_ns }))}
        >
            {title}
        </button>
    );
}
