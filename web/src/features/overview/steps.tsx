/* SPDX-License-Identifier: MIT
 *
 * Breakdown of the time: the mean step (or the range) as one bar, and every step as a bar on a
 * common scale.
 */
import type { Run, TraceOverview, TraceStep, Utilisation } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { replaceQuery, route } from '../../base/router';
import { formatSeconds, int, text, THIN_SPACE } from '../../base/units';
import { CopyButton } from '../../components/copy_button';
import { PartLegend, StackedBar } from '../../components/stacked_bar';
import { viewportWidth } from '../../components/viewport';
import { type DefinitionText, segmentsOf, sumOf } from '../../model/breakdown';
import { ms, rangeText, type TraceRange } from '../../model/trace_range';
import type { WorkerName } from '../../model/worker_names';
import { chosenStep } from '../shared/chosen_step';
import { traceOf } from '../trace/data';
import { timelineHash } from '../trace/timeline_link';
import { deviceWord } from '../../model/device';

interface BreakdownProps {
    overview: TraceOverview;
    utilisation: Utilisation | null;
    range: TraceRange | null;
    definition: DefinitionText;
}

export function Breakdown({ overview, utilisation, range, definition }: BreakdownProps) {
    const parts = range ? utilisation?.parts[definition.id] : overview.mean[definition.id];
    const segments = segmentsOf(parts);
    const counted = overview.steps.filter((step) => step.counted).length;
    const title = range ? `Range ${rangeText(range)}` : meanText(overview.steps, counted);
    const base = range ? 'of range' : overview.steps.length > 1 ? 'of step' : 'of the whole';
    return (
        <section class="overview-section">
            <h2>
                {title}
                <span class="soft">
                    {segments.length > 0 &&
                        `Σ ${text(formatSeconds(sumOf(parts) / 1e9))}, ${wholeText(overview, range)}`}
                </span>
            </h2>
            {parts && segments.length === 0 ? (
                <p class="soft">
                    {definition.title} covers {deviceWord()} time only, and this trace has no{' '}
                    {deviceWord()} work.
                </p>
            ) : (
                <>
                    <StackedBar label={title} segments={segments} base={base} px={barWidth()} />
                    <PartLegend segments={segments} base={base} />
                </>
            )}
        </section>
    );
}

/** Width available for a bar in px: the page, without the side column if there is one. */
function barWidth(): number {
    const width = viewportWidth.value;
    return width < 1000 ? width - 32 : width - 452;
}

/* What the parts add up to. Without steps it is less than the span of the trace, which includes the
 * start and the end of the profiler. */
function wholeText({ steps }: TraceOverview, range: TraceRange | null): string {
    if (range || steps.length > 1) return 'the wall time';
    return 'from the first to the last operator or call';
}

function meanText(steps: TraceStep[], counted: number): string {
    if (steps.length <= 1) return 'Whole trace';
    // Without annotations there is one step for each worker.
    const workers = new Set(steps.map(({ worker }) => worker)).size;
    if (workers === steps.length) return `Mean of ${int(workers)} workers`;
    return `Mean of ${int(counted)} steps`;
}

const STEP_CALL = 'profiler.step()';

/** Explains how to mark steps with the recorder of the trace. */
function NoSteps({ torch, hasDevices }: { torch: boolean; hasDevices: boolean }) {
    return (
        <section class="overview-section">
            <h2>
                Steps<span class="soft">No steps marked; showing the whole trace</span>
            </h2>
            {torch && (
                <p class="teach">
                    <span class="soft">At the end of each iteration this marks one:</span>
                    <code>{STEP_CALL}</code> <CopyButton text={STEP_CALL} />
                </p>
            )}
            {!torch && hasDevices && (
                <p class="teach soft">
                    An NVTX range around each iteration can be chosen as the step, below the
                    conclusion.
                </p>
            )}
        </section>
    );
}

/** Number of steps that are drawn at first, because each bar has several parts; the user can
 * request all. */
const SHOWN_STEPS = 100;
/** Maximum number of rows that fit without scrolling. */
const MAX_UNSCROLLED = 12;

interface StepListProps {
    run: Run;
    steps: TraceStep[];
    definition: DefinitionText;
    nameOf: WorkerName | null;
}

export function StepList({ run, steps, definition, nameOf }: StepListProps) {
    if (traceOf(run).steps === 0 && !chosenStep(run).value)
        return (
            <NoSteps torch={kindHas(run.kind, 'torch')} hasDevices={kindHas(run.kind, 'devices')} />
        );
    if (steps.length < 2) return null;
    const longest = Math.max(...steps.map(({ start_ns, end_ns }) => end_ns - start_ns));
    const left = steps.filter((step) => !step.counted).length;
    const all = route.value.query.steps === 'all';
    const shown = all ? steps : steps.slice(0, SHOWN_STEPS);
    return (
        <section class="overview-section">
            <h2>
                Steps
                <span class="soft">
                    same scale;{' '}
                    {left > 0 ? `${int(left)} not counted in the mean (too few kernels); ` : ''}
                    click a step to show it in the timeline
                </span>
            </h2>
            <div
                class={`step-list${nameOf ? ' is-job' : ''}`}
                tabIndex={steps.length > MAX_UNSCROLLED ? 0 : undefined}
            >
                {shown.map((step) => (
                    <a
                        key={step.id}
                        class={`step-row${step.counted ? '' : ' is-left-out'}`}
                        href={timelineHash(run, {
                            range: { from_ns: step.start_ns, to_ns: step.end_ns },
                        })}
                    >
                        <span class="mono step-name" title={step.name}>
                            {nameOf && <span class="soft">{nameOf(step.worker)} · </span>}
                            {step.name}
                        </span>
                        <StackedBar
                            label={step.name}
                            segments={segmentsOf(step.parts[definition.id])}
                            width={(step.end_ns - step.start_ns) / longest}
                            base={step.counted ? 'of step' : 'of step, not counted in the mean'}
                        />
                        <span class="step-time">
                            {ms(step.end_ns - step.start_ns)}
                            <span class="unit">{THIN_SPACE}ms</span>
                        </span>
                    </a>
                ))}
                {shown.length < steps.length && (
                    <button
                        type="button"
                        class="link step-more"
                        onClick={() => replaceQuery({ steps: 'all' })}
                    >
                        {int(steps.length - shown.length)} more steps
                    </button>
                )}
            </div>
        </section>
    );
}
