/* SPDX-License-Identifier: MIT
 *
 * Chart of two columns of a query result: a line, dots, or bars from zero. Points are not thinned
 * out, because the meaning of the values is unknown.
 */
import { formatFixed } from '../../base/units';
import type { Curve, LineView } from '../../components/chart';
import { type Token, usePlot } from '../../components/plot';
import type { SqlPoints } from './result';

export type ChartKind = 'line' | 'bars' | 'dots';

interface ResultChartProps {
    points: SqlPoints;
    kind: ChartKind;
    label: string;
}

function rangeOf(values: number[], withZero: boolean): [number, number] {
    let [low, high] = withZero ? [0, 0] : [Infinity, -Infinity];
    for (const value of values) {
        low = Math.min(low, value);
        high = Math.max(high, value);
    }
    if (low > high) return [0, 1];
    const margin = (high - low) * 0.05 || Math.abs(high) * 0.05 || 1;
    return [withZero && low === 0 ? 0 : low - margin, withZero && high === 0 ? 0 : high + margin];
}

/** Short tick label for values of any magnitude. */
function tickText(value: number): string {
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e9 || size < 1e-3)) return value.toExponential(1);
    return formatFixed(value, size >= 100 || Number.isInteger(value) ? 0 : size >= 1 ? 1 : 3);
}

/** All bars as one outline, because a line chart draws them. */
function barsCurve({ x, y }: SqlPoints, colour: string): Curve {
    const order = x.map((_, i) => i).sort((a, b) => x[a] - x[b]);
    let gap = Infinity;
    for (let i = 1; i < order.length; i++) {
        const step = x[order[i]] - x[order[i - 1]];
        if (step > 0) gap = Math.min(gap, step);
    }
    const half = (Number.isFinite(gap) ? gap : 1) * 0.4;
    const curve: Curve = { x: [], y: [], colour, width: 1, fill: colour };
    for (const i of order) {
        curve.x.push(x[i] - half, x[i] - half, x[i] + half, x[i] + half);
        curve.y.push(0, y[i], y[i], 0);
    }
    return curve;
}

function viewOf({ points, kind }: ResultChartProps, token: Token): LineView {
    const { x, y, names } = points;
    const colour = token('bar');
    const [bottom, top] = rangeOf(y, kind === 'bars');
    const [from, to] = names ? [-0.6, x.length - 0.4] : rangeOf(x, false);
    const curve: Curve =
        kind === 'bars'
            ? barsCurve(points, colour)
            : { x, y, colour, width: kind === 'dots' ? 2 : 1.25, dots: kind === 'dots' };
    const nameAt = (value: number) =>
        Number.isInteger(value) ? (names?.[value] ?? '').slice(0, 16) : '';
    const xText = names ? nameAt : tickText;
    return { curves: [curve], from, to, bottom, top, xText, yText: tickText };
}

export function ResultChart(props: ResultChartProps) {
    const { canvas } = usePlot((token) => viewOf(props, token), [props.points, props.kind]);
    return (
        <div class="sql-chart">
            <canvas ref={canvas} role="img" aria-label={props.label} />
        </div>
    );
}
