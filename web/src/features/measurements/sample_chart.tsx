/* SPDX-License-Identifier: MIT
 *
 * Individual samples in recording order, which show drift, slow first runs and outliers. Warm-ups are
 * drawn before them, and processes are separated by lines.
 */
import type { Curve, LineView, PlotArea } from '../../components/chart';
import { type Token, usePlot } from '../../components/plot';
import { processStarts } from '../../model/distribution';

interface SampleChartProps {
    label: string;
    samples: number[];
    /** values that do not count, measured before the samples */
    warmups: number[];
    /** number of samples of each process; empty: one process */
    processes: number[];
    /** value of a horizontal line; null for no line */
    level: number | null;
    from: number;
    to: number;
    text: (value: number) => string;
}

const DOT_WIDTH = 2;
const MAX_WIDE_DOTS = 400;
/* More processes would be nothing but lines. */
const MAX_LINES = 60;

function drawLines(at: number[], from: number, to: number, colour: string) {
    return (ctx: CanvasRenderingContext2D, { left, right, top, bottom }: PlotArea) => {
        ctx.fillStyle = colour;
        for (const x of at)
            ctx.fillRect(
                Math.round(left + ((x - from) / (to - from)) * (right - left)),
                top,
                1,
                bottom - top,
            );
    };
}

function viewOf(props: SampleChartProps, token: Token): LineView {
    const { samples, warmups, processes, level, from, to, text } = props;
    const first = 0.5 - warmups.length;
    const last = samples.length + 0.5;
    const width = samples.length > MAX_WIDE_DOTS ? DOT_WIDTH / 2 : DOT_WIDTH;
    const dots = (values: number[], start: number, colour: string): Curve => ({
        x: values.map((_, i) => start + i),
        y: values,
        colour,
        width,
        dots: true,
    });
    const line = (y: number): Curve => ({
        x: [first, last],
        y: [y, y],
        colour: token('text-2'),
        width: 1,
        dash: [4, 3],
    });
    const starts = processStarts(processes).map((n) => n + 0.5);
    if (warmups.length) starts.unshift(0.5);
    return {
        from: first,
        to: last,
        bottom: from,
        top: to,
        xText: (value) => (Number.isInteger(value) && value > 0 ? String(value) : ''),
        yText: text,
        over:
            starts.length && starts.length <= MAX_LINES
                ? drawLines(starts, first, last, token('line-strong'))
                : undefined,
        curves: [
            dots(samples, 1, token('bar')),
            ...(warmups.length ? [dots(warmups, 1 - warmups.length, token('warn'))] : []),
            ...(level === null ? [] : [line(level)]),
        ],
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
