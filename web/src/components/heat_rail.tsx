/* SPDX-License-Identifier: MIT
 *
 * The whole file at a glance, right of the source: where it is hot, and which part is on the
 * screen. Press or drag to go there.
 */
import { useRef } from 'preact/hooks';
import type { RailMark } from '../model/heat';

interface HeatRailProps {
    marks: RailMark[];
    /** Shares of the height. */
    window: { current: HTMLDivElement | null };
    onGo: (share: number) => void;
}

export function HeatRail({ marks, window, onGo }: HeatRailProps) {
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
            <div ref={window} class="heat-window" />
        </div>
    );
}

/** 0.5 % … ≥ 50 %: what the colours mean. */
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
