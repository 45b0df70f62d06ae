/* SPDX-License-Identifier: MIT
 *
 * Pictures of a distribution: a histogram, and the empirical distribution function.
 */

export interface Bin {
    from: number;
    to: number;
    count: number;
}

/** Fewer samples make no histogram. */
export const MIN_HISTOGRAM_SAMPLES = 50;
const MIN_BINS = 8;
const MAX_BINS = 60;

/** Bins of equal width, by the rule of Freedman and Diaconis: 2 IQR / ∛n. */
export function histogramBins(samples: readonly number[], q1: number, q3: number): Bin[] {
    const least = Math.min(...samples);
    const most = Math.max(...samples);
    if (!(most > least)) return [{ from: least, to: most, count: samples.length }];
    const width = (2 * (q3 - q1)) / Math.cbrt(samples.length);
    const wanted = width > 0 ? Math.ceil((most - least) / width) : MIN_BINS;
    const n = Math.max(MIN_BINS, Math.min(MAX_BINS, wanted));
    const step = (most - least) / n;
    const bins = Array.from({ length: n }, (_, i) => ({
        from: least + i * step,
        to: least + (i + 1) * step,
        count: 0,
    }));
    for (const value of samples) bins[Math.min(n - 1, Math.floor((value - least) / step))].count++;
    return bins;
}

/** Steps of the share of samples up to each value, 0 to 1, at most `max` of them. */
export function distributionSteps(
    samples: readonly number[],
    max: number,
): { value: number; share: number }[] {
    const sorted = [...samples].sort((a, b) => a - b);
    const n = Math.min(sorted.length, max);
    return Array.from({ length: n }, (_, i) => {
        const end = Math.ceil(((i + 1) * sorted.length) / n);
        return { value: sorted[end - 1], share: end / sorted.length };
    });
}

/** Numbers of the first sample of each process after the first one, from 0. */
export function processStarts(processes: readonly number[]): number[] {
    const starts: number[] = [];
    let at = 0;
    for (const n of processes.slice(0, -1)) {
        at += n;
        starts.push(at);
    }
    return starts;
}
