/* SPDX-License-Identifier: MIT */
/* The heat map of ranks by steps, with pointer and tooltip. The tab handles keys. */
import { useRef } from 'preact/hooks';
import { formatFixed, pct, THIN_SPACE } from '../../base/units';
import { usePaint, useWidth } from '../../components/painting';
import { hideTooltip, showTooltip } from '../../components/tooltip';
import { ms } from '../../model/trace_range';
import { baseText, type HeatRow, isBinned, rankName } from '../../model/ranks';
import {
    type HeatGeometry,
    type HeatScene,
    layoutHeat,
    paintHeat,
    rankOfCell,
    rowAt,
    stepAt,
} from './heat_paint';

interface HeatMapProps {
    scene: HeatScene;
    onPick: (rank: number, step: number) => void;
    onKey: (event: KeyboardEvent) => void;
}

/** "+6.2 % against the median"; "" without a value. */
function excessText({ rows, answer }: HeatScene, row: number, step: number): string {
    const value = rows[row].excess[step];
    if (Number.isNaN(value)) return '';
    const sign = value > 0 ? '+' : '';
    const base = isBinned(answer)
        ? `the slowest rank of the median ${binName(rows)}`
        : 'the median';
    return `${sign}${pct(100 * value)}${THIN_SPACE}${baseText(answer.metric)} against ${base}`;
}

/** What a row of several ranks is. */
const binName = (rows: HeatRow[]): string => (rows.some(({ host }) => host) ? 'host' : 'row');

export function cellText(scene: HeatScene, row: number, step: number): string {
    const { answer, rows } = scene;
    if (rows[row].missing > 0)
        return `rank ${rows[row].label}: ${rows[row].missing > 1 ? 'their traces are' : 'its trace is'} missing`;
    const rank = rankOfCell(scene, row, step);
    const at = rank * answer.steps.length + step;
    const value = answer.cells[at] < 0 ? 'no such step' : `${ms(answer.cells[at])}${THIN_SPACE}ms`;
    const { host, ranks } = rows[row];
    const name = isBinned(answer)
        ? `${host ? `${host}, ` : ''}${rankName(answer, rank)}, slowest of ${ranks.length}`
        : rankName(answer, rank);
    return [`${name}, ${answer.steps[step]}: ${value}`, excessText(scene, row, step)]
        .filter(Boolean)
        .join(', ');
}

export function HeatMap({ scene, onPick, onKey }: HeatMapProps) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    const { box, width } = useWidth();
    const geometry = useRef<HeatGeometry | null>(null);
    const paint = (): void => {
        if (!canvas.current || width === 0) return;
        geometry.current = layoutHeat(scene, width);
        paintHeat(canvas.current, scene, geometry.current);
    };
    usePaint(paint);
    const cellOf = (event: MouseEvent): [row: number, step: number] | null => {
        const now = geometry.current;
        if (!now || !canvas.current) return null;
        const { left, top } = canvas.current.getBoundingClientRect();
        const row = rowAt(now, event.clientY - top);
        const step = stepAt(now, scene.answer.steps.length, event.clientX - left);
        return row < 0 || step < 0 ? null : [row, step];
    };
    const selected =
        scene.row >= 0 && scene.step >= 0 ? cellText(scene, scene.row, scene.step) : '';
    const shape = width > 0 ? layoutHeat(scene, width) : null;
    return (
        <div
            ref={box}
            class="rank-heat"
            role="img"
            tabIndex={0}
            aria-label={`ranks by steps. ${selected}`}
            onKeyDown={onKey}
        >
            <canvas
                ref={canvas}
                style={{ width: `${width}px`, height: `${shape?.height ?? 200}px` }}
                onPointerMove={(event) => {
                    const cell = cellOf(event);
                    if (cell) showTooltip(cellText(scene, ...cell), event.clientX, event.clientY);
                    else hideTooltip();
                }}
                onPointerLeave={() => hideTooltip()}
                onClick={(event) => {
                    const cell = cellOf(event);
                    if (cell && scene.rows[cell[0]].missing === 0)
                        onPick(rankOfCell(scene, ...cell), cell[1]);
                }}
            />
        </div>
    );
}

/** The formula of rows of several ranks. */
export function HeatFormula({ scene }: { scene: HeatScene }) {
    if (!scene.relative || !isBinned(scene.answer)) return null;
    const name = binName(scene.rows);
    return (
        <p class="heat-formula soft">
            {`A row is ${name === 'host' ? 'a host' : 'eight ranks'}: its slowest rank − the slowest rank of the median ${name}, in % of the ${baseText(scene.answer.metric) === '%' ? 'median rank' : 'step'}.`}
        </p>
    );
}

/** The colours with their bounds. */
export function HeatLegend({ scene, bounds }: { scene: HeatScene; bounds: number[] }) {
    const texts = scene.relative
        ? ['1–3', '3–6', '6–12', '12–25', 'over 25']
        : bounds.map((bound, i) => `${i === 0 ? 'up to ' : ''}${formatFixed(bound / 1e6, 1)}`);
    const unit = scene.relative ? baseText(scene.answer.metric) : 'ms';
    const base = isBinned(scene.answer) ? `median ${binName(scene.rows)}` : 'median';
    return (
        <span class="heat-legend">
            <span class="soft">{scene.relative ? `above the ${base} by` : 'absolute'}</span>
            {texts.map((label, i) => (
                <span key={label} class="heat-key">
                    <i style={{ background: `var(--heat-${i + 1})` }} />
                    {label}
                    {i === texts.length - 1 && <>{`${THIN_SPACE}${unit}`}</>}
                </span>
            ))}
        </span>
    );
}
