/* SPDX-License-Identifier: MIT
 *
 * The selected step of the scheduler: its time and tokens, the requests in it and those that waited for
 * it, and what it executed, with links to the tabs that show this range of the trace.
 */
import type { ComponentChildren } from 'preact';
import type { EngineStepDetail, Run, StepRequest } from '../../base/answers';
import { int, pct, THIN_SPACE } from '../../base/units';
import type { Action } from '../../components/actions';
import { Pairs } from '../../components/pairs';
import { PaneSection, SelectionPane } from '../../components/selection_pane';
import { servedText, stepTitle, timeText } from '../../model/requests';
import { timelineHash } from '../trace/timeline_link';
import { workLinks } from './links';
import { RequestLinks } from './request_links';

interface StepPaneProps {
    run: Run;
    detail: EngineStepDetail;
    onClose: () => void;
}

/** Links to what ran in the step; empty: the run has no trace. */
export function stepActions(run: Run, { start_ns, end_ns }: EngineStepDetail): Action[] {
    const { timeline, operators, kernels } = workLinks(run, { from_ns: start_ns, to_ns: end_ns });
    const actions: Action[] = [];
    if (timeline) actions.push({ text: 'Show in the timeline', href: timeline, button: true });
    if (operators) actions.push({ text: 'Operators', href: operators, button: true });
    if (kernels) actions.push({ text: 'Kernels', href: kernels, button: true });
    return actions;
}

export function StepPane({ run, detail, onClose }: StepPaneProps) {
    return (
        <SelectionPane
            head={{ name: stepTitle(detail), place: detail.name }}
            actions={stepActions(run, detail)}
            base={null}
            onClose={onClose}
        >
            <PaneSection title={`Duration ${timeText(detail.end_ns - detail.start_ns)}`}>
                <Pairs rows={factRows(detail)} />
            </PaneSection>
            <Requests title="Prefilled" requests={detail.prefilled} hasTokens />
            <Requests title="Got a token" requests={detail.decoded} />
            <Requests title="Ended with it" requests={detail.finished} />
            <Requests
                title="Waited for it to end"
                requests={detail.waiting_for}
                count={detail.waited}
            />
            <Work run={run} detail={detail} />
        </SelectionPane>
    );
}

function factRows(detail: EngineStepDetail): [string, ComponentChildren][] {
    const counts: [string, number | null][] = [
        ['Tokens of prompts', detail.context_tokens],
        ['Requests prefilled', detail.context_requests],
        ['Requests that got a token', detail.generation_requests],
        ['Running', detail.running],
        ['Waiting', detail.waiting],
    ];
    return [
        ['Starts at', timeText(detail.start_ns)],
        ...counts
            .filter(([, n]) => n !== null)
            .map(([label, n]): [string, ComponentChildren] => [label, int(n)]),
    ];
}

interface RequestsProps {
    title: string;
    requests: readonly StepRequest[];
    /** all of them, if not all are listed */
    count?: number;
    hasTokens?: boolean;
}

function Requests({ title, requests, count, hasTokens }: RequestsProps) {
    if (requests.length === 0) return null;
    return (
        <PaneSection title={title} note={int(count ?? requests.length)}>
            <p>
                <RequestLinks
                    before={hasTokens ? '' : 'requests'}
                    requests={requests}
                    text={hasTokens ? servedText : undefined}
                />
            </p>
        </PaneSection>
    );
}

function Work({ run, detail }: { run: Run; detail: EngineStepDetail }) {
    const { work, start_ns, end_ns } = detail;
    if (!work || work.rows.length === 0) return null;
    const range = { from_ns: start_ns, to_ns: end_ns };
    return (
        <PaneSection
            title={work.by === 'kernel' ? 'Largest kernels' : 'Largest operators'}
            right={work.by === 'kernel' ? '% of the step' : 'self time, % of the step'}
        >
            <ul class="request-work">
                {work.rows.map(({ name, self_ns, share, calls }) => (
                    <li key={name}>
                        <a
                            href={timelineHash(run, { find: name, range })}
                            title={`${name}, ${int(calls)} calls`}
                        >
                            <span class="mono ellipsis">{name}</span>
                            <span class="request-amount">
                                <i style={{ width: `${Math.min(100, 100 * share)}%` }} />
                            </span>
                            <span class="is-right">{timeText(self_ns)}</span>
                            <span class="is-right soft">
                                {pct(100 * share)}
                                {THIN_SPACE}%
                            </span>
                        </a>
                    </li>
                ))}
            </ul>
        </PaneSection>
    );
}
