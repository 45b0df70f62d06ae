/* SPDX-License-Identifier: MIT
 *
 * Waterfall from base to new: the ends are grey bars, and each step starts at the end of the
 * previous one.
 */
import type { Waterfall } from './waterfall';

interface WaterfallViewProps {
    chart: Waterfall;
    /** Formats the value of an end. */
    format: (value: number) => string;
    formatDelta: (value: number) => string;
    selected: number | null;
    /** true: the names are words, not code */
    isPlain?: boolean;
    onPick: (row: number) => void;
}

export function WaterfallView({
    chart,
    format,
    formatDelta,
    selected,
    isPlain = false,
    onPick,
}: WaterfallViewProps) {
    const { steps, axisFrom, axisTo } = chart;
    const place = (value: number) =>
        (100 * (Math.max(axisFrom, value) - axisFrom)) / (axisTo - axisFrom || 1);
    return (
        <div class="waterfall" role="list">
            {steps.map(({ name, from, to, kind, row, isFaint }, i) => {
                const [a, b] = [place(Math.min(from, to)), place(Math.max(from, to))];
                const delta = to - from;
                const tone = isFaint ? 'faint' : delta > 0 ? 'slower' : 'faster';
                const body = (
                    <>
                        <span
                            class={kind === 'step' && !isPlain ? 'fall-name mono' : 'fall-name'}
                            title={name}
                        >
                            <bdi>{name}</bdi>
                        </span>
                        <span class="fall-track">
                            <i class={`is-${tone}`} style={{ left: `${a}%`, width: `${b - a}%` }} />
                            {i + 1 < steps.length && <u style={{ left: `${place(to)}%` }} />}
                        </span>
                        <span class={kind === 'step' ? `fall-value ${tone}` : 'fall-value'}>
                            {kind === 'end' ? format(to) : formatDelta(delta)}
                        </span>
                    </>
                );
                return (
                    <div role="listitem" key={i}>
                        {row === null ? (
                            <div class={`fall-step is-${kind}`}>{body}</div>
                        ) : (
                            <button
                                type="button"
                                class={row === selected ? 'fall-step is-selected' : 'fall-step'}
                                onClick={() => onPick(row)}
                            >
                                {body}
                            </button>
                        )}
                    </div>
                );
            })}
        </div>
    );
}
