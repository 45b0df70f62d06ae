/* SPDX-License-Identifier: MIT
 *
 * The checks of a trace at the end of its overview: the rules that found something, each with its
 * numbers and a link to the rows, and the rules that found nothing.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { Finding, Findings, Run } from '../../base/answers';
import { formatFixed, int, pct, THIN_SPACE } from '../../base/units';
import { Notice } from '../../components/notice';
import { Term } from '../../components/term';
import { type TraceRange } from '../../model/trace_range';
import { useJson } from '../shared/use_json';
import { tabHash, viewPath } from '../trace/data';
import { timelineHash } from '../trace/timeline_link';

const SEVERITY: Record<Finding['severity'], string> = {
    high: 'High',
    medium: 'Medium',
    low: 'Low',
};
/** A speed-up above this factor is shown as no limit. */
const MAX_SHOWN_SPEEDUP = 1000;

/** Tab for each view of the API whose name is not that of the tab. */
const TAB_OF: Record<string, string> = {
    gaps: 'overview',
    steps: 'overview',
    overview: 'overview',
    utilisation: 'overview',
    memory_operators: 'memory',
    allocations: 'memory',
    curves: 'memory',
    workers: 'ranks',
    window: 'timeline',
    find: 'timeline',
};

function rangeOf({ from_ns, to_ns }: Finding): TraceRange | null {
    if (from_ns === null || to_ns === null || to_ns <= from_ns) return null;
    return { from_ns, to_ns };
}

function hashOf(run: Run, finding: Finding): string | null {
    const { link } = finding;
    if (!link) return null;
    const query: Record<string, string> = {};
    for (const [key, value] of Object.entries(link.params)) {
        if (key !== 'from_ns' && key !== 'to_ns') query[key] = String(value);
    }
    // The sort keys of these links are numeric columns, which are sorted in descending order by
    // default.
    if (query.sort && query.desc === undefined) query.desc = '1';
    return tabHash(run, TAB_OF[link.view] ?? link.view, query, rangeOf(finding));
}

/** `isTarget`: the address leads to the checks. */
export function Checks({ run, isTarget }: { run: Run; isTarget: boolean }) {
    const { data, error } = useJson<Findings>(viewPath(run, 'findings'));
    const section = useRef<HTMLElement>(null);
    useEffect(() => {
        if (data && isTarget) section.current?.scrollIntoView();
    }, [data, isTarget]);
    if (error) return <Notice kind="error" title="The checks could not be read" error={error} />;
    if (!data || data.checked.length === 0) return null;
    const passed = data.checked.length - data.rows.length;
    return (
        <section class="overview-section checks" ref={section}>
            <h2>
                Checks
                <span class="soft">
                    {int(passed)} of {int(data.checked.length)} passed
                    {data.rows.length > 0 && (
                        <>
                            ; gains are upper bounds by <Term of="amdahl">Amdahl’s law</Term>
                        </>
                    )}
                </span>
            </h2>
            {data.rows.map((finding) => (
                <FindingRow key={finding.rule} run={run} finding={finding} />
            ))}
            <Passed findings={data} />
        </section>
    );
}

function FindingRow({ run, finding }: { run: Run; finding: Finding }) {
    const { severity, title, text, share, speedup, base } = finding;
    const hash = hashOf(run, finding);
    const range = rangeOf(finding);
    return (
        <article class={`finding is-${severity}`}>
            <span class="finding-severity">{SEVERITY[severity] ?? severity}</span>
            <div>
                <h3>{title}</h3>
                <p>{text}</p>
                <p class="finding-links">
                    {hash && (
                        <a class="link" href={hash}>
                            Show rows
                        </a>
                    )}
                    {range && (
                        <a class="link" href={timelineHash(run, { range })}>
                            Show in timeline
                        </a>
                    )}
                </p>
            </div>
            <div class="finding-bound">
                <b>
                    {pct(100 * share)}
                    {THIN_SPACE}%
                </b>{' '}
                {base}
                {speedup !== null && <div class="soft">{ceiling(speedup)}</div>}
            </div>
        </article>
    );
}

function ceiling(speedup: number): string {
    if (speedup > MAX_SHOWN_SPEEDUP) return 'almost no time left if removed entirely';
    return `up to ${formatFixed(speedup, speedup < 2 ? 2 : 1)}x faster if removed entirely`;
}

function Passed({ findings }: { findings: Findings }) {
    const found = new Set(findings.rows.map(({ rule }) => rule));
    const passed = findings.checked.filter(({ rule }) => !found.has(rule));
    if (passed.length === 0) return null;
    return (
        <div class="checks-passed">
            <h3>Checked, no problem found</h3>
            <ul>
                {passed.map(({ rule, title }) => (
                    <li key={rule}>{title}</li>
                ))}
            </ul>
        </div>
    );
}
