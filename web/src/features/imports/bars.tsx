/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Origin } from '../../base/answers';
import { useEffectOn } from '../../base/hooks';
import { type BarChart, barChart } from '../../components/chart';
import { watchTheme } from '../../components/theme_watch';
import { hideTooltip, showTooltip } from '../../components/tooltip';

export interface BarItem {
    label: string;
    origin: Origin;
    selfPct: number;
    inclusivePct: number;
}

interface BarsProps {
    label: string;
    items: BarItem[];
    selected: number;
    onPick: (index: number) => void;
    tip: (index: number) => ComponentChildren;
}

const BAND_HEIGHT = 24;
const AXIS_HEIGHT = 26;

/** Horizontal bars in the colours of the origins; the height depends on the number of bars. */
export function Bars(props: BarsProps) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const chart = useRef<BarChart | null>(null);
    const latest = useRef(props);
    latest.current = props;

    useEffect(() => {
        const element = canvas.current;
        if (!element) return undefined;
        const now = barChart(element, {
            onPick: (index) => index >= 0 && latest.current.onPick(index),
            onHover: (index, x, y) =>
                index >= 0 ? showTooltip(latest.current.tip(index), x, y) : hideTooltip(),
        });
        chart.current = now;
        const draw = (): void => paint(element, now, latest.current);
        draw();
        const unwatch = watchTheme(draw);
        return () => {
            unwatch();
            hideTooltip();
            now.destroy();
            chart.current = null;
        };
    }, []);
    useEffectOn(() => {
        if (canvas.current && chart.current) paint(canvas.current, chart.current, props);
    }, [props.items, props.selected]);

    return (
        <div class="bars" style={{ height: props.items.length * BAND_HEIGHT + AXIS_HEIGHT }}>
            <canvas
                ref={canvas}
                role="img"
                aria-label={props.label}
                onPointerLeave={() => hideTooltip()}
            />
        </div>
    );
}

function paint(element: HTMLElement, chart: BarChart, { items, selected }: BarsProps): void {
    const style = getComputedStyle(element);
    const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    chart.update(
        items.map(({ label, origin, selfPct, inclusivePct }) => ({
            label,
            inner: selfPct,
            outer: inclusivePct,
            colour: origin === 'unknown' ? token('text-3') : token(`origin-${origin}`),
        })),
        {
            grid: token('line'),
            tick: token('text-3'),
            text: token('text-1'),
            sans: token('sans'),
            mono: token('mono'),
        },
        selected,
    );
}
