/* SPDX-License-Identifier: MIT */
import { formatSeconds, int, text } from '../base/units';
import { heights, type Histogram, positionOnAxis } from '../model/histogram';

const WIDTH = 288;
const HEIGHT = 48;

interface HistogramViewProps {
    histogram: Histogram;
    /** Labelled values on the axis. */
    marks: { ns: number; label: string }[];
}

/** Histogram of the durations of the slices with one name. */
export function HistogramView({ histogram, marks }: HistogramViewProps) {
    const bars = heights(histogram);
    const step = WIDTH / Math.max(1, bars.length);
    const summary = `${int(histogram.count.reduce((sum, n) => sum + n, 0))} durations from ${text(formatSeconds(histogram.from_ns / 1e9))} to ${text(formatSeconds(histogram.to_ns / 1e9))}`;
    return (
        <div class="histogram">
            <svg
                viewBox={`0 0 ${WIDTH} ${HEIGHT + 1}`}
                preserveAspectRatio="none"
                role="img"
                aria-label={summary}
            >
                {bars.map((height, i) => (
                    <rect
                        key={i}
                        class="histogram-bar"
                        x={i * step}
                        y={HEIGHT - height * HEIGHT}
                        width={Math.max(1, step - 1)}
                        height={height * HEIGHT}
                    >
                        <title>{int(histogram.count[i])}</title>
                    </rect>
                ))}
                <line
                    class="histogram-axis"
                    x1="0"
                    x2={WIDTH}
                    y1={HEIGHT + 0.5}
                    y2={HEIGHT + 0.5}
                />
                {marks.map(({ ns, label }) => {
                    const x = positionOnAxis(histogram, ns) * WIDTH;
                    return (
                        <line key={label} class="histogram-mark" x1={x} x2={x} y1="0" y2={HEIGHT}>
                            <title>{label}</title>
                        </line>
                    );
                })}
            </svg>
            <div class="histogram-ends">
                <span>{text(formatSeconds(histogram.from_ns / 1e9))}</span>
                {histogram.log && <span>log scale</span>}
                <span>{text(formatSeconds(histogram.to_ns / 1e9))}</span>
            </div>
        </div>
    );
}
