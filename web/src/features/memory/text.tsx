/* SPDX-License-Identifier: MIT
 *
 * Texts of the Memory tab: the legend, the peak, and the values under the pointer.
 */
import type { MemoryAnswer } from '../../base/answers';
import type { MemorySpanRow as MemorySpan } from '../../base/rows';
import { THIN_SPACE, formatFixed, plural, signed } from '../../base/units';
import { nearestSample, secondsText, type TimeWindow } from '../../model/memory_curve';
import type { TipData } from '../../model/tip';
import { type ChartCurve, gapText } from './chart';

export function MemoryLegend({ curves }: { curves: ChartCurve[] }) {
    const children = curves.filter(({ main }) => !main).length;
    const main = curves.find((curve) => curve.main);
    return (
        <span class="memory-legend">
            {main && (
                <span>
                    <i class="is-main" /> {main.label}
                </span>
            )}
            {children > 0 && (
                <span>
                    <i class="is-child" /> {plural(children, 'child process', 'child processes')}
                </span>
            )}
        </span>
    );
}

export function PeakText(props: {
    answer: MemoryAnswer;
    window: TimeWindow;
    slope: string | null;
    zoomed: boolean;
    /** peak that the tool reports for the run */
    reported: number | null;
}) {
    const { answer, window, slope, zoomed, reported } = props;
    if (!answer.peak) return null;
    // Scalene keeps only some of its samples in the profile.
    const isLower = !zoomed && reported !== null && reported > answer.peak.mib + 0.001;
    return (
        <p class="memory-words">
            {isLower ? 'Highest sample' : 'Peak'}{' '}
            <b>
                {formatFixed(answer.peak.mib, 3)}
                <span class="unit">{THIN_SPACE}MiB</span>
            </b>{' '}
            at {secondsText(answer.peak.t_s, window)}
            {THIN_SPACE}s{zoomed ? ' in this window' : ''}
            {isLower && (
                <span>
                    {' '}
                    · peak of the run {formatFixed(reported, 1)}
                    {THIN_SPACE}MiB, which is not among the samples of the profile
                </span>
            )}
            {slope && <span> · slope {slope}</span>}
        </p>
    );
}

/** A value of a curve as the tool has it. */
export const mibText = (mib: number): string => `${formatFixed(mib, 3)}${THIN_SPACE}MiB`;

/** The samples nearest to a time. Nothing is interpolated. */
export function pointTip(curves: ChartCurve[], at: number, window: TimeWindow): TipData {
    const seconds = (t: number): string => `${secondsText(t, window)}${THIN_SPACE}s`;
    const shown = curves
        .flatMap((curve) => {
            const sample = nearestSample(curve, at);
            return sample ? [{ label: curve.label, ...sample }] : [];
        })
        .slice(0, 12);
    const gap = curves
        .find(({ main }) => main)
        ?.gaps.find(({ from_s, to_s }) => at > from_s && at < to_s);
    const between = gap && `from ${secondsText(gap.from_s, window)} to ${seconds(gap.to_s)}`;
    return {
        title: gap ? gapText(gap) : `Sample at ${seconds(shown[0]?.t_s ?? at)}`,
        rows: shown.map(({ label, value, t_s }) => ({
            label,
            value: mibText(value),
            share: t_s === shown[0].t_s ? '' : `at ${seconds(t_s)}`,
        })),
        foot: between ? [`${between}: the memory in between is unknown`] : [],
    };
}

export function spanTip({ name, start_s, end_s, start_mib, end_mib }: MemorySpan): TipData {
    const seconds = (s: number): string => formatFixed(s, 3);
    const rows = [
        { label: 'from, to', value: `${seconds(start_s)}–${seconds(end_s)}${THIN_SPACE}s` },
        { label: 'duration', value: `${seconds(end_s - start_s)}${THIN_SPACE}s` },
    ];
    if (start_mib !== null && end_mib !== null)
        rows.push({ label: 'change', value: `${signed(end_mib - start_mib, 3)}${THIN_SPACE}MiB` });
    return { title: name, rows };
}
