/* SPDX-License-Identifier: MIT */
/* Time of the steps against their batch size or context: a dot is a step. */
import { useMemo } from 'preact/hooks';
import { int } from '../../base/units';
import type { LineView } from '../../components/chart';
import { placeIn, type Token, usePlot } from '../../components/plot';
import { axisValue, phaseOf, roundUp, stackHeight, timesOf } from '../../model/inference';
import { type InferenceChartProps, stepEvents } from './step_events';

type StepScatterProps = InferenceChartProps & { axis: 'batch' | 'context' };

const RADIUS = 3.5;
/** px; a pointer farther than this from all dots is at none */
const REACH = 12;
const NAMES = { batch: 'requests in the batch', context: 'tokens of context' };
const UNKNOWN = { batch: 'the number of requests', context: 'the tokens of the context' };

interface Dot {
    step: number;
    x: number;
    ms: number;
}

function dotsOf({
    answer,
    parts,
    shown,
    axis,
}: Pick<StepScatterProps, 'answer' | 'parts' | 'shown' | 'axis'>): Dot[] {
    return shown.flatMap((step) => {
        const x = axisValue(answer, axis, step);
        return x === null ? [] : [{ step, x, ms: stackHeight(parts, step) / 1e6 }];
    });
}

const most = (values: readonly number[]): number =>
    roundUp(values.reduce((a, b) => Math.max(a, b), 0));

function frameOf(dots: readonly Dot[]) {
    return {
        from: 0,
        to: most(dots.map(({ x }) => x)),
        top: most(dots.map(({ ms }) => ms)),
    };
}

function viewOf(props: StepScatterProps, dots: Dot[], token: Token): LineView {
    const { answer, axis, step } = props;
    const colours = {
        prefill: token('phase-prefill'),
        mixed: token('phase-mixed-line'),
        other: token('phase-decode-bar'),
    };
    const isSelected = (dot: Dot): boolean => dot.step === step;
    const drawn = [...dots].sort((a, b) => Number(isSelected(a)) - Number(isSelected(b)));
    return {
        ...frameOf(dots),
        curves: [
            {
                x: drawn.map(({ x }) => x),
                y: drawn.map(({ ms }) => ms),
                colour: '',
                width: 0,
                dots: {
                    radii: drawn.map((dot) => (isSelected(dot) ? RADIUS + 2 : RADIUS)),
                    fills: drawn.map((dot) => {
                        const phase = phaseOf(answer, dot.step);
                        return phase === 'prefill' || phase === 'mixed'
                            ? colours[phase]
                            : colours.other;
                    }),
                    edges: drawn.map((dot) => token(isSelected(dot) ? 'accent' : 'bg')),
                    edgeWidths: drawn.map((dot) => (isSelected(dot) ? 2 : 1)),
                },
            },
        ],
        xTitle: NAMES[axis],
        yTitle: `ms of ${timesOf(answer)} time`,
        xText: (value) => (Number.isInteger(value) ? int(value) : ''),
        yText: (value) => String(Number(value.toPrecision(6))),
    };
}

export function StepScatter(props: StepScatterProps) {
    const { answer, parts, shown, axis, step } = props;
    const dots = useMemo(
        () => dotsOf({ answer, parts, shown, axis }),
        [answer, parts, shown, axis],
    );
    const { canvas, area } = usePlot((token) => viewOf(props, dots, token), [dots, step]);
    const stepOf = (x: number, y: number): number => {
        const { xOf, yOf } = placeIn(area, frameOf(dots));
        let best = { step: -1, distance: REACH };
        for (const dot of dots) {
            const distance = Math.hypot(xOf(dot.x) - x, yOf(dot.ms) - y);
            if (distance < best.distance) best = { step: dot.step, distance };
        }
        return best.step;
    };
    return (
        <>
            {dots.length === 0 && (
                <p class="grid-empty">The annotations do not state {UNKNOWN[axis]}.</p>
            )}
            <div
                class="inference-scatter"
                hidden={dots.length === 0}
                {...stepEvents(props, stepOf)}
            >
                <canvas ref={canvas} />
            </div>
        </>
    );
}
