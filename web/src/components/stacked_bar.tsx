/* SPDX-License-Identifier: MIT
 *
 * A duration as a stacked bar of its parts, in the colours of families, with a legend.
 */
import type { ComponentChildren } from 'preact';
import { fig, pct, text, THIN_SPACE } from '../base/units';
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
const LETTER = 6.4;
const AIR = 12;

export function StackedBar({ label, segments, width = 1, base, px = 0 }: StackedBarProps) {
    return (
        <div class="stacked-bar" role="img" aria-label={barText(label, segments, base)}>
            {segments.map((segment) => (
                <span
                    key={segment.word}
                    class={`stacked-part is-family-${segment.family}`}
                    style={{ width: `${segment.share * width * 100}%` }}
                    onPointerMove={({ clientX, clientY }) =>
                        showTooltip(<PartTip segment={segment} base={base} />, clientX, clientY)
                    }
                    onPointerLeave={hideTooltip}
                >
                    {wordsIn(segment, segment.share * width * px)}
                </span>
            ))}
        </div>
    );
}

function wordsIn({ word, ns }: Segment, room: number): string {
    const words = `${word} ${time(ns)}`;
    return words.length * LETTER + AIR <= room ? words : '';
}

function time(ns: number): string {
    return text(fig(ns / 1e9));
}

function barText(label: string, segments: Segment[], base: string): string {
    const parts = segments.map(
        ({ word, ns, share }) => `${word} ${time(ns)}, ${pct(100 * share)} %`,
    );
    return `${label}: ${parts.join('; ')} ${base}`;
}

function PartTip({ segment, base }: { segment: Segment; base: string }) {
    return (
        <>
            <div class="tooltip-title">{segment.word}</div>
            <div>
                {time(segment.ns)} · {pct(100 * segment.share)}
                {THIN_SPACE}% {base}
            </div>
        </>
    );
}

interface LegendProps {
    segments: Segment[];
    base: string;
    children?: ComponentChildren;
}

export function PartLegend({ segments, base, children }: LegendProps) {
    return (
        <div class="part-legend">
            {segments.map(({ word, family, share }) => (
                <span key={word}>
                    <i class={`swatch is-family-${family}`} />
                    {word} <b>{`${pct(100 * share)}${THIN_SPACE}%`}</b>
                </span>
            ))}
            {segments.length > 0 && <span class="soft">{base}</span>}
            {children}
        </div>
    );
}
