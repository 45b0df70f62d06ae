/* SPDX-License-Identifier: MIT */
import { fig, int, text } from '../base/units';

interface HistogramProps {
    count: number[];
    from_ns: number;
    to_ns: number;
    log: boolean;
    /** the instance that is marked */
    at: number;
}

const WIDE = 288;
const TALL = 42;

function shareOf(at: number, from: number, to: number, log: boolean): number {
    const share = log
        ? Math.log(Math.max(1, at) / Math.max(1, from)) /
          Math.log(Math.max(2, to) / Math.max(1, from))
        : (at - from) / Math.max(1, to - from);
    return Math.min(1, Math.max(0, share));
}

/** Durations of all slices of one name; the dotted line is the selected one. */
export function DurationHistogram({ count, from_ns, to_ns, log, at }: HistogramProps) {
    const most = Math.max(1, ...count);
    const step = WIDE / Math.max(1, count.length);
    const x = shareOf(at, from_ns, to_ns, log) * WIDE;
    const words = `${int(count.reduce((a, b) => a + b, 0))} slices by duration`;
    return (
        <div class="timeline-histogram">
            <svg
                viewBox={`0 0 ${WIDE} ${TALL}`}
                preserveAspectRatio="none"
                role="img"
                aria-label={words}
            >
                {count.map((n, i) =>
                    n === 0 ? null : (
                        <rect
                            key={i}
                            x={i * step}
                            width={Math.max(1, step - 1)}
                            y={TALL - Math.max(1.5, (n / most) * TALL)}
                            height={Math.max(1.5, (n / most) * TALL)}
                        >
                            <title>{int(n)}</title>
                        </rect>
                    ),
                )}
                <line x1={x} x2={x} y1="0" y2={TALL} />
            </svg>
            <div class="timeline-histogram-ends">
                <span>{text(fig(from_ns / 1e9))}</span>
                {log && <span>logarithmic</span>}
                <span>{text(fig(to_ns / 1e9))}</span>
            </div>
        </div>
    );
}
