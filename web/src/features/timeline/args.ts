/* SPDX-License-Identifier: MIT
 *
 * Arguments of a slice as rows: known arguments with labels and units, the others as in the file.
 */
import { axisText, isTimeAxis } from '../../base/axis';
import { bytesText, formatFixed, int, pct, THIN_SPACE } from '../../base/units';
import { acceleratorName } from '../../model/device';
import { isDeviceWork, type SliceAnswer, type TraceTrack } from '../../model/timeline_types';

export interface FactRow {
    key: string;
    value: string;
    strong?: boolean;
    tip?: string;
}

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

function timeRows({ slice }: SliceAnswer): FactRow[] {
    const rows: FactRow[] = [
        {
            key: 'Start',
            value: timesText(slice.start_ns),
            tip: isTimeAxis() ? `${int(slice.start_ns)} ns since the first event` : undefined,
        },
    ];
    if (slice.flags & 1) return [...rows, { key: 'Duration', value: 'a point in time' }];
    const duration = axisText(slice.duration_ns);
    rows.push({
        key: 'Duration',
        value: duration,
        strong: true,
        tip: isTimeAxis() ? `${int(slice.duration_ns)} ns` : undefined,
    });
    if (!isDeviceWork(slice.kind) && slice.self_ns !== slice.duration_ns && !(slice.flags & 8)) {
        const share = slice.duration_ns > 0 ? (slice.self_ns / slice.duration_ns) * 100 : 0;
        const value = `${axisText(slice.self_ns)} · ${pct(share)}${THIN_SPACE}%`;
        rows.push({ key: 'Self', value, tip: 'without callees; percent of its duration' });
    }
    return rows;
}

function deviceRows(track: TraceTrack | null, args: Args): FactRow[] {
    const rows: FactRow[] = [];
    const stream = numberOf(args.stream) ?? (track && track.stream >= 0 ? track.stream : null);
    const device = numberOf(args.device) ?? (track && track.device >= 0 ? track.device : null);
    if (stream !== null && device !== null) {
        rows.push({ key: 'Stream, device', value: `${stream}, ${acceleratorName(device)}` });
    }
    const [grid, block] = [formatSizes(args.grid), formatSizes(args.block)];
    if (grid) rows.push({ key: 'Grid', value: grid });
    if (block) rows.push({ key: 'Block', value: block });
    const registers = numberOf(args['registers per thread']);
    if (registers !== null) rows.push({ key: 'Registers', value: `${int(registers)} per thread` });
    const shared = numberOf(args['shared memory']);
    if (shared !== null) rows.push({ key: 'Shared memory', value: `${int(shared)}${THIN_SPACE}B` });
    const occupancy = numberOf(args['est. achieved occupancy %']);
    if (occupancy !== null) {
        const tip = 'occupancy estimated by the profiler, in percent of the warps of an SM';
        rows.push({
            key: 'Occupancy',
            value: `${formatFixed(occupancy, 0)}${THIN_SPACE}% est.`,
            tip,
        });
    }
    const blocks = numberOf(args['blocks per SM']);
    if (blocks !== null) rows.push({ key: 'Blocks per SM', value: formatFixed(blocks, 2) });
    const moved = numberOf(args.bytes);
    if (moved !== null)
        rows.push({ key: 'Bytes', value: bytesText(moved), tip: `${int(moved)} B` });
    const rate = numberOf(args['memory bandwidth (GB/s)']);
    if (rate !== null)
        rows.push({ key: 'Bandwidth', value: `${formatFixed(rate, 2)}${THIN_SPACE}GB/s` });
    return rows;
}

function workRows({ slice, kernels_ns }: SliceAnswer): FactRow[] {
    const rows: FactRow[] = [];
    /* Python frames and runtime calls are not in torch's sums */
    const deviceNs = slice.device_total_ns || kernels_ns;
    if (deviceNs > 0) {
        const value = axisText(deviceNs);
        rows.push({ key: 'Device time', value, tip: 'of what it and what it called launched' });
    }
    if (slice.cpu_bytes)
        rows.push({ key: 'CPU memory', value: formatSignedBytes(slice.cpu_bytes) });
    if (slice.device_bytes)
        rows.push({ key: 'Device memory', value: formatSignedBytes(slice.device_bytes) });
    if (slice.flops > 0) rows.push({ key: 'FLOPs', value: int(slice.flops) });
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
];

export function flagLabels(flags: number): string[] {
    return FLAG_LABELS.flatMap(([bit, label]) => (flags & bit ? [label] : []));
}

export function factRows(answer: SliceAnswer, track: TraceTrack | null): FactRow[] {
    const device = isDeviceWork(answer.slice.kind);
    return [...timeRows(answer), ...(device ? deviceRows(track, answer.args) : workRows(answer))];
}

/** Rows for the arguments of a slice; for device work, without the arguments in SHOWN_ARGS. */
export function argRows({ slice, args }: SliceAnswer): FactRow[] {
    const device = isDeviceWork(slice.kind);
    return Object.entries(args)
        .filter(([key]) => !device || !SHOWN_ARGS.has(key))
        .map(([key, value]) => ({
            key,
            value: typeof value === 'string' ? value : JSON.stringify(value),
        }));
}

/** Label for the slice at the other end of an arrow; torch's own kinds of arrows have special
 * labels. */
export function flowLabel(kind: string, out: boolean): string {
    if (kind === 'fwdbwd') return out ? 'Its backward' : 'Its forward';
    if (kind === 'ac2g') return out ? 'Launched' : 'Launched by';
    return `${kind || 'flow'} ${out ? 'to' : 'from'}`;
}
