/* SPDX-License-Identifier: MIT */
import type { Run } from '../base/types';
import { int } from '../base/units';
import type { Fact } from '../components/run_head';
import { FigText } from '../components/text';
import { valueFig } from '../model/measure';

const KINDS = ['hyperfine', 'pytest-benchmark', 'time', 'timeit'];

/** The head of a report of measurements; null for other kinds. */
export function measureFacts({ kind, summary, headline }: Run): Fact[] | null {
    if (!KINDS.includes(kind)) return null;
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
    facts.push({ label: 'Measurements', value: int(count) });
    return facts;
}
