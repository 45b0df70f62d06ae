/* SPDX-License-Identifier: MIT
 *
 * A stretch of time as parts in a row, in the colours of families, and the legend that names them.
 */
import type { ComponentChildren } from 'preact';
import { fig, pct, text, THIN } from '../base/units';
import type { Segment } from '../model/breakdown';
import { hideTooltip, showTooltip } from './tooltip';

interface StackedBarProps {
    label: string;
    segments: Segment[];
    /** 0 to 1 of the room: several bars share one scale. */
    width?: number;
    /** What a share is of. */
    base: string;
    /** Words inside of the parts that have room for them. */
    words?: boolean;
}

/** A part narrower than this share of the window holds no words. */
const ROOM = 0.07;

export function StackedBar({ label, segments, width = 1, base, words = false }: StackedBarProps) {
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
                    {words && segment.share * width >= ROOM && (
                        <>
                            {segment.word} {time(segment.ns)}
                        </>
                    )}
                </span>
            ))}
        </div>
    );
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
                {THIN}% {base}
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
                    {word} <b>{`${pct(100 * share)}${THIN}%`}</b>
                </span>
            ))}
            {segments.length > 0 && <span class="soft">{base}</span>}
            {children}
        </div>
    );
}
