/* SPDX-License-Identifier: MIT
 *
 * A whole as a stacked bar of its parts, with a legend.
 */
import { pct, THIN_SPACE } from '../base/units';
import type { BarPart } from '../model/breakdown';
import type { TipData } from '../model/tip';
import { showTip } from './tip';
import { hideTooltip } from './tooltip';

interface StackedBarProps {
    label: string;
    segments: BarPart[];
    /** Share of the available width, 0 to 1; several bars have the same scale. */
    width?: number;
    /** Base of the shares. */
    base: string;
    /** Width of the complete bar in px; parts that are wide enough show their label. */
    px?: number;
    /** Whether the labels have amounts, because no legend has them. */
    hasAmounts?: boolean;
}

/** Maximum width of a character, and the margin around a label, in px. */
const LETTER_PX = 6.4;
const LABEL_MARGIN = 12;

export function StackedBar(props: StackedBarProps) {
    const { label, segments, width = 1, base, px = 0, hasAmounts = true } = props;
    return (
        <div class="stacked-bar" role="img" aria-label={barText(label, segments, base)}>
            {segments.map((segment) => (
                <span
                    key={segment.label}
                    class="stacked-part"
                    style={{
                        width: `${segment.share * width * 100}%`,
                        background: `var(--${segment.colour})`,
                    }}
                    onPointerMove={(event) => showTip(partTip(segment, base), event)}
                    onPointerLeave={hideTooltip}
                >
                    {fitLabel(segment, segment.share * width * px, hasAmounts)}
                </span>
            ))}
        </div>
    );
}

function fitLabel({ label, amount }: BarPart, maxWidth: number, hasAmount: boolean): string {
    const words = hasAmount ? `${label} ${amount}` : label;
    return words.length * LETTER_PX + LABEL_MARGIN <= maxWidth ? words : '';
}

function barText(label: string, segments: BarPart[], base: string): string {
    const parts = segments.map(
        ({ label, amount, share }) => `${label} ${amount}, ${pct(100 * share)} %`,
    );
    return `${label}: ${parts.join('; ')} ${base}`;
}

function partTip({ label, amount, share }: BarPart, base: string): TipData {
    return {
        title: label,
        rows: [{ label: amount, value: `${pct(100 * share)}${THIN_SPACE}% ${base}` }],
    };
}

interface LegendProps {
    segments: BarPart[];
    base: string;
}

export function PartLegend({ segments, base }: LegendProps) {
    return (
        <div class="part-legend">
            {segments.map(({ label, colour, share }) => (
                <span key={label}>
                    <i class={`swatch is-${colour}`} />
                    {label} <b>{`${pct(100 * share)}${THIN_SPACE}%`}</b>
                </span>
            ))}
            {segments.length > 0 && <span class="soft">{base}</span>}
        </div>
    );
}
