/* SPDX-License-Identifier: MIT */

const WIDTH = 64;
const HEIGHT = 16;
const PAD = 2.5;

/** A curve of 64 × 16 px whose last point, this run, is a dot. Draws nothing for fewer than two points. */
export function Sparkline({ values }: { values: number[] }) {
    if (values.length < 2) return null;
    const low = Math.min(...values);
    const span = Math.max(...values) - low;
    const x = (i: number) => PAD + (i / (values.length - 1)) * (WIDTH - 2 * PAD);
    const y = (v: number) =>
        span === 0 ? HEIGHT / 2 : HEIGHT - PAD - ((v - low) / span) * (HEIGHT - 2 * PAD);
    const points = values.map((v, i) => `${x(i).toFixed(1)},${y(v).toFixed(1)}`).join(' ');
    const last = values.length - 1;
    return (
        <svg class="sparkline" width={WIDTH} height={HEIGHT} aria-hidden="true">
            <polyline points={points} />
            <circle cx={x(last)} cy={y(values[last])} r="2" />
        </svg>
    );
}
