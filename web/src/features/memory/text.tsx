/* SPDX-License-Identifier: MIT
 *
 * Texts of the Memory tab: the legend, the peak, and the values under the pointer.
 */
import type { MemoryAnswer } from '../../base/line_types';
import type { MemorySpanRow as MemorySpan } from '../../base/rows';
import { THIN_SPACE, fmtFixed, plural, signed } from '../../base/units';
import { secondsText, type TimeWindow } from '../../model/memory_curve';
import type { ChartCurve } from './chart';

/* Value of the last sample at or before the time `at`; null before the first sample. */
function valueAt({ t_s, mib }: ChartCurve, at: number): number | null {
    let low = 0;
    let high = t_s.length - 1;
    if (high < 0 || t_s[0] > at) return null;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (t_s[middle] <= at) low = middle;
        else high = middle - 1;
    }
    return mib[low];
}

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
}) {
    const { answer, window, slope, zoomed } = props;
    if (!answer.peak) return null;
    return (
        <p class="memory-words">
            Peak{' '}
            <b>
                {fmtFixed(answer.peak.mib, 3)}
                <span class="unit">{THIN_SPACE}MiB</span>
            </b>{' '}
            at {secondsText(answer.peak.t_s, window)}
            {THIN_SPACE}s{zoomed ? ' in this window' : ''}
            {slope && <span> · slope {slope}</span>}
        </p>
    );
}

export function PointTip(props: { curves: ChartCurve[]; at: number; window: TimeWindow }) {
    const shown = props.curves
        .map((curve) => ({ label: curve.label, mib: valueAt(curve, props.at) }))
        .filter(({ mib }) => mib !== null)
        .slice(0, 12);
    return (
        <>
            <div class="tooltip-title">
                {secondsText(props.at, props.window)}
                {THIN_SPACE}s
            </div>
            <dl>
                {shown.map(({ label, mib }) => [
                    <dt key={label}>{label}</dt>,
                    <dd key={`${label} mib`}>{fmtFixed(mib ?? 0, 3)}</dd>,
                    <dd key={`${label} unit`} class="soft">
                        MiB
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
                    {fmtFixed(span.start_s, 3)}–{fmtFixed(span.end_s, 3)}
                </dd>
                <dd class="soft">s</dd>
                <dt> duration </dt>
                <dd>{fmtFixed(span.end_s - span.start_s, 3)}</dd>
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
