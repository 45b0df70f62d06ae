/* SPDX-License-Identifier: MIT
 *
 * Wrapper of Chart.js; no other file imports it. Style of the charts: no animation, hairline grid,
 * 11 px ticks, no legend box, bars of 12 px, own tooltip.
 */
import {
    BarController,
    BarElement,
    CategoryScale,
    Chart,
    Filler,
    LinearScale,
    LineController,
    LineElement,
    PointElement,
    Tooltip,
} from 'chart.js';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);
Chart.register(Filler, LineController, LineElement, PointElement);

export interface Bar {
    label: string;
    /** values on the axis in percent; `inner` is part of `outer` */
    inner: number;
    outer: number;
    colour: string;
}

export interface BarTheme {
    grid: string;
    tick: string;
    text: string;
    sans: string;
    mono: string;
}

export interface BarChart {
    update: (bars: Bar[], theme: BarTheme, selected: number) => void;
    destroy: () => void;
}

export interface BarEvents {
    onHover: (index: number, x: number, y: number) => void;
    onPick: (index: number) => void;
}

/** Horizontal bars on an axis in percent: outlined for the outer value, filled for the inner one. */
export function barChart(canvas: HTMLCanvasElement, events: BarEvents): BarChart {
    const chart = new Chart<'bar', number[], string>(canvas, {
        type: 'bar',
        data: { labels: [], datasets: [] },
        options: {
            animation: false,
            indexAxis: 'y',
            responsive: true,
            maintainAspectRatio: false,
            events: ['mousemove', 'mouseout', 'click'],
            interaction: { mode: 'index', axis: 'y', intersect: false },
            plugins: { tooltip: { enabled: false }, legend: { display: false } },
            onHover: (event, active) => {
                const at = event.native as MouseEvent | null;
                events.onHover(active[0]?.index ?? -1, at?.clientX ?? 0, at?.clientY ?? 0);
            },
            onClick: (_event, active) => events.onPick(active[0]?.index ?? -1),
        },
    });
    return {
        destroy: () => chart.destroy(),
        update: (bars, theme, selected) => {
            chart.data.labels = bars.map((bar) => bar.label);
            const shared = {
                grouped: false,
                barThickness: 12,
                borderRadius: 1,
                borderSkipped: false,
            };
            chart.data.datasets = [
                {
                    ...shared,
                    data: bars.map((bar) => bar.inner),
                    backgroundColor: bars.map((bar) => bar.colour),
                    order: 1,
                },
                {
                    ...shared,
                    data: bars.map((bar) => bar.outer),
                    backgroundColor: 'transparent',
                    borderColor: bars.map((bar, i) => (i === selected ? theme.text : bar.colour)),
                    borderWidth: 1,
                    order: 0,
                },
            ];
            chart.options.scales = scales(theme);
            chart.update('none');
        },
    };
}

function scales(theme: BarTheme) {
    return {
        x: {
            position: 'top' as const,
            beginAtZero: true,
            border: { display: false },
            grid: { color: theme.grid, drawTicks: false },
            ticks: {
                color: theme.tick,
                font: { size: 11, family: theme.sans },
                padding: 6,
                callback: (value: string | number) => `${value} %`,
            },
        },
        y: {
            border: { display: false },
            grid: { display: false },
            ticks: {
                color: theme.text,
                font: { size: 12, family: theme.mono },
                autoSkip: false,
                crossAlign: 'far' as const,
                callback(
                    this: { getLabelForValue: (v: number) => string },
                    value: string | number,
                ) {
                    const label = this.getLabelForValue(Number(value));
                    return label.length > 22 ? `${label.slice(0, 21)}…` : label;
                },
            },
        },
    };
}

export interface Curve {
    x: number[];
    y: number[];
    colour: string;
    width: number;
    /** [on, off] in px; default: a solid line */
    dash?: number[];
    /** each value holds until the next point; default: points are joined by straight lines */
    stepped?: boolean;
    /** colour of the area below the curve */
    fill?: string;
    /** the area ends at the next curve of the list instead of the axis */
    fillBelow?: boolean;
    /** draw dots that are not joined */
    dots?: boolean;
}

export interface LineView {
    curves: Curve[];
    from: number;
    to: number;
    /** maximum of the vertical axis; `bottom` is its minimum (default 0) */
    top: number;
    bottom?: number;
    /** tick distance of the vertical axis; default: chosen by the chart */
    step?: number;
    /** tick distance of the horizontal axis */
    xStep?: number;
    xText: (value: number) => string;
    yText: (value: number) => string;
}

/** Area of the curves, in px of the canvas. */
export interface PlotArea {
    left: number;
    right: number;
    top: number;
    bottom: number;
}

export interface LineChart {
    update: (view: LineView, theme: BarTheme) => void;
    area: () => PlotArea;
    destroy: () => void;
}

/** Least width of the vertical axis in px, so that charts are aligned; long numbers widen it. */
const AXIS_WIDTH = 64;

/** Curves over a linear axis. The caller reduces the number of points; the curves are drawn without
 * dots, smoothing and animation. */
export function lineChart(canvas: HTMLCanvasElement, onLayout: () => void): LineChart {
    const chart = new Chart<'line', { x: number; y: number }[]>(canvas, {
        type: 'line',
        data: { datasets: [] },
        options: {
            animation: false,
            parsing: false,
            normalized: true,
            responsive: true,
            maintainAspectRatio: false,
            events: [],
            layout: { padding: { right: 16, top: 6 } },
            plugins: { tooltip: { enabled: false }, legend: { display: false } },
            onResize: () => queueMicrotask(onLayout),
        },
    });
    return {
        destroy: () => chart.destroy(),
        area: () => chart.chartArea,
        update: (view, theme) => {
            chart.data.datasets = view.curves.map(
                ({ x, y, colour, width, dash, stepped, fill, fillBelow, dots }) => ({
                    data: x.map((at, i) => ({ x: at, y: y[i] })),
                    stepped: stepped ?? false,
                    fill: fill ? (fillBelow ? '+1' : 'origin') : false,
                    backgroundColor: fill,
                    borderColor: colour,
                    borderWidth: width,
                    borderDash: dash ?? [],
                    borderJoinStyle: 'round' as const,
                    showLine: !dots,
                    pointRadius: dots ? width : 0,
                    pointBackgroundColor: colour,
                    tension: 0,
                }),
            );
            chart.options.scales = timeScales(view, theme);
            chart.update('none');
        },
    };
}

function timeScales(view: LineView, theme: BarTheme) {
    const ticks = { color: theme.tick, font: { size: 11, family: theme.sans }, padding: 6 };
    return {
        x: {
            type: 'linear' as const,
            min: view.from,
            max: view.to,
            border: { display: false },
            grid: { color: theme.grid, drawTicks: false },
            ticks: {
                ...ticks,
                maxRotation: 0,
                stepSize: view.xStep,
                maxTicksLimit: 12,
                includeBounds: false,
                callback: (value: string | number) => view.xText(Number(value)),
            },
        },
        y: {
            type: 'linear' as const,
            min: view.bottom ?? 0,
            max: view.top,
            border: { display: false },
            grid: { color: theme.grid, drawTicks: false },
            afterFit: (scale: { width: number }) => {
                scale.width = Math.max(AXIS_WIDTH, scale.width);
            },
            ticks: {
                ...ticks,
                stepSize: view.step,
                maxTicksLimit: 7,
                includeBounds: false,
                callback: (value: string | number) => view.yText(Number(value)),
            },
        },
    };
}
