/* SPDX-License-Identifier: MIT
 *
 * The header of two memory snapshots: what changed at the peaks in one sentence, and the live bytes of
 * both runs, each over its own events.
 */
import { useMemo } from 'preact/hooks';
import type { Comparison, SnapshotComparison, SnapshotTimeline } from '../../base/answers';
import { formatHash, goTo, route } from '../../base/router';
import { API, withParams } from '../../base/client';
import { bytesText, int, plural, text } from '../../base/units';
import { formatDelta } from '../../model/compare';
import { diffSums, stackKey } from '../../model/snapshot_diff';
import { frameText } from '../../model/snapshot_names';
import { useData } from '../shared/use_json';
import type { Side } from './diff_tree';
import { tabHref } from './state';
import { verdictText } from './snapshot_table';

const deltaText = (bytes: number): string => text(formatDelta(bytes, 'B'));

/* Which GPUs are compared, if a run has several: then the headline is the sum of all. */
function gpuText({ headline }: Comparison, { base, new: fresh }: SnapshotComparison): string {
    const isAll =
        headline?.base.median === base.peak_live && headline.new.median === fresh.peak_live;
    if (isAll) return '';
    return base.device === fresh.device
        ? `GPU ${base.device}: `
        : `GPU ${base.device} → GPU ${fresh.device}: `;
}

/** `diff`: at the peaks. */
export function SnapshotSentence({
    comparison,
    diff,
}: {
    comparison: Comparison;
    diff: SnapshotComparison;
}) {
    const { more, less, base_without, new_without } = diffSums(diff);
    const change = diff.new.live - diff.base.live;
    const sides = [more, less]
        .filter(({ stacks }) => stacks > 0)
        .map(({ bytes, stacks }) => `${deltaText(bytes)} in ${plural(stacks, 'stack')}`);
    const without =
        base_without === new_without
            ? bytesText(new_without)
            : `${bytesText(base_without)} → ${bytesText(new_without)}`;
    const largest = diff.rows.at(0);
    const isStack = largest && stackKey(largest) !== 'none';
    return (
        <p class="compare-conclusion">
            <b>
                {gpuText(comparison, diff)}
                {change === 0
                    ? 'The peaks are equal.'
                    : `The peak is ${change > 0 ? 'higher' : 'lower'}.`}
            </b>{' '}
            {sides.length > 0 ? `${sides.join(', ')}` : 'No stack changed'}
            {(base_without > 0 || new_without > 0) && `; ${without} without a Python stack`}.
            {largest && largest.change !== 0 && (
                <>
                    {' '}
                    Largest change:{' '}
                    <a
                        class={isStack ? 'mono' : ''}
                        href={`${tabHref(route.value.query, 'snapshot')}&s=${encodeURIComponent(stackKey(largest))}`}
                        title={largest.file ?? undefined}
                    >
                        {isStack ? frameText(largest) : 'memory without a Python stack'}
                    </a>{' '}
                    {deltaText(largest.change)}
                    {(largest.verdict === 'new' || largest.verdict === 'gone') &&
                        `, ${verdictText(largest)}`}
                    .
                </>
            )}
        </p>
    );
}

const HEIGHT = 72;
const LEFT = 64;
const RIGHT = 104;
const TOP = 6;
const BOTTOM = 18;
const COLUMNS = 256;
/** Lines of the axis. */
const TICKS = 3;
/** Minimum distance of the names at the right end, px. */
const NAME_HEIGHT = 14;

interface SnapshotCurvesProps {
    comparison: Comparison;
    diff: SnapshotComparison;
    width: number;
}

function useLive(comparison: Comparison, side: Side, device: number) {
    const path = withParams(`${API}/runs/${comparison[side][0].id}/snapshot/timeline`, {
        device,
        columns: COLUMNS,
    });
    return useData<SnapshotTimeline>(path);
}

/* Range of the axis: from 0, or truncated if both curves stay far from it. */
function rangeOf(values: number[]): [number, number] {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return low > 0.5 * high ? [low - (high - low) * 0.1, high] : [0, high];
}

