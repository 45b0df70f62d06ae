/* SPDX-License-Identifier: MIT
 *
 * Bound analysis of a command from the output of `time`: the verdict, where the time was spent, the
 * values behind the verdict, and the rules with their thresholds.
 */
import type { ComponentChildren } from 'preact';
import type { BoundAnswer, BoundRule, BoundRun, BoundVerdict, Run } from '../../base/answers';
import { API, withParams } from '../../base/client';
import { route, setQuery } from '../../base/router';
import { formatBytes, formatFixed, int, pct, text, THIN_SPACE } from '../../base/units';
import { Notice } from '../../components/notice';
import { NumberField } from '../../components/number_field';
import { Pairs } from '../../components/pairs';
import { LoadingLine } from '../../components/progress';
import { FormattedValueText } from '../../components/text';
import { Spacer, Toolbar } from '../../components/toolbar';
import { useJson } from '../shared/use_json';
import { formatNumber } from './values';

const VERDICT_LABELS: Record<BoundVerdict, string> = {
    'cpu-bound': 'CPU-bound',
    waiting: 'Waiting',
    mixed: 'Mixed',
    parallel: 'Parallel',
    'system-heavy': 'System-heavy',
    'memory-heavy': 'Memory-heavy',
    unknown: 'Unknown',
};

export function BoundTab({ run }: { run: Run }) {
    const urlCpus = Number(route.value.query.cpus) || null;
    const path = withParams(`${API}/runs/${run.id}/bound`, { cpus: urlCpus ?? undefined });
    const { data, error, loading } = useJson<BoundAnswer>(path);
    return (
        <div class="tab-body">
            <Toolbar label="assumptions">
                <NumberField
                    label="Usable CPUs"
                    unit=""
                    value={urlCpus}
                    placeholder="unknown"
                    tip="number of CPUs the program could use; time does not report it"
                    onChange={(cpus) =>
                        setQuery({ cpus: cpus ? String(cpus) : null }, { replace: true })
                    }
                />
                <Spacer />
                <span class="soft wide-only">utilisation = (user + sys) / real</span>
            </Toolbar>
            {error && <Notice kind="error" title="The values could not be read" error={error} />}
            <div class="bound-list">
                {data?.runs.map((one) => (
                    <BoundSection key={one.run} run={one} />
                ))}
                {data && data.total > data.runs.length && (
                    <p class="soft">{int(data.total - data.runs.length)} more are not shown.</p>
                )}
            </div>
            <LoadingLine active={loading} />
        </div>
    );
}

function exitText({ exit_status, signal }: BoundRun): string | null {
    if (signal !== null) return `ended by signal ${signal}`;
    return exit_status ? `exit status ${exit_status}` : null;
}

function BoundSection({ run }: { run: BoundRun }) {
    const end = exitText(run);
    return (
        <section class="bound" aria-label={run.command || `command ${run.run}`}>
            <header>
                <h2 class={run.verdict === 'unknown' ? 'is-unknown' : ''}>
                    {VERDICT_LABELS[run.verdict]}
                </h2>
                <span class="bound-command mono" title={run.command}>
                    {run.command || `command ${run.run}`}
                </span>
                {end && <span class="bound-end">{end}</span>}
            </header>
            <p class="bound-reason">{run.reason}.</p>
            <TimeBar run={run} />
            <div class="bound-columns">
                <Pairs rows={boundValues(run)} />
                <Rules run={run} />
            </div>
        </section>
    );
}

