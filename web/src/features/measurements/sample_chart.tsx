/* SPDX-License-Identifier: MIT
 *
 * Individual samples in recording order, which show drift, slow first runs and outliers.
 */
import { useEffect, useRef } from 'preact/hooks';
import { type LineChart, lineChart } from '../../components/chart';
import { watchTheme } from '../../components/theme_watch';

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

function paint(element: HTMLElement, chart: LineChart, props: SampleChartProps): void {
    const style = getComputedStyle(element);
    const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const { samples, level, from, to, text } = props;
    const x = samples.map((_, i) => i + 1);
    const last = samples.length + 0.5;
    const dots = { x, y: samples, colour: token('bar'), dots: true };
    const curves = [{ ...dots, width: samples.length > MAX_WIDE_DOTS ? DOT_WIDTH / 2 : DOT_WIDTH }];
    const line = { x: [0.5, last], y: [level ?? 0, level ?? 0], colour: token('text-2') };
    chart.update(
        {
            from: 0.5,
            to: last,
            bottom: from,
            top: to,
            xText: (value) => (Number.isInteger(value) ? String(value) : ''),
            yText: text,
            curves:
                level === null
                    ? curves
                    : [...curves, { ...line, width: 1, dash: [4, 3], dots: false }],
        },
        {
            grid: token('line'),
            tick: token('text-3'),
            text: token('text-1'),
            sans: token('sans'),
            mono: token('mono'),
        },
    );
}

export function SampleChart(props: SampleChartProps) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const latest = useRef(props);
    latest.current = props;
    useEffect(() => {
        const element = canvas.current;
        if (!element) return undefined;
        const chart = lineChart(element, () => {});
        const draw = () => paint(element, chart, latest.current);
        draw();
        const unwatch = watchTheme(draw);
        return () => {
            unwatch();
            chart.destroy();
        };
    }, [props.samples]);
    return (
        <div class="sample-chart">
            <canvas ref={canvas} role="img" aria-label={props.label} />
        </div>
    );
}
