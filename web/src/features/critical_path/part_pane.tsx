/* SPDX-License-Identifier: MIT */
/* What the step would take if the selected part were faster, how the path is found, and HTA's. */
import type { CriticalPart, CriticalPath } from '../../base/answers';
import { int, pct, THIN_SPACE } from '../../base/units';
import { PaneHead } from '../../components/toolbar';
import { outcomes, partInfo } from '../../model/critical_path';
import { ms } from '../../model/trace_range';
import { deviceWord } from '../../model/device';

const time = (ns: number): string => `${ms(ns)}${THIN_SPACE}ms`;

function Outcomes({ answer, part }: { answer: CriticalPath; part: CriticalPart }) {
    return (
        <dl class="path-outcomes">
            {outcomes(answer, part).map(({ label, ns, isLimit }) => [
                <dt>{label}</dt>,
                <dd class="path-bar">
                    <span
                        class={isLimit ? 'is-limit' : ''}
                        style={{ width: `${(100 * ns) / answer.length_ns}%` }}
                    />
                </dd>,
                <dd class="path-time">{time(ns)}</dd>,
            ])}
        </dl>
    );
}

function thenText(part: CriticalPart): string {
    const { title, advice } = partInfo(part.part);
    if (part.ns === 0) return `No ${title} is on the path: faster ${title} changes nothing.`;
    const then = part.then
        ? `If it is twice as fast, ${partInfo(part.then).title} takes over.`
        : 'If it is twice as fast, the rest of the path stays as it is.';
    return advice ? `${then} ${advice}` : then;
}

function foundText(answer: CriticalPath): string {
    const waits = answer.has_sync_events
        ? 'Waits are those that the trace records (cuda_sync).'
        : answer.inferred_waits
          ? 'The trace does not record what calls and streams waited for: they waited for the work that ended last before. Record with enable_cuda_sync_events for exact waits.'
          : '';
    const overlap = answer.is_overlapped
        ? `The CPU begins this step before the ${deviceWord()} has finished the one before, so no change makes it shorter than the ${time(answer.host_ns)} that the CPU needs.`
        : '';
    return [
        'Backwards from the end of the step: from each start to what let it start. Each moment is on the path once.',
        waits,
        overlap,
    ]
        .filter(Boolean)
        .join(' ');
}

function HtaText({ answer }: { answer: CriticalPath }) {
    const { reason, length_ns, bound_by } = answer.hta;
    if (reason) return <p class="soft">{reason}</p>;
    const bounds = bound_by.map(
        ({ bound, ns }) =>
            `${bound.replaceAll('_', ' ')} ${pct((100 * ns) / Math.max(1, length_ns))}${THIN_SPACE}%`,
    );
    return (
        <p>
            <b>HTA’s path, by weights:</b> {time(length_ns)} ({bounds.join(', ')}). Waits weigh 0
            there, so it does not cover the step.
        </p>
    );
}

interface PartPaneProps {
    answer: CriticalPath;
    /** null: none is selected */
    part: CriticalPart | null;
    timelineHref: string;
    onClose: () => void;
}

export function PartPane({ answer, part, timelineHref, onClose }: PartPaneProps) {
    const { launch_bound_ns, length_ns, communication_ns, exposed_communication_ns } = answer;
    return (
        <div class="path-pane">
            <PaneHead
                title={part ? `If ${partInfo(part.part).title} were faster` : 'The path'}
                remark={part ? 'step' : undefined}
            >
                {part && (
                    <button type="button" class="button-plain" onClick={onClose}>
                        <kbd>Esc</kbd>
                    </button>
                )}
            </PaneHead>
            {part && <Outcomes answer={answer} part={part} />}
            {part && <p>{thenText(part)}</p>}
            {launch_bound_ns > 0 && (
                <p>
                    The {deviceWord()} waits for launches during {time(launch_bound_ns)} of the path
                    ({pct((100 * launch_bound_ns) / length_ns)}
                    {THIN_SPACE}%).
                </p>
            )}
            {communication_ns > 0 && (
                <p>
                    Communication: {time(communication_ns)}, of which{' '}
                    {time(exposed_communication_ns)} are exposed.
                </p>
            )}
            <p>
                <b>How the path is found.</b> {foundText(answer)}
            </p>
            <HtaText answer={answer} />
            <p>
                <a href={timelineHref}>Show in the timeline</a>
                {answer.operators_total > answer.operators.length && (
                    <span class="soft">
                        {` · ${int(answer.operators.length)} of ${int(answer.operators_total)} operators listed`}
                    </span>
                )}
            </p>
        </div>
    );
}
