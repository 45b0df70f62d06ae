/* SPDX-License-Identifier: MIT */
import { LABELS } from '../base/terms';
import type { Run } from '../base/types';
import { bytesFig, fig, int } from '../base/units';
import type { Fact } from '../components/run_head';
import { FigText } from '../components/text';
import { valueFig } from '../model/measure';

const KINDS = ['hyperfine', 'pytest-benchmark', 'time', 'timeit', 'top'];

function topFacts(summary: Run['summary'], headline: Run['headline']): Fact[] {
    return [
        {
            label: 'Peak RSS',
            term: 'resident-set',
            value: <FigText fig={bytesFig((headline?.value ?? 0) * 1048576)} />,
            tip: 'of the process that held most',
        },
        { label: LABELS.duration, value: <FigText fig={fig(summary.duration_s as number)} /> },
        { label: 'Frames', value: int(summary.frames as number) },
        { label: LABELS.processes, value: int(summary.processes as number) },
    ];
}

/** The head of a report of measurements; null for other kinds. */
export function measureFacts({ kind, summary, headline }: Run): Fact[] | null {
    if (!KINDS.includes(kind)) return null;
    if (kind === 'top') return topFacts(summary, headline);
    const count = summary.measurements as number;
    const facts: Fact[] = [];
    if (count > 0 && headline) {
        facts.push({
            label:
                kind === 'time'
                    ? 'Real time'
                    : count > 1
                      ? `First, ${headline.label}`
                      : headline.label,
            value: <FigText fig={valueFig(headline.value, headline.unit)} />,
        });
    }
    if (kind === 'time') facts.push({ label: 'Commands', value: int(summary.runs as number) });
    facts.push({ label: LABELS.measurements, value: int(count) });
    return facts;
}
