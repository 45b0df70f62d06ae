/* SPDX-License-Identifier: MIT */
/* The tooltip of a place in a picture, from data. */
import type { TipData } from '../model/tip';
import { type AvoidedRange, hideTooltip, showTooltip } from './tooltip';

export function Tip({ title, place, rows, foot = [] }: TipData) {
    return (
        <>
            <div class="tooltip-title tip-long">{title}</div>
            {place && <div class="soft mono tip-place">{place}</div>}
            {rows.length > 0 && (
                <dl>
                    {rows.map(({ label, value, share }) => [
                        <dt key={label}>{label}</dt>,
                        <dd key={`${label} value`}>{value}</dd>,
                        <dd key={`${label} share`}>{share}</dd>,
                    ])}
                </dl>
            )}
            {foot.length > 0 && (
                <div class="tooltip-foot">
                    {foot.map((line) => (
                        <div key={line}>{line}</div>
                    ))}
                </div>
            )}
        </>
    );
}

/** Shows the tooltip beside the pointer; null hides it. */
export function showTip(
    data: TipData | null,
    { clientX, clientY }: Pick<MouseEvent, 'clientX' | 'clientY'>,
    avoid?: AvoidedRange,
): void {
    if (data) showTooltip(<Tip {...data} />, clientX, clientY, avoid);
    else hideTooltip();
}