/* Use of the available processors, as shares of real time × CPUs. */
function TimeBar({ run }: { run: BoundRun }) {
    const { real_s, user_s, sys_s } = run;
    const cpus = run.cpus ?? 1;
    if (!real_s || user_s === null || sys_s === null) return null;
    const whole = Math.max(real_s * cpus, user_s + sys_s);
    const parts: [string, string, number][] = [
        ['user', 'is-user', user_s],
        ['sys', 'is-sys', sys_s],
        ['not computing', 'is-idle', Math.max(0, whole - user_s - sys_s)],
    ];
    const timeText = (seconds: number) =>
        `${text(formatNumber(seconds, 's', run.real_resolution_s))} · ${pct((100 * seconds) / whole)}${THIN_SPACE}%`;
    return (
        <>
            <div class="bound-bar" role="img" aria-label="where the time went">
                {parts.map(([label, tone, seconds]) => (
                    <span
                        key={label}
                        class={tone}
                        style={{ flexGrow: seconds / whole }}
                        title={`${label} ${timeText(seconds)}`}
                    />
                ))}
            </div>
            <div class="bound-legend">
                {parts.map(([label, tone, seconds]) => (
                    <span key={label}>
                        <i class={tone} /> {label} <b>{timeText(seconds)}</b>
                    </span>
                ))}
                <span class="soft">
                    of {user_s + sys_s > real_s * cpus ? 'CPU time' : 'real'}
                    {cpus > 1 ? ` × ${formatFixed(cpus, cpus % 1 ? 1 : 0)} CPUs` : ''}
                </span>
            </div>
        </>
    );
}

const seconds = (resolution: number) => (value: number) => (
    <FormattedValueText value={formatNumber(value, 's', resolution)} />
);

function boundValues(run: BoundRun): [string, ComponentChildren][] {
    const rows: [string, ComponentChildren][] = [];
    const add = (label: string, value: number | null, show: (value: number) => ComponentChildren) =>
        rows.push([label, value === null ? <span class="zero">not reported</span> : show(value)]);
    const twoDecimals = (value: number) => formatFixed(value, 2);
    add('Real', run.real_s, seconds(run.real_resolution_s));
    add('User', run.user_s, seconds(run.user_resolution_s));
    add('System', run.sys_s, seconds(run.sys_resolution_s));
    add('Utilisation', run.utilisation, (value) => (
        <>
            {twoDecimals(value)}
            <span class="soft">
                {' '}
                in {twoDecimals(run.utilisation_low ?? 0)}–{twoDecimals(run.utilisation_high ?? 0)}
            </span>
        </>
    ));
    add('CPUs', run.cpus, (value) => (
        <>
            {formatFixed(value, value % 1 ? 1 : 0)}
            <span class="soft"> as given</span>
        </>
    ));
    add('Peak memory', run.max_rss_bytes, (value) => (
        <FormattedValueText value={formatBytes(value)} />
    ));
    add('Major faults', run.major_faults, int);
    add('Minor faults', run.minor_faults, int);
    add('Switches, voluntary', run.voluntary_switches, int);
    add('Switches, involuntary', run.involuntary_switches, int);
    return rows;
}

function ruleText({ holds }: BoundRule): string {
    return holds === null ? 'not reported' : holds ? 'yes' : 'no';
}

function Rules({ run }: { run: BoundRun }) {
    const shown = ({ value, threshold }: BoundRule, at: number | null) =>
        at === null || value === null ? '–' : formatFixed(at, threshold >= 1 ? 1 : 2);
    return (
        <table class="bound-rules">
            <thead>
                <tr>
                    <th>rule</th>
                    <th>metric</th>
                    <th class="right">value</th>
                    <th class="right">threshold</th>
                    <th>met</th>
                    <th class="bound-why">reason</th>
                </tr>
            </thead>
            <tbody>
                {run.rules.map((rule) => (
                    <tr key={rule.rule} class={rule.holds ? 'is-holding' : ''}>
                        <td>{VERDICT_LABELS[rule.rule]}</td>
                        <td class="soft">{rule.of}</td>
                        <td class="right">{shown(rule, rule.value)}</td>
                        <td class="right">
                            {rule.sign === '<' ? '<' : '≥'}
                            {THIN_SPACE}
                            {formatFixed(rule.threshold, rule.threshold >= 1 ? 0 : 1)}
                        </td>
                        <td>{ruleText(rule)}</td>
                        <td class="soft bound-why">{rule.why}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
