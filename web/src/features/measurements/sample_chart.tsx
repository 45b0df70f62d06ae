/* SPDX-License-Identifier: MIT
 *
 * Individual samples in recording order, which show drift, slow first runs and outliers.
 */
import type { Curve, LineView } from '../../components/chart';
import { type Token, usePlot } from '../../components/plot';

interface SampleChartProps {
    label: string;
    samples: number[];
    /** value of a horizontal line; null for no line */
    level: number | null;
    from: number;
    to: number;
    text: (value: number) => string;
}

const DOT_WIDTH = 2;
const MAX_WIDE_DOTS = 400;

function viewOf(props: SampleChartProps, token: Token): LineView {
    const { samples, level, from, to, text } = props;
    const last = samples.length + 0.5;
    const dots: Curve = {
        x: samples.map((_, i) => i + 1),
        y: samples,
        colour: token('bar'),
        width: samples.length > MAX_WIDE_DOTS ? DOT_WIDTH / 2 : DOT_WIDTH,
        dots: true,
    };
    const line = (y: number): Curve => ({
        x: [0.5, last],
        y: [y, y],
        colour: token('text-2'),
        width: 1,
        dash: [4, 3],
    });
    return {
        from: 0.5,
        to: last,
        bottom: from,
        top: to,
        xText: (value) => (Number.isInteger(value) ? String(value) : ''),
        yText: text,
        curves: level === null ? [dots] : [dots, line(level)],
    };
}

export function SampleChart(props: SampleChartProps) {
    const { canvas } = usePlot((token) => viewOf(props, token), [props.samples]);
    return (
        <div class="sample-chart">
            <canvas ref={canvas} role="img" aria-label={props.label} />
        </div>
    );
}
