/* SPDX-License-Identifier: MIT
 *
 * Texts of the Memory tab: the legend, the peak, and the values under the pointer.
 */
import type { MemoryAnswer } from '../../base/answers';
import type { MemorySpanRow as MemorySpan } from '../../base/rows';
import { THIN_SPACE, formatFixed, plural, signed } from '../../base/units';
import { nearestSample, secondsText, type TimeWindow } from '../../model/memory_curve';
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

/** The samples nearest to a time. Nothing is interpolated. */
export function PointTip(props: { curves: ChartCurve[]; at: number; window: TimeWindow }) {
    const { curves, at, window } = props;
    const shown = curves
        .flatMap((curve) => {
            const sample = nearestSample(curve, at);
            return sample ? [{ label: curve.label, ...sample }] : [];
        })
        .slice(0, 12);
    const gap = curves
        .find(({ main }) => main)
        ?.gaps.find(({ from_s, to_s }) => at > from_s && at < to_s);
    return (
        <>
            <div class="tooltip-title">
                {gap ? (
                    gapText(gap)
                ) : (
                    <>
                        Sample at {secondsText(shown[0]?.t_s ?? at, window)}
                        {THIN_SPACE}s
                    </>
                )}
            </div>
            {gap && (
                <p class="soft">
                    from {secondsText(gap.from_s, window)} to {secondsText(gap.to_s, window)}
                    {THIN_SPACE}s: the memory in between is unknown
                </p>
            )}
            <dl>
                {shown.map(({ label, value, t_s }, i) => [
                    <dt key={label}>{label}</dt>,
                    <dd key={`${label} mib`}>{formatFixed(value, 3)}</dd>,
                    <dd key={`${label} unit`} class="soft">
                        MiB
                        {i > 0 &&
                            t_s !== shown[0].t_s &&
                            ` at ${secondsText(t_s, window)}${THIN_SPACE}s`}
                    </dd>,
                ])}
            </dl>
        </>
    );
}

export function SpanTip({ span }: { span: MemorySpan }) {
    const grown =
        span.start_mib !== null && span.end_mib !== null ? span.end_mib - span.start_mib : null;
    return (
        <>
            <div class="tooltip-title">{span.name}</div>
            <dl>
                <dt>from, to</dt>
                <dd>
                    {formatFixed(span.start_s, 3)}–{formatFixed(span.end_s, 3)}
                </dd>
                <dd class="soft">s</dd>
                <dt> duration </dt>
                <dd>{formatFixed(span.end_s - span.start_s, 3)}</dd>
                <dd class="soft">s</dd>
                {grown !== null && [
                    <dt key="t">change</dt>,
                    <dd key="v">{signed(grown, 3)}</dd>,
                    <dd key="u" class="soft">
                        MiB
                    </dd>,
                ]}
            </dl>
        </>
    );
}
