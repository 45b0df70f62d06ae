/* SPDX-License-Identifier: MIT
 *
 * Overview of the file, to the right of the source: the hot lines and the visible part. Press or
 * drag to scroll.
 */
import { useRef } from 'preact/hooks';
import type { RailMarker } from '../../model/heat';

interface HeatRailProps {
    marks: RailMarker[];
    /** Element that marks the visible part. */
    visiblePart: { current: HTMLDivElement | null };
    onGo: (share: number) => void;
}

export function HeatRail({ marks, visiblePart, onGo }: HeatRailProps) {
    const rail = useRef<HTMLDivElement | null>(null);
    function go(event: PointerEvent): void {
        const box = rail.current?.getBoundingClientRect();
        if (box) onGo((event.clientY - box.top) / box.height);
    }
    return (
        <div
            ref={rail}
            class="heat-rail"
            aria-hidden="true"
            onPointerDown={(event) => {
                event.preventDefault();
                rail.current?.setPointerCapture(event.pointerId);
                go(event);
            }}
            onPointerMove={(event) => event.buttons === 1 && go(event)}
        >
            {marks.map(({ top, level }) => (
                <span key={top} class={`is-heat-${level}`} style={{ top: `${top * 100}%` }} />
            ))}
            <div ref={visiblePart} class="heat-window" />
        </div>
    );
}

/** Legend of the heat colours, 0.5 % … ≥ 50 %. */
export function HeatLegend({ of }: { of: string }) {
    return (
        <span class="heat-legend" title={`share ${of}; steps at 0.5, 3, 10, 25 and 50 %`}>
            0.5 %
            <span class="heat-scale" aria-hidden="true">
                {[1, 2, 3, 4, 5].map((level) => (
                    <i key={level} class={`is-heat-${level}`} />
                ))}
            </span>
            ≥ 50 %
        </span>
    );
}