export function SnapshotCurves({ comparison, diff, width }: SnapshotCurvesProps) {
    const base = useLive(comparison, 'base', diff.base.device);
    const fresh = useLive(comparison, 'new', diff.new.device);
    const values = useMemo(
        () => [...(base?.live ?? []), ...(fresh?.live ?? []), diff.base.live, diff.new.live],
        [base, fresh, diff],
    );
    if (!base || !fresh || values.length <= 2) return null;
    const [from, to] = rangeOf(values);
    const y = (bytes: number): number =>
        TOP + (HEIGHT - TOP - BOTTOM) * (1 - (bytes - from) / (to - from || 1));
    const span = width - LEFT - RIGHT;
    const x = (side: Side, event: number): number =>
        LEFT + (span * Math.max(0, event)) / Math.max(1, diff[side].events - 1);
    const curves = { base, new: fresh };
    const pathOf = (side: Side): string =>
        curves[side].live
            .map(
                (live, i) =>
                    `${i === 0 ? 'M' : 'L'}${x(side, curves[side].event[i]).toFixed(1)} ${y(live).toFixed(1)}`,
            )
            .join('');
    const ticks = Array.from({ length: TICKS }, (_, i) => from + ((to - from) * i) / (TICKS - 1));
    const names = nameHeights(y(diff.base.live), y(diff.new.live));
    const choose = (event: MouseEvent): void => {
        const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
        const share = (event.clientX - box.left - LEFT) / span;
        if (share < 0 || share > 1) return;
        const top = event.clientY - box.top;
        const at = (side: Side): number => Math.round(share * Math.max(0, diff[side].events - 1));
        const distance = (side: Side): number => {
            const { event: events, live } = curves[side];
            const found = events.findIndex((one) => one >= at(side));
            return Math.abs(y(live[found < 0 ? live.length - 1 : found]) - top);
        };
        const side = distance('base') < distance('new') ? 'base' : 'new';
        const { base: a = '', new: b = '', ...rest } = route.peek().query;
        goTo(
            formatHash(['compare', 'snapshot-events'], {
                ...rest,
                base: a,
                new: b,
                'base.at': String(diff.base.at),
                'new.at': String(diff.new.at),
                [`${side}.at`]: String(at(side)),
            }),
        );
    };
    return (
        <svg
            class="group-strip snapshot-curves"
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={`live bytes: base ${bytesText(diff.base.live)}, new ${bytesText(diff.new.live)}`}
            onClick={choose}
        >
            <title>
                Live bytes, each run over its own events. Click a curve to compare at that event.
            </title>
            {ticks.map((tick) => (
                <g key={tick}>
                    <line class="strip-grid" x1={LEFT} x2={LEFT + span} y1={y(tick)} y2={y(tick)} />
                    <text class="strip-tick snapshot-tick" x={LEFT - 6} y={y(tick) + 4}>
                        {bytesText(tick)}
                    </text>
                </g>
            ))}
            {(['base', 'new'] as const).map((side) => (
                <g key={side} class={`snapshot-curve is-${side}`}>
                    <path d={pathOf(side)} />
                    <circle cx={x(side, diff[side].at)} cy={y(diff[side].live)} r="3" />
                    <text x={LEFT + span + 8} y={names[side] + 4}>
                        {side} {bytesText(diff[side].live)}
                    </text>
                </g>
            ))}
            <text class="strip-tick" x={LEFT + span / 2} y={HEIGHT - 3}>
                {from > 0 ? `axis from ${bytesText(from)}` : 'live bytes over events'}
            </text>
        </svg>
    );
}

/* Vertical places of the names, which must not overlap. */
function nameHeights(base: number, fresh: number): Record<Side, number> {
    const gap = Math.abs(base - fresh);
    if (gap >= NAME_HEIGHT) return { base, new: fresh };
    const shift = (NAME_HEIGHT - gap) / 2;
    const [a, b] = base <= fresh ? [base - shift, fresh + shift] : [base + shift, fresh - shift];
    const down = Math.max(0, TOP + 2 - Math.min(a, b));
    return { base: a + down, new: b + down };
}

/** "event 4,656, the end". */
export function eventText({ at, events, peak_event }: SnapshotComparison['base']): string {
    if (at < 0) return 'before the first event';
    const notes = [at === peak_event ? 'the peak' : '', at === events - 1 ? 'the end' : ''];
    return [`event ${int(at)}`, ...notes.filter(Boolean)].join(', ');
}
