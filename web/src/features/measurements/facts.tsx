/* SPDX-License-Identifier: MIT */
import type { Run } from '../../base/answers';
import { kindHas } from '../../base/kinds';
import { LABELS } from '../../base/terms';
import { formatBytes, formatSeconds, int } from '../../base/units';
import type { Fact } from '../../components/run_head';
import { FormattedValueText } from '../../components/text';
import { capital } from '../../model/labels';
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

/** Header of a report of measurements; null for other kinds. */
export function measureFacts({ kind, summary, headline }: Run): Fact[] | null {
    if (!kindHas(kind, 'measured')) return null;
    if (kindHas(kind, 'processes')) return topFacts(summary, headline);
    const isCommand = kindHas(kind, 'bound');
    const count = summary.measurements as number;
    const facts: Fact[] = [];
    if (count > 0 && headline) {
        facts.push({
            label: isCommand ? 'Real time' : capital(headline.label),
            value: <FormattedValueText value={formatNumber(headline.value, headline.unit)} />,
        });
    }
    if (isCommand) facts.push({ label: 'Commands', value: int(summary.runs as number) });
    facts.push({ label: LABELS.measurements, value: int(count) });
    return facts;
}
