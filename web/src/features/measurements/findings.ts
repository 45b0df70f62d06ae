/* SPDX-License-Identifier: MIT
 *
 * What is wrong with the samples of a measurement, in words. The server finds it (compare/samples.h).
 */
import type { Measurement, SampleFinding } from '../../base/answers';
import { formatFixed, int, text, THIN_SPACE } from '../../base/units';
import { pText } from '../../model/compare';
import { formatNumber } from './values';

export interface FindingText {
    title: string;
    text: string;
}

const percent = (share: number): string => `${formatFixed(100 * share, 0)}${THIN_SPACE}%`;

export function findingText(finding: SampleFinding, of: Measurement): FindingText {
    const { code, value = 0, low = 0, high = 0, n_low = 0, p = 1 } = finding;
    const shown = (at: number) => text(formatNumber(at, of.unit));
    const n = of.n ?? of.samples.length;
    switch (code) {
        case 'few':
            return {
                title: n === 1 ? 'One sample' : `${int(n)} samples`,
                text: 'Fewer than 5 on a side: no change can be told from noise.',
            };
        case 'spread':
            return {
                title: 'Unstable',
                text: `The standard deviation is ${percent(value)} of the mean.`,
            };
        case 'minimum':
            return {
                title: 'Low minimum',
                text: `The minimum is ${percent(1 - value)} below the mean.`,
            };
        case 'maximum':
            return {
                title: 'High maximum',
                text: `The maximum is ${percent(value - 1)} above the mean.`,
            };
        case 'first':
            return {
                title: 'Slow first sample',
                text: `It is ${formatFixed(value, 1)} times the median of the others. Add warm-up runs.`,
            };
        case 'drift':
            return {
                title: 'Drift',
                text: `The ${of.processes.length > 1 ? 'processes' : 'samples'} ${value > 0 ? 'grow' : 'fall'} steadily by ${percent(Math.abs(value))} from first to last (${pText(p)}).`,
            };
        case 'modes':
            return {
                title: 'Two modes',
                text: `${int(n_low)} samples are around ${shown(low)}, ${int(of.samples.length - n_low)} around ${shown(high)} (${pText(p)}).`,
            };
        case 'sorted':
            return {
                title: 'Sorted samples',
                text: 'The file has them by size: their order in time is unknown.',
            };
    }
}
