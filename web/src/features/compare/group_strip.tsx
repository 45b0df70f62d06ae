/* SPDX-License-Identifier: MIT
 *
 * One or two groups of runs on one axis: a dot per run, the median as a bar, the median absolute
 * deviation as a band. Runs outside the axis are counted at the right.
 */
import { countOutside, type StripGroup, stripScale } from './strip';

const LABEL_WIDTH = 44;
const RIGHT_MARGIN = 96;
const ROW_HEIGHT = 24;
const AXIS_HEIGHT = 18;
const DOT_RADIUS = 3.5;

interface GroupStripProps {
    base?: StripGroup;
    fresh: StripGroup;
    width: number;
    /** what the bar is */
    centre?: 'median' | 'mean';
    format: (value: number) => string;
    /** Name of run i, for its dot. */
    nameOf?: (side: 'base' | 'new', run: number) => string;
}

export function GroupStrip(props: GroupStripProps) {
    const { base, fresh, width, centre = 'median', format, nameOf } = props;
    const scale = stripScale(base ? [base, fresh] : [fresh]);
    const span = width - LABEL_WIDTH - RIGHT_MARGIN;
    const x = (value: number) =>
        LABEL_WIDTH + ((value - scale.from) / (scale.to - scale.from)) * span;
    const rows = (base ? 2 : 1) * ROW_HEIGHT;
    const height = rows + AXIS_HEIGHT;
    const side = (group: StripGroup, key: 'base' | 'new', top: number) => (
        <g class={`strip-${key}`}>
            <text class="strip-name" x="0" y={top + ROW_HEIGHT / 2 + 4}>
                {base ? key : 'runs'}
            </text>
            <StripRow
                group={group}
                top={top}
                x={x}
                scale={scale}
                title={(i) => `${nameOf ? `${nameOf(key, i)}: ` : ''}${format(group.values[i])}`}
            />
            <OutsideCounts counts={countOutside(group.values, scale)} at={width} top={top} />
        </g>
    );
    const median = (group: StripGroup) =>
        `${centre} ${format(group.median)} of ${group.values.length}`;
    const summary = base ? `base: ${median(base)}; new: ${median(fresh)}` : median(fresh);
    return (
        <svg class="group-strip" width={width} height={height} role="img" aria-label={summary}>
            {scale.ticks.map((tick) => (
                <g key={tick}>
                    <line class="strip-grid" x1={x(tick)} x2={x(tick)} y1="0" y2={rows} />
                </g>
            ))}
            {base && side(base, 'base', 0)}
            {side(fresh, 'new', rows - ROW_HEIGHT)}
            {fittingTicks(scale.ticks, x, format).map((tick) => (
                <text key={tick} class="strip-tick" x={x(tick)} y={height - 3}>
                    {format(tick)}
                </text>
            ))}
        </svg>
    );
}

/* The ticks whose labels do not overlap. */
function fittingTicks(
    ticks: number[],
    x: (value: number) => number,
    format: (v: number) => string,
) {
    let end = -Infinity;
    return ticks.filter((tick) => {
        const half = format(tick).length * 3.2 + 4;
        if (x(tick) - half < end) return false;
        end = x(tick) + half;
        return true;
    });
}

interface StripRowProps {
    group: StripGroup;
    top: number;
    x: (value: number) => number;
    scale: { from: number; to: number };
    title: (run: number) => string;
}

function StripRow({ group: { values, median, mad }, top, x, scale, title }: StripRowProps) {
    const left = x(Math.max(scale.from, median - mad));
    const right = x(Math.min(scale.to, median + mad));
    return (
        <>
            {values.length > 1 && mad > 0 && (
                <rect
                    class="strip-band"
                    x={left}
                    y={top + 4}
                    width={Math.max(1, right - left)}
                    height={ROW_HEIGHT - 8}
                />
            )}
            {values.map((value, i) =>
                value < scale.from || value > scale.to ? null : (
                    // Successive dots have one of three heights, so that dots of near values
                    // overlap less.
                    <circle
                        key={i}
                        class="strip-dot"
                        cx={x(value)}
                        cy={top + ROW_HEIGHT / 2 + ((i % 3) - 1) * 3}
                        r={DOT_RADIUS}
                    >
                        <title>{title(i)}</title>
                    </circle>
                ),
            )}
            {values.length > 1 && (
                <line
                    class="strip-median"
                    x1={x(median)}
                    x2={x(median)}
                    y1={top + 3}
                    y2={top + ROW_HEIGHT - 3}
                />
            )}
        </>
    );
}

function OutsideCounts({
    counts: [left, right],
    at,
    top,
}: {
    counts: [number, number];
    at: number;
    top: number;
}) {
    if (left + right === 0) return null;
    const countsText = [left ? `◂ ${left}` : '', right ? `${right} ▸` : '']
        .filter(Boolean)
        .join(' ');
    return (
        <text class="strip-beyond" x={at} y={top + ROW_HEIGHT / 2 + 4}>
            {countsText} beyond
        </text>
    );
}
