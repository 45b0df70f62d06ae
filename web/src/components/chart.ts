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
    LogarithmicScale,
    PointElement,
    Tooltip,
} from 'chart.js';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);
Chart.register(Filler, LineController, LineElement, LogarithmicScale, PointElement);

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

/** Dots, each with a radius in px and colours of its own; later ones are on top. */
export interface Dots {
    radii: number[];
    fills: string[];
    edges: string[];
    edgeWidths: number[];
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
    /** where the area ends: at the axis (default), the next curve of the list, the top, or a value */
    fillTo?: 'axis' | 'next' | 'top' | number;
    /** draw dots that are not joined; true: all as wide as `width`, in the colour of the curve */
    dots?: boolean | Dots;
}

/** A tick at a place that the caller chose. */
export interface Tick {
    value: number;
    text: string;
}

export interface LineView {
    /** the first is on top */
    curves: Curve[];
    from: number;
    to: number;
    /** maximum of the vertical axis; `bottom` is its minimum (default 0) */
    top: number;
    bottom?: number;
    /** both axes are logarithmic: from, to, top and bottom are powers of ten, and so are the ticks */
    isLog?: boolean;
    xTitle?: string;
    yTitle?: string;
    /** draws over the curves what a chart cannot, such as names beside points */
    over?: (ctx: CanvasRenderingContext2D, area: PlotArea) => void;
    /** tick distance of the vertical axis; default: chosen by the chart */
    step?: number;
    /** tick distance of the horizontal axis */
    xStep?: number;
    /** Without it, the places on the horizontal axis have no ticks. */
    xText?: (value: number) => string;
    yText?: (value: number) => string;
    /** the only ticks of an axis */
    xTicks?: Tick[];
    yTicks?: Tick[];
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
    let over: LineView['over'];
    const chart = new Chart<'line', { x: number; y: number }[]>(canvas, {
        type: 'line',
        data: { datasets: [] },
        plugins: [
            { id: 'over', afterDatasetsDraw: ({ ctx, chartArea }) => over?.(ctx, chartArea) },
        ],
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
            ({ over } = view);
            chart.data.datasets = view.curves.map(datasetOf);
            chart.options.scales = { x: scaleOf(view, theme, 'x'), y: scaleOf(view, theme, 'y') };
            chart.update('none');
        },
    };
}

const FILLS = { axis: 'origin', next: '+1', top: 'end' } as const;

function datasetOf({ x, y, dots, ...curve }: Curve) {
    const { colour, width, dash = [], stepped = false, fill, fillTo = 'axis' } = curve;
    const own = typeof dots === 'object' ? dots : null;
    return {
        data: x.map((at, i) => ({ x: at, y: y[i] })),
        stepped,
        fill: fill ? (typeof fillTo === 'number' ? { value: fillTo } : FILLS[fillTo]) : false,
        backgroundColor: fill,
        borderColor: colour,
        borderWidth: width,
        borderDash: dash,
        borderJoinStyle: 'round' as const,
        showLine: !dots,
        pointRadius: own?.radii ?? (dots ? width : 0),
        pointBackgroundColor: own?.fills ?? colour,
        tension: 0,
        // dots may be in any order and reach over the edge; curves are sorted by x
        ...(own && {
            pointBorderColor: own.edges,
            pointBorderWidth: own.edgeWidths,
            parsing: { xAxisKey: 'x', yAxisKey: 'y' },
            clip: false as const,
        }),
    };
}

/** A curve of filled columns from `base` to their tops. They need not have the same width. Between columns
 * it runs along the base: Chart.js needs the square of the time to fill curves with many gaps. */
export function columnCurve(
    columns: readonly { left: number; right: number; top: number }[],
    fill: string,
    base = 0,
): Curve {
    return {
        x: columns.flatMap(({ left, right }) => [left, left, right, right]),
        y: columns.flatMap(({ top }) => [base, top, top, base]),
        colour: 'transparent',
        width: 0,
        fill,
        fillTo: base,
    };
}

/** The powers of ten from one to another. */
function powersOfTen(from: number, to: number): { value: number }[] {
    const first = Math.round(Math.log10(from));
    const n = Math.round(Math.log10(to)) - first + 1;
    return Array.from({ length: n }, (_, i) => ({ value: 10 ** (first + i) }));
}

function scaleOf(view: LineView, theme: BarTheme, axis: 'x' | 'y') {
    const isX = axis === 'x';
    const [min, max] = isX ? [view.from, view.to] : [view.bottom ?? 0, view.top];
    const format = isX ? view.xText : view.yText;
    const own = isX ? view.xTicks : view.yTicks;
    const title = isX ? view.xTitle : view.yTitle;
    const font = { size: 11, family: theme.sans };
    return {
        type: view.isLog ? ('logarithmic' as const) : ('linear' as const),
        min,
        max,
        border: { display: false },
        grid: { display: !isX || format !== undefined, color: theme.grid, drawTicks: false },
        title: { display: title !== undefined, text: title, color: theme.tick, font, padding: 4 },
        afterBuildTicks: (scale: { ticks: { value: number }[] }) => {
            if (own) scale.ticks = own.map(({ value }) => ({ value }));
            else if (view.isLog) scale.ticks = powersOfTen(min, max);
        },
        afterFit: (scale: { width: number }) => {
            if (!isX) scale.width = Math.max(AXIS_WIDTH, scale.width);
        },
        ticks: {
            color: theme.tick,
            font,
            padding: 6,
            maxRotation: 0,
            stepSize: isX ? view.xStep : view.step,
            autoSkip: !view.isLog && !own,
            autoSkipPadding: isX ? 12 : 3,
            maxTicksLimit: own?.length ?? (isX ? 12 : 7),
            includeBounds: view.isLog ?? false,
            callback: (value: string | number, i: number) =>
                own?.[i].text ?? format?.(Number(value)) ?? '',
        },
    };
}
