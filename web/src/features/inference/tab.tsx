/* SPDX-License-Identifier: MIT
 *
 * The Inference tab: the steps of a serving engine by phase, what they spend the time of the GPU or
 * of the CPU on, and one step. URL: ph (phase), x (axis), step (number of the selected step), ss=1 (steady state only),
 * by=operator, sort, desc=0.
 */
import { useCallback, useEffect, useMemo } from 'preact/hooks';
import type { Inference, InferenceParts, PhaseName, Run } from '../../base/answers';
import { withParams } from '../../base/client';
import { useKeys } from '../../base/keys';
import { goTo, replaceQuery, route } from '../../base/router';
import { int, plural } from '../../base/units';
import { CheckBox } from '../../components/check_box';
import { Notice } from '../../components/notice';
import { LoadingLine } from '../../components/progress';
import { Says } from '../../components/says';
import { Segmented } from '../../components/segmented';
import { setStatus } from '../../components/status_line';
import { PaneHead, Spacer, Toolbar } from '../../components/toolbar';
import {
    INFERENCE_AXES,
    type InferenceAxis,
    inferenceSays,
    isHostOnly,
    shownSteps,
    type StackPart,
    stackParts,
    stepRange,
    timesOf,
} from '../../model/inference';
import { ms } from '../../model/trace_range';
import { useJson } from '../shared/use_json';
import { tabHash, traceOf, viewPath } from '../trace/data';
import { timelineHash } from '../trace/timeline_link';
import { InferenceChart } from './chart';
import { PartsTable } from './parts_table';
import { StepPane } from './step_pane';

const FILTERS: PhaseName[] = ['prefill', 'mixed', 'decode'];
const AXIS_TEXTS: Record<InferenceAxis, string> = {
    step: 'by step',
    time: 'by time',
    batch: 'by batch',
    context: 'by context',
};

function statusOf(answer: Inference): string {
    const { engine, steps, omitted, outside_kernels, outside_ns, assumed, workers, worker } =
        answer;
    return [
        `${plural(steps, 'step')} of ${engine}`,
        omitted > 0 ? `${plural(omitted, 'later step')} omitted` : '',
        workers > 1 ? `worker ${worker} of ${int(workers)}` : '',
        outside_kernels > 0 ? `${ms(outside_ns)} ms of device work are outside of the steps` : '',
        assumed
            ? 'this vLLM does not tell decode from the rest of a long prefill: both count as decode'
            : '',
    ]
        .filter(Boolean)
        .join(' · ');
}

const countOf = ({ phases }: Inference, name: PhaseName): number =>
    phases.find(({ phase }) => phase === name)?.steps ?? 0;

function Legend({ parts }: { parts: StackPart[] }) {
    return (
        <span class="inference-legend">
            {parts.map(({ key, label }) => (
                <span key={key}>
                    <i class={`swatch is-family-${key}`} /> {label}
                </span>
            ))}
        </span>
    );
}

interface StepsToolbarProps {
    answer: Inference;
    parts: StackPart[];
    phase: PhaseName | null;
    axis: InferenceAxis;
    /** only steps of the steady state */
    steady: boolean;
}

function StepsToolbar({ answer, parts, phase, axis, steady }: StepsToolbarProps) {
    return (
        <Toolbar label="steps">
            <Segmented
                label="phase"
                value={phase ?? 'all'}
                options={[
                    { value: 'all', text: `all ${int(answer.steps)}` },
                    ...FILTERS.filter((name) => countOf(answer, name) > 0).map((name) => ({
                        value: name,
                        text: (
                            <>
                                <i class={`swatch is-phase-${name}`} /> {name}{' '}
                                {int(countOf(answer, name))}
                            </>
                        ),
                    })),
                ]}
                onChange={(next) => replaceQuery({ ph: next === 'all' ? null : next })}
            />
            <Segmented<InferenceAxis>
                label="axis"
                value={axis}
                options={INFERENCE_AXES.map((value) => ({ value, text: AXIS_TEXTS[value] }))}
                onChange={(x) => replaceQuery({ x: x === 'step' ? null : x })}
            />
            {answer.steady && (
                <label class="inference-steady" title="at most 10 % fewer requests than the most">
                    <CheckBox
                        label="steady state only"
                        checked={steady}
                        onChange={(checked) => replaceQuery({ ss: checked ? '1' : null })}
                    />
                    {` steady state only, steps ${int(answer.steady.first)}–${int(answer.steady.first + answer.steady.steps - 1)}`}
                </label>
            )}
            <Spacer />
            <Legend parts={parts} />
        </Toolbar>
    );
}

