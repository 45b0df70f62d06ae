/* SPDX-License-Identifier: MIT */
import type { Run } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { LABELS } from '../../base/terms';
import { formatBytes, formatSeconds, int } from '../../base/units';
import type { Fact } from '../../components/run_head';
import { FormattedValueText } from '../../components/text';
import { capital } from '../../model/labels';
import { countedResults } from '../../model/results';
import { formatNumber } from './values';

function topFacts(summary: Run['summary'], headline: Run['headline']): Fact[] {
    return [
        {
            label: 'Peak RSS',
            term: 'resident-set',
            value: <FormattedValueText value={formatBytes((headline?.value ?? 0) * 1048576)} />,
            tip: 'of the process that held most',
        },
        {
            label: LABELS.duration,
            value: <FormattedValueText value={formatSeconds(summary.duration_s as number)} />,
        },
        { label: 'Frames', value: int(summary.frames as number) },
        { label: LABELS.processes, value: int(summary.processes as number) },
    ];
}

const GEOMETRIC_MEAN = /^geometric mean of /;

/** Header of a report of measurements; null for other kinds. */
export function measureFacts({ kind, summary, headline }: Run): Fact[] | null {
    if (!kindHas(kind, 'measured')) return null;
    if (kindHas(kind, 'processes')) return topFacts(summary, headline);
    const isCommand = kindHas(kind, 'bound');
    const counted = isCommand ? null : countedResults(summary);
    const facts: Fact[] = [];
    if (isCommand) facts.push({ label: 'Commands', value: int(summary.runs as number) });
    else if (counted) facts.push({ label: capital(counted.many), value: int(counted.count) });
    else facts.push({ label: LABELS.measurements, value: int(summary.measurements as number) });
    for (const state of ['failed', 'skipped'])
        if (!isCommand && summary[state])
            facts.push({ label: capital(state), value: int(summary[state] as number) });
    if ((summary.measurements as number) > 0 && headline && headline.label !== headline.unit)
        facts.push(headlineFact(headline, isCommand));
    return facts;
}

function headlineFact(
    { value, unit, label }: NonNullable<Run['headline']>,
    isCommand: boolean,
): Fact {
    const isMean = GEOMETRIC_MEAN.test(label);
    return {
        label: isCommand ? 'Real time' : isMean ? 'Geometric mean' : capital(label),
        value: <FormattedValueText value={formatNumber(value, unit)} />,
        ...(isMean && {
            tip: `${label} values in ${unit}; for comparisons of the same benchmarks`,
        }),
    };
}
