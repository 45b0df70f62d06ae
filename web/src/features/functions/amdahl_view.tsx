/* SPDX-License-Identifier: MIT
 *
 * Effect of a faster function on the program: a small curve with a point at twice the speed, and
 * three sentences with the numbers.
 */
import { THIN_SPACE, formatSeconds, formatFixed, pct, text } from '../../base/units';
import { Term } from '../../components/term';
import { amdahl, amdahlCurve } from './amdahl';

const WIDTH = 140;
const HEIGHT = 44;
const MAX_FACTOR = 10;
const POINTS = 40;
/** A speed-up of this factor or more is described as "no limit". */
const MAX_SHOWN_SPEEDUP = 1000;

export function AmdahlView({ share, total }: { share: number; total: number }) {
    const a = amdahl(share, total);
    const top = Math.max(1.0001, Math.min(a.maxSpeedup, MAX_FACTOR));
    const x = (factor: number): number => ((factor - 1) / (MAX_FACTOR - 1)) * WIDTH;
    const y = (speed: number): number => HEIGHT - ((speed - 1) / (top - 1)) * (HEIGHT - 4);
    const line = amdahlCurve(a.share, MAX_FACTOR, POINTS)
        .map(([factor, speed]) => `${x(factor).toFixed(1)},${y(Math.min(speed, top)).toFixed(1)}`)
        .join(' ');
    return (
        <div class="amdahl">
            <svg width={WIDTH} height={HEIGHT + 16} role="img" aria-label={curveText(a.maxSpeedup)}>
                {a.maxSpeedup <= MAX_FACTOR && (
                    <line class="amdahl-limit" x1="0" x2={WIDTH} y1={y(top)} y2={y(top)} />
                )}
                <polyline class="amdahl-curve" points={line} />
                <circle class="amdahl-point" cx={x(2)} cy={y(a.speedupAtTwice)} r="3" />
                <line class="amdahl-axis" x1="0" x2={WIDTH} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} />
                <text x="0" y={HEIGHT + 13}>
                    1×
                </text>
                <text x={WIDTH} y={HEIGHT + 13} text-anchor="end">
                    10× faster here
                </text>
            </svg>
            <div class="amdahl-words">
                <div>
                    <b>{`${pct(100 * a.share)}${THIN_SPACE}%`}</b> of the total {seconds(total)} is
                    spent here and in its callees.
                </div>
                <div>
                    If this were 2× faster, the program would be <b>{times(a.speedupAtTwice)}</b> as
                    fast: {seconds(a.timeAtTwice)}.
                </div>
                <div>
                    {a.maxSpeedup < MAX_SHOWN_SPEEDUP ? (
                        <>
                            If this cost nothing, the program would be {times(a.maxSpeedup)} as
                            fast: {seconds(a.timeAtLimit)} (<Term of="amdahl" />
                            ).
                        </>
                    ) : (
                        <>
                            If this cost nothing, the program would take almost no time (
                            <Term of="amdahl" />
                            ).
                        </>
                    )}
                </div>
            </div>
        </div>
    );
}

function seconds(value: number): string {
    return text(formatSeconds(value));
}

function times(value: number): string {
    return `${formatFixed(value, 2)}×`;
}

function curveText(limit: number): string {
    return limit < MAX_SHOWN_SPEEDUP
        ? `speed-up of the program, up to ${times(limit)}`
        : 'speed-up of the program, no limit';
}
