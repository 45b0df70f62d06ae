/* SPDX-License-Identifier: MIT */
/* The ranks of one step on a common clock: compute, waiting and transfer of each. With a selected
 * call, the time around it. */
import { useRef } from 'preact/hooks';
import type { AlignedRank, RankStep, RanksAnswer } from '../../base/answers';
import { THIN_SPACE } from '../../base/units';
import { startBrush, type Token } from '../../canvas/brush';
import { usePaint, useWidth } from '../../components/painting';
import { PaneHead } from '../../components/toolbar';
import { rankName } from '../../model/ranks';
import { ms } from '../../model/trace_range';

interface AlignedView {
    from: number;
    to: number;
}

const end = (rank: AlignedRank): number => rank.aligned_ns + rank.duration_ns;

/** The time that is drawn: the step, or the selected call of all ranks with a margin. */
export function alignedView({ ranks }: RankStep, call: number | null): AlignedView {
    const calls = ranks.flatMap((rank) =>
        rank.calls
            .filter((one) => one.call === call)
            .map(({ start_ns, wait_ns, transfer_ns }) => ({
                from: rank.aligned_ns + start_ns,
                to: rank.aligned_ns + start_ns + wait_ns + transfer_ns,
            })),
    );
    const spans =
        calls.length > 0 ? calls : ranks.map((rank) => ({ from: rank.aligned_ns, to: end(rank) }));
    const from = Math.min(...spans.map((span) => span.from));
    const to = Math.max(...spans.map((span) => span.to));
    const margin = calls.length > 0 ? (to - from) * 0.4 : 0;
    return { from: from - margin, to: Math.max(to + margin, from + 1) };
}

/** Round times from 0 in ns, at most five. */
export function ticksOf(length: number): number[] {
    let distance = 1;
    for (let factor = 0; length / distance > 4; factor++) distance *= [2, 2.5, 2][factor % 3];
    return Array.from({ length: Math.floor(length / distance) + 1 }, (_, i) => i * distance);
}

export function waitText(rank: AlignedRank, least: number): string {
    if (rank.wait_ns === null) return '';
    return rank.wait_ns === least ? 'is waited for' : `waits ${ms(rank.wait_ns)}${THIN_SPACE}ms`;
}

function hatched(ctx: CanvasRenderingContext2D, token: Token): CanvasPattern | string {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 6;
    const at = tile.getContext('2d');
    if (!at) return token('line-strong');
    at.strokeStyle = token('text-3');
    at.beginPath();
    for (const shift of [-6, 0, 6]) {
        at.moveTo(shift, 6);
        at.lineTo(shift + 6, 0);
    }
    at.stroke();
    return ctx.createPattern(tile, 'repeat') ?? token('line-strong');
}

function paintBar(
    canvas: HTMLCanvasElement,
    rank: AlignedRank,
    view: AlignedView,
    call: number | null,
) {
    const { clientWidth: width, clientHeight: height } = canvas;
    const brush = startBrush(canvas, width, height);
    if (!brush) return;
    const { ctx, token } = brush;
    const x = (ns: number) => ((rank.aligned_ns + ns - view.from) / (view.to - view.from)) * width;
    const box = (start: number, length: number) =>
        ctx.fillRect(x(start), 0, Math.max(1, x(start + length) - x(start)), height);
    ctx.fillStyle = token('family-matmul');
    for (let i = 0; i < rank.compute.length; i += 2) box(rank.compute[i], rank.compute[i + 1]);
    const wait = hatched(ctx, token);
    for (const one of rank.calls) {
        ctx.fillStyle = token('bg');
        box(one.start_ns, one.wait_ns + one.transfer_ns);
        ctx.fillStyle = wait;
        if (one.wait_ns > 0) box(one.start_ns, one.wait_ns);
        ctx.fillStyle = token('family-communication');
        box(one.start_ns + one.wait_ns, one.transfer_ns);
        if (one.call === call) {
            ctx.strokeStyle = token('accent');
            ctx.lineWidth = 2;
            const left = x(one.start_ns);
            ctx.strokeRect(
                left,
                1,
                Math.max(2, x(one.start_ns + one.wait_ns + one.transfer_ns) - left),
                height - 2,
            );
        }
    }
}

function Bar({ rank, view, call }: { rank: AlignedRank; view: AlignedView; call: number | null }) {
    const canvas = useRef<HTMLCanvasElement | null>(null);
    // Each change of the width renders, and so paints.
    const { box } = useWidth();
    usePaint(() => {
        if (canvas.current) paintBar(canvas.current, rank, view, call);
    });
    return (
        <div ref={box} class="aligned-bar">
            <canvas ref={canvas} aria-hidden="true" />
        </div>
    );
}

interface AlignedProps {
    answer: RanksAnswer;
    step: number;
    data: RankStep | null;
    rank: number | null;
    call: number | null;
    /** address of both timelines side by side; null if there is no call to align them on */
    sideHref: string | null;
    onPick: (rank: number) => void;
    onWholeStep: () => void;
}

export function AlignedRanks(props: AlignedProps) {
    const { answer, step, data, rank, call, sideHref, onPick, onWholeStep } = props;
    const rows = data?.ranks ?? [];
    const view = data && rows.length > 0 ? alignedView(data, call) : null;
    const least = Math.min(...rows.map(({ wait_ns }) => wait_ns ?? Infinity));
    const ticks = view ? ticksOf(view.to - view.from) : [];
    return (
        <section class="pane rank-aligned" aria-label="Ranks aligned">
            <PaneHead
                title={answer.steps[step] ?? 'Ranks aligned'}
                remark={call === null ? 'slowest, median, fastest' : 'aligned on the selected call'}
            >
                {call !== null && (
                    <button type="button" class="link" onClick={onWholeStep}>
                        Whole step
                    </button>
                )}
                {sideHref && (
                    <a class="link" href={sideHref} title="Both timelines side by side (Enter)">
                        Both timelines
                    </a>
                )}
            </PaneHead>
            <div class="aligned-legend soft">
                <i class="is-compute" /> compute <i class="is-transfer" /> transfer{' '}
                <i class="is-wait" /> waits
            </div>
            {view && (
                <div class="aligned-rows">
                    <div class="aligned-axis" aria-hidden="true">
                        {ticks.map((ns, i) => (
                            <span
                                key={ns}
                                style={{ left: `${(100 * ns) / (view.to - view.from)}%` }}
                            >
                                {Number((ns / 1e6).toFixed(6))}
                                {i === 0 && `${THIN_SPACE}ms`}
                            </span>
                        ))}
                    </div>
                    {rows.map((row) => (
                        <button
                            key={row.index}
                            type="button"
                            class={`aligned-row${row.index === rank ? ' is-selected' : ''}`}
                            aria-pressed={row.index === rank}
                            onClick={() => onPick(row.index)}
                        >
                            <span class="aligned-name">{rankName(answer, row.index)}</span>
                            <Bar rank={row} view={view} call={call} />
                            <span class="aligned-text">{waitText(row, least)}</span>
                        </button>
                    ))}
                </div>
            )}
        </section>
    );
}
