/* SPDX-License-Identifier: MIT */

const WIDTH = 72;
const HEIGHT = 15;
const PAD = 1.5;

interface SparklineCellProps {
    /** pairs of time and value, in ascending order of time */
    points: readonly (readonly [number, number])[];
    /** Ranges of the axes: times from..to, values 0..top. They are equal for all lines of a file,
     * so that curves can be compared. */
    from: number;
    to: number;
    top: number;
}

/** A curve over time in a cell of the source grid; y starts at zero. */
export function SparklineCell({ points, from, to, top }: SparklineCellProps) {
    if (points.length < 2 || to <= from || top <= 0) return null;
    const x = (t: number) => PAD + ((t - from) / (to - from)) * (WIDTH - 2 * PAD);
    const y = (v: number) => HEIGHT - PAD - (Math.max(0, v) / top) * (HEIGHT - 2 * PAD);
    const line = points.map(([t, v]) => `${x(t).toFixed(1)},${y(v).toFixed(1)}`).join(' ');
    return (
        <svg class="sparkline is-cell" width={WIDTH} height={HEIGHT} aria-hidden="true">
            <polyline points={line} />
        </svg>
    );
}
