/* SPDX-License-Identifier: MIT
 *
 * Arguments of a slice as rows: known arguments with labels and units, the others as in the file.
 */
import type { SliceAnswer } from '../../base/answers';
import { axisText, isTimeAxis } from '../../base/axis';
import type { PaneValue } from '../../components/selection_pane';
import { bytesText, formatFixed, int, THIN_SPACE } from '../../base/units';
import { acceleratorName } from '../../model/device';
import { isDeviceWork, type TraceTrack } from '../../model/timeline_types';

type Args = Record<string, unknown>;

/* Arguments that are already shown in the rows above, or are internal to the file. */
const SHOWN_ARGS = new Set([
    'grid',
    'block',
    'registers per thread',
    'shared memory',
    'est. achieved occupancy %',
    'blocks per SM',
    'stream',
    'device',
    'bytes',
    'memory bandwidth (GB/s)',
]);

const numberOf = (value: unknown): number | null => {
    const n = typeof value === 'string' && value.trim() ? Number(value) : value;
    return typeof n === 'number' && Number.isFinite(n) ? n : null;
};

/** Formats a time with three decimals, in ms, or in µs below 1 ms. */
export function timesText(ns: number): string {
    if (!isTimeAxis()) return axisText(ns);
    if (ns < 1e6) return `${formatFixed(ns / 1e3, 3)}${THIN_SPACE}µs`;
    return `${formatFixed(ns / 1e6, 3)}${THIN_SPACE}ms`;
}

function formatSizes(value: unknown): string | null {
    if (!Array.isArray(value) || !value.length) return null;
    return value
        .map((part) => (numberOf(part) === null ? String(part) : int(Number(part))))
        .join(' × ');
}

function timeRows({ slice }: SliceAnswer): PaneValue[] {
    const { start_ns, duration_ns, self_ns, kind, flags } = slice;
    const exact = (ns: number): string | undefined => (isTimeAxis() ? `${int(ns)} ns` : undefined);
    const start = exact(start_ns);
    const rows: PaneValue[] = [
        {
            label: 'Start',
            text: timesText(start_ns),
            tip: start && `${start} since the first event`,
        },
    ];
    if (flags & 1) return [...rows, { label: 'Duration', text: 'a point in time' }];
    rows.push({
        label: 'Duration',
        text: axisText(duration_ns),
        tip: exact(duration_ns),
    });
    if (!isDeviceWork(kind) && self_ns !== duration_ns && !(flags & 8)) {
        rows.push({
            label: 'Self',
            text: axisText(self_ns),
            value: self_ns,
            tone: 'self',
            tip: 'without callees',
        });
    }
    return rows;
}

function deviceRows(track: TraceTrack | null, args: Args): PaneValue[] {
    const rows: PaneValue[] = [];
    const stream = numberOf(args.stream) ?? (track && track.stream >= 0 ? track.stream : null);
    const device = numberOf(args.device) ?? (track && track.device >= 0 ? track.device : null);
    if (stream !== null && device !== null) {
        rows.push({ label: 'Stream, device', text: `${stream}, ${acceleratorName(device)}` });
    }
    const [grid, block] = [formatSizes(args.grid), formatSizes(args.block)];
    if (grid) rows.push({ label: 'Grid', text: grid });
    if (block) rows.push({ label: 'Block', text: block });
    const registers = numberOf(args['registers per thread']);
    if (registers !== null) rows.push({ label: 'Registers', text: `${int(registers)} per thread` });
    const shared = numberOf(args['shared memory']);
    if (shared !== null)
        rows.push({ label: 'Shared memory', text: `${int(shared)}${THIN_SPACE}B` });
    const occupancy = numberOf(args['est. achieved occupancy %']);
    if (occupancy !== null) {
        const tip = 'occupancy estimated by the profiler, in percent of the warps of an SM';
        rows.push({
            label: 'Occupancy',
            text: `${formatFixed(occupancy, 0)}${THIN_SPACE}% est.`,
            tip,
        });
    }
    const blocks = numberOf(args['blocks per SM']);
    if (blocks !== null) rows.push({ label: 'Blocks per SM', text: formatFixed(blocks, 2) });
    const moved = numberOf(args.bytes);
    if (moved !== null)
        rows.push({ label: 'Bytes', text: bytesText(moved), tip: `${int(moved)} B` });
    const rate = numberOf(args['memory bandwidth (GB/s)']);
    if (rate !== null)
        rows.push({ label: 'Bandwidth', text: `${formatFixed(rate, 2)}${THIN_SPACE}GB/s` });
    return rows;
}

function workRows({ slice, kernels_ns }: SliceAnswer): PaneValue[] {
    const rows: PaneValue[] = [];
    /* Python frames and runtime calls are not in torch's sums */
    const deviceNs = slice.device_total_ns || kernels_ns;
    if (deviceNs > 0) {
        rows.push({
            label: 'Device time',
            text: axisText(deviceNs),
            tip: 'of what it and what it called launched',
        });
    }
    if (slice.cpu_bytes)
        rows.push({ label: 'CPU memory', text: formatSignedBytes(slice.cpu_bytes) });
    if (slice.device_bytes)
        rows.push({ label: 'Device memory', text: formatSignedBytes(slice.device_bytes) });
    if (slice.flops > 0) rows.push({ label: 'FLOPs', text: int(slice.flops) });
    return rows;
}

function formatSignedBytes(count: number): string {
    return `${count < 0 ? '−' : '+'}${bytesText(Math.abs(count))}`;
}

const FLAG_LABELS: [number, string][] = [
    [2, 'no end in the file: drawn to the end of the trace'],
    [4, 'overlaps its neighbours: drawn on a separate row'],
    [8, 'started on another thread: not part of the call tree'],
    [16, 'PyTorch counts it together with its parent of the same name'],
    [32, 'torch never lists it'],
    [64, 'communication'],
    [128, 'its name says that it uses Tensor Cores'],
    [512, 'replayed from a graph: its operator was found by the order of the kernels'],
    [1024, 'replayed from a graph: its operator was found by the node of the graph'],
];

export function flagLabels(flags: number): string[] {
    return FLAG_LABELS.flatMap(([bit, label]) => (flags & bit ? [label] : []));
}

export function factRows(answer: SliceAnswer, track: TraceTrack | null): PaneValue[] {
    const device = isDeviceWork(answer.slice.kind);
    return [...timeRows(answer), ...(device ? deviceRows(track, answer.args) : workRows(answer))];
}

/** Rows for the arguments of a slice; for device work, without the arguments in SHOWN_ARGS. */
export function argRows({ slice, args }: SliceAnswer): [string, string][] {
    const device = isDeviceWork(slice.kind);
    return Object.entries(args)
        .filter(([key]) => !device || !SHOWN_ARGS.has(key))
        .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]);
}

/** Label for the slice at the other end of an arrow; torch's own kinds of arrows have special
 * labels. */
export function flowLabel(kind: string, out: boolean): string {
    if (kind === 'fwdbwd') return out ? 'Its backward' : 'Its forward';
    if (kind === 'ac2g') return out ? 'Launched' : 'Launched by';
    return `${kind || 'flow'} ${out ? 'to' : 'from'}`;
}
