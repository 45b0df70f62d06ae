/* SPDX-License-Identifier: MIT */
import { boxPosition, type BoxScale } from './values';

interface BoxPlotProps {
    min: number | null;
    q1: number | null;
    median: number | null;
    q3: number | null;
    max: number | null;
    /** drawn as the middle tick if there is no median */
    value: number | null;
    scale: BoxScale;
    label: string;
}

const MID_Y = 8;
const WIDTH = 1000;

/** Minimum, quartiles, median and maximum on a line; missing values are not drawn. */
export function BoxPlot({ min, q1, median, q3, max, value, scale, label }: BoxPlotProps) {
    const x = (at: number) => boxPosition(scale, at) * WIDTH;
    const tick = (at: number | null, tone: string) =>
        at !== null && <line class={tone} x1={x(at)} x2={x(at)} y1={2} y2={14} />;
    return (
        <svg
            class="box-plot"
            viewBox={`0 0 ${WIDTH} 16`}
            preserveAspectRatio="none"
            role="img"
            aria-label={label}
        >
            <line class="box-axis" x1={0} x2={WIDTH} y1={MID_Y} y2={MID_Y} />
            {min !== null && max !== null && (
                <line class="box-whisker" x1={x(min)} x2={x(max)} y1={MID_Y} y2={MID_Y} />
            )}
            {min !== max && tick(min, 'box-end')}
            {min !== max && tick(max, 'box-end')}
            {q1 !== null && q3 !== null && (
                <rect
                    class="box-body"
                    x={x(q1)}
                    width={Math.max(2, x(q3) - x(q1))}
                    y={3}
                    height={10}
                />
            )}
            {tick(median ?? value, 'box-median')}
        </svg>
    );
}
