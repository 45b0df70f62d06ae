/* SPDX-License-Identifier: MIT
 *
 * A duration as a stacked bar of its parts, in the colours of families, with a legend.
 */
import { formatSeconds, pct, text, THIN_SPACE } from '../base/units';
import type { Segment } from '../model/breakdown';
import { hideTooltip, showTooltip } from './tooltip';

interface StackedBarProps {
    label: string;
    segments: Segment[];
    /** Share of the available width, 0 to 1; several bars have the same scale. */
    width?: number;
    /** Base of the shares. */
    base: string;
    /** Width of the complete bar in px; parts that are wide enough show their label. */
    px?: number;
}

/** Maximum width of a character, and the margin around a label, in px. */
const LETTER_PX = 6.4;
const LABEL_MARGIN = 12;

export function StackedBar({ label, segments, width = 1, base, px = 0 }: StackedBarProps) {
    return (
        <div class="stacked-bar" role="img" aria-label={barText(label, segments, base)}>
            {segments.map((segment) => (
                <span
                    key={segment.label}
                    class={`stacked-part is-family-${segment.family}`}
                    style={{ width: `${segment.share * width * 100}%` }}
                    onPointerMove={({ clientX, clientY }) =>
                        showTooltip(<PartTip segment={segment} base={base} />, clientX, clientY)
                    }
                    onPointerLeave={hideTooltip}
                >
                    {fitLabel(segment, segment.share * width * px)}
                </span>
            ))}
        </div>
    );
}

function fitLabel({ label, ns }: Segment, maxWidth: number): string {
    const withTime = `${label} ${durationText(ns)}`;
    return withTime.length * LETTER_PX + LABEL_MARGIN <= maxWidth ? withTime : '';
}

function durationText(ns: number): string {
    return text(formatSeconds(ns / 1e9));
}

function barText(label: string, segments: Segment[], base: string): string {
    const parts = segments.map(
        ({ label, ns, share }) => `${label} ${durationText(ns)}, ${pct(100 * share)} %`,
    );
    return `${label}: ${parts.join('; ')} ${base}`;
}

function PartTip({ segment, base }: { segment: Segment; base: string }) {
    return (
        <>
            <div class="tooltip-title">{segment.label}</div>
            <div>
                {durationText(segment.ns)} · {pct(100 * segment.share)}
                {THIN_SPACE}% {base}
            </div>
        </>
    );
}

interface LegendProps {
    segments: Segment[];
    base: string;
}

export function PartLegend({ segments, base }: LegendProps) {
    return (
        <div class="part-legend">
            {segments.map(({ label, family, share }) => (
                <span key={label}>
                    <i class={`swatch is-family-${family}`} />
                    {label} <b>{`${pct(100 * share)}${THIN_SPACE}%`}</b>
                </span>
            ))}
            {segments.length > 0 && <span class="soft">{base}</span>}
        </div>
    );
}
