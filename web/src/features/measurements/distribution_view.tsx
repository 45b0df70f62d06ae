/* SPDX-License-Identifier: MIT
 *
 * The distribution of samples on one axis: a histogram, the share of samples up to each value, and a box
 * plot below both.
 */
import type { Measurement } from '../../base/answers';
import { int } from '../../base/units';
import { distributionSteps, histogramBins, MIN_HISTOGRAM_SAMPLES } from '../../model/distribution';
import { BoxPlot } from './box_plot';
import { boxPosition, type BoxScale } from './values';

const WIDTH = 1000;
const HEIGHT = 72;
const MAX_STEPS = 400;
/* More samples are not drawn as lines of their own. */
const MAX_RUG = 200;

interface DistributionViewProps {
    data: Measurement;
    scale: BoxScale;
    format: (value: number) => string;
}

export function DistributionView({ data, scale, format }: DistributionViewProps) {
    const { samples, min, max } = data;
    const hasBars = samples.length >= MIN_HISTOGRAM_SAMPLES;
    return (
        <div class="distribution">
            <div class="named-head">
                <b>Distribution</b>
                <span class="soft">
                    {hasBars ? 'histogram; line: cumulative share' : 'cumulative share'}
                </span>
            </div>
            <svg
                viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
                preserveAspectRatio="none"
                role="img"
                aria-label={`distribution of ${samples.length} samples`}
            >
                <line class="box-axis" x1={0} x2={WIDTH} y1={0.5} y2={0.5} />
                <line class="box-axis" x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
                {hasBars && <Bars data={data} scale={scale} format={format} />}
                <Steps samples={samples} scale={scale} />
                <line class="box-axis" x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
            </svg>
            <BoxPlot {...data} scale={scale} label="minimum, quartiles and maximum" />
            <div class="histogram-ends">
                <span>{format(min ?? 0)}</span>
                <span>{format(max ?? 0)}</span>
            </div>
        </div>
    );
}

function Bars({ data, scale, format }: DistributionViewProps) {
    const { samples, q1, q3 } = data;
    const bins = histogramBins(samples, q1 ?? 0, q3 ?? 0);
    const most = Math.max(...bins.map(({ count }) => count));
    return (
        <>
            {bins.map(({ from, to, count }) => {
                const [x, end] = [boxPosition(scale, from) * WIDTH, boxPosition(scale, to) * WIDTH];
                const height = (count / most) * (HEIGHT - 2);
                return (
                    <rect
                        key={from}
                        class="distribution-bar"
                        x={x}
                        y={HEIGHT - height}
                        width={Math.max(1, end - x - 2)}
                        height={height}
                    >
                        <title>
                            {int(count)} from {format(from)} to {format(to)}
                        </title>
                    </rect>
                );
            })}
        </>
    );
}

function Steps({ samples, scale }: { samples: number[]; scale: BoxScale }) {
    const points = distributionSteps(samples, MAX_STEPS);
    const x = (value: number) => boxPosition(scale, value) * WIDTH;
    const y = (share: number) => HEIGHT - share * (HEIGHT - 1);
    let path = `M0 ${HEIGHT}`;
    for (const { value, share } of points) path += `H${x(value).toFixed(1)}V${y(share).toFixed(2)}`;
    return (
        <>
            {samples.length <= MAX_RUG &&
                samples.map((value, i) => (
                    <line
                        key={i}
                        class="distribution-rug"
                        x1={x(value)}
                        x2={x(value)}
                        y1={HEIGHT - 6}
                        y2={HEIGHT}
                    />
                ))}
            <path class="distribution-line" d={`${path}H${WIDTH}`} />
        </>
    );
}
