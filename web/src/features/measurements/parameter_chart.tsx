/* SPDX-License-Identifier: MIT
 *
 * A benchmark over one numeric parameter.
 */
import type { MeasurementRow } from '../../base/rows';
import { formatFixed } from '../../base/units';
import type { LineView } from '../../components/chart';
import { type Token, usePlot } from '../../components/plot';
import type { ParameterCurve } from '../../model/results';

interface ParameterChartProps {
    curve: ParameterCurve<MeasurementRow>;
    /** the row that is selected */
    selected: number;
    text: (value: number) => string;
}

/* The axes are logarithmic if the largest parameter is this many times the smallest, or more. */
const MIN_LOG_RATIO = 10;

const floorTen = (value: number) => 10 ** Math.floor(Math.log10(value));
const ceilTen = (value: number) => 10 ** Math.ceil(Math.log10(value));

function viewOf({ curve, selected, text }: ParameterChartProps, token: Token): LineView {
    const { points, exponent } = curve;
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    const [first, last] = [xs[0], xs[xs.length - 1]];
    const isLog = exponent !== null && last / first >= MIN_LOG_RATIO;
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    const margin = (last - first) * 0.04;
    const isSelected = points.map(({ row }) => row.id === selected);
    return {
        isLog,
        from: isLog ? floorTen(first) : first - margin,
        to: isLog ? ceilTen(last) : last + margin,
        bottom: isLog ? floorTen(low) : Math.min(0, low),
        top: isLog ? ceilTen(high) : high * 1.05 || 1,
        xTitle: curve.parameter,
        xText: (value) => String(Number(value.toPrecision(6))),
        yText: text,
        curves: [
            {
                x: xs,
                y: ys,
                colour: token('bar'),
                width: 1,
                dots: {
                    radii: isSelected.map((own) => (own ? 5 : 3)),
                    fills: isSelected.map((own) => token(own ? 'accent' : 'bar')),
                    edges: isSelected.map(() => token('bg')),
                    edgeWidths: isSelected.map(() => 1),
                },
            },
            { x: xs, y: ys, colour: token('bar'), width: 1.5 },
        ],
    };
}

/* Says how the value grows from the first point to the last: "grows as n to the power of 1.90". */
function growthText({ parameter, exponent }: ParameterCurve<MeasurementRow>): string {
    if (exponent === null) return '';
    return `grows as ${parameter} to the power of ${formatFixed(exponent, 2)}`;
}

export function ParameterChart(props: ParameterChartProps) {
    const { curve } = props;
    const { canvas } = usePlot((token) => viewOf(props, token), [curve, props.selected]);
    return (
        <>
            <div class="named-head">
                <b>By {curve.parameter}</b>
                <span class="soft">{growthText(curve)}</span>
            </div>
            <div class="sample-chart">
                <canvas
                    ref={canvas}
                    role="img"
                    aria-label={`values of ${curve.points.length} rows by ${curve.parameter}`}
                />
            </div>
        </>
    );
}