function Steps({ run, answer }: { run: Run; answer: Inference }) {
    const { query } = route.value;
    const phase = FILTERS.find((name) => name === query.ph) ?? null;
    const axis = INFERENCE_AXES.find((name) => name === query.x) ?? 'step';
    const steady = query.ss === '1' && answer.steady !== null;
    const shown = useMemo(() => shownSteps(answer, phase, steady), [answer, phase, steady]);
    const parts = useMemo(() => stackParts(answer), [answer]);
    const wanted = /^\d+$/.test(query.step ?? '') ? Number(query.step) : -1;
    const step = wanted < answer.steps ? wanted : -1;
    const by = query.by === 'operator' ? 'operator' : 'kernel';
    const stepIndex = useCallback((id: number) => answer.columns.id.indexOf(id), [answer]);
    const path = withParams(viewPath(run, 'inference/parts'), {
        by,
        step: step >= 0 ? answer.columns.id[step] : undefined,
    });
    const { data, error, loading } = useJson<InferenceParts>(path);
    const [first, second] = useMemo(() => inferenceSays(answer), [answer]);
    const select = (next: number | null): void =>
        replaceQuery({ step: next === null ? null : String(next) });
    const move = (by_: 1 | -1): void => {
        const at = shown.indexOf(step);
        const next = at < 0 ? shown.at(by_ > 0 ? 0 : -1) : shown[at + by_];
        if (next !== undefined) select(next);
    };
    const filter = (name: PhaseName): void =>
        replaceQuery({ ph: phase === name ? null : name, step: null });
    const range = step >= 0 ? stepRange(answer, step) : null;
    const timelineHref = range ? timelineHash(run, { range }) : '';
    const operatorsHref = range && traceOf(run).torch ? tabHash(run, 'operators', {}, range) : null;
    useKeys('Inference', [
        { key: 'ArrowRight', label: 'next step', run: () => move(1) },
        { key: 'ArrowLeft', label: 'previous step', run: () => move(-1) },
        ...FILTERS.map((name, i) => ({
            key: String(i + 1),
            label: `only ${name} steps`,
            run: () => countOf(answer, name) > 0 && filter(name),
        })),
        ...(step >= 0
            ? [
                  { key: 'Escape', label: 'no step', run: () => select(null) },
                  {
                      key: 'Enter',
                      label: 'the step in the timeline',
                      run: () => goTo(timelineHref),
                  },
                  { key: 'r', label: 'range from the step', run: () => goTo(timelineHref) },
              ]
            : []),
    ]);
    useEffect(() => {
        setStatus(undefined, statusOf(answer));
        return () => setStatus(undefined, null);
    }, [answer]);
    return (
        <>
            <Says first={first} second={second} />
            <StepsToolbar {...{ answer, parts, phase, axis, steady }} />
            <InferenceChart {...{ answer, parts, shown, axis, step }} onPick={select} />
            <div class={step >= 0 ? 'inference-panes has-step' : 'inference-panes'}>
                <section class="pane pane-main">
                    <PaneHead
                        title="Parts of a step, by phase"
                        remark={`${timesOf(answer)} time, median step of each phase`}
                    >
                        {!isHostOnly(answer) && (
                            <Segmented
                                label="parts"
                                value={by}
                                options={[
                                    { value: 'kernel', text: 'kernels' },
                                    { value: 'operator', text: 'operators' },
                                ]}
                                onChange={(next) =>
                                    replaceQuery({ by: next === 'kernel' ? null : next })
                                }
                            />
                        )}
                    </PaneHead>
                    {error && (
                        <Notice kind="error" title="The parts could not be read" error={error} />
                    )}
                    {data && (
                        <PartsTable
                            run={run}
                            parts={data}
                            stepIndex={stepIndex}
                            sort={{
                                key: query.sort ?? `ns${Math.max(0, data.steps.length - 1)}`,
                                desc: query.desc !== '0',
                            }}
                            onSort={(next) =>
                                replaceQuery({ sort: next.key, desc: next.desc ? null : '0' })
                            }
                        />
                    )}
                </section>
                {step >= 0 && (
                    <section class="pane">
                        <StepPane
                            answer={answer}
                            step={step}
                            parts={data}
                            timelineHref={timelineHref}
                            operatorsHref={operatorsHref}
                            onClose={() => select(null)}
                        />
                    </section>
                )}
            </div>
            <LoadingLine active={loading} />
        </>
    );
}

export function InferenceTab({ run }: { run: Run }) {
    const { data, error, loading } = useJson<Inference>(viewPath(run, 'inference'));
    return (
        <div class="tab-body inference">
            {error && <Notice kind="error" title="The steps could not be read" error={error} />}
            {data && data.steps > 0 && <Steps run={run} answer={data} />}
            {data?.steps === 0 && (
                <Notice kind="info" title="This run has no steps of a serving engine" />
            )}
            <LoadingLine active={loading} />
        </div>
    );
}
