/* SPDX-License-Identifier: MIT
 *
 * Operators against the limits of a device: rows, roofs, the log-log scale, and what they say.
 */
import type { Peaks, Roofline, RooflineKernel, RooflineRow } from '../base/answers';
import { bytesText, formatFixed, pct, THIN_SPACE } from '../base/units';
import { shortName } from './timeline_names';
import { ms } from './trace_range';
import { deviceWord } from './device';

/** Operators below this share of the device time are one row and no circle, unless asked for. */
export const SMALL_SHARE = 0.0008;

export type RooflineBy = 'shape' | 'operator' | 'kernel';

/** A row of the table and a circle of the picture. */
export interface RooflineItem {
    key: string;
    name: string;
    family: number;
    /** "15360×4096 · 24576×4096"; '' for several shapes. Of a kernel: its operators. */
    shapes: string;
    calls: number;
    ns: number;
    hasModel: boolean;
    /** why there are no rates; '' if there are */
    remark: '' | 'no model' | 'shared';
    /** of an operator, most time first */
    kernels: readonly RooflineKernel[];
    /** sums over the calls; null: unknown */
    flops: number | null;
    bytes: number | null;
    tflops: number | null;
    gbps: number | null;
    /** FLOP per byte */
    intensity: number | null;
    units: 'matrix' | 'vector' | null;
    type: string;
    peak: number | null;
    limit_ns: number | null;
    bound: 'compute' | 'memory' | null;
    /** of the limit */
    percent: number | null;
}

/** "15360×4096 · 24576×4096" of the dims of the inputs; scalars are left out. */
export function shapesText(shapes: string | null): string {
    if (!shapes) return '';
    let dims: unknown;
    try {
        dims = JSON.parse(shapes);
    } catch {
        return shapes;
    }
    if (!Array.isArray(dims)) return shapes;
    return dims
        .filter((one): one is unknown[] => Array.isArray(one) && one.length > 0)
        .map((one) => (one.every((n) => typeof n === 'number') ? one.join('×') : 'list'))
        .join(' · ');
}

const known = (value: number | null | undefined): number | null => value ?? null;

function itemOf(row: RooflineRow, index: number): RooflineItem {
    const { calls, device_ns: ns } = row;
    const times = (value: number | null | undefined): number | null =>
        value === null || value === undefined ? null : value * calls;
    return {
        key: `${row.name_id}-${index}`,
        name: row.name,
        family: row.family,
        shapes: shapesText(row.shapes),
        calls,
        ns,
        hasModel: row.has_model,
        remark: row.has_model ? '' : 'no model',
        kernels: row.kernels,
        flops: times(row.flops),
        bytes: times(row.bytes),
        tflops: known(row.tflops),
        gbps: known(row.gbps),
        intensity: known(row.intensity),
        units: row.units ?? null,
        type: row.type ?? '',
        peak: known(row.peak_tflops),
        limit_ns: known(row.limit_ns),
        bound: row.bound ?? null,
        percent: known(row.percent),
    };
}

const plus = (a: number | null, b: number | null): number | null =>
    a === null || b === null ? null : a + b;

function mergeKernels(items: readonly RooflineItem[]): RooflineKernel[] {
    const byName = new Map<number, RooflineKernel>();
    for (const kernel of items.flatMap((item) => item.kernels)) {
        const { count = 0, device_ns = 0 } = byName.get(kernel.name_id) ?? {};
        byName.set(kernel.name_id, {
            ...kernel,
            count: kernel.count + count,
            device_ns: kernel.device_ns + device_ns,
        });
    }
    return [...byName.values()].sort((a, b) => b.device_ns - a.device_ns);
}

/** The calls of several rows of one operator, at least one. The limit is the sum of theirs. */
export function mergeItems(items: readonly RooflineItem[]): RooflineItem {
    const [first] = items;
    const all = items.reduce((sum, item) => ({
        ...sum,
        calls: sum.calls + item.calls,
        ns: sum.ns + item.ns,
        hasModel: sum.hasModel && item.hasModel,
        flops: plus(sum.flops, item.flops),
        bytes: plus(sum.bytes, item.bytes),
        limit_ns: plus(sum.limit_ns, item.limit_ns),
        bound: sum.bound === item.bound ? sum.bound : null,
    }));
    const { flops, bytes, ns, limit_ns } = all;
    return {
        ...all,
        key: first.name,
        kernels: mergeKernels(items),
        shapes: items.length > 1 ? '' : first.shapes,
        tflops: flops === null || ns === 0 ? null : flops / ns / 1e3,
        gbps: bytes === null || ns === 0 ? null : bytes / ns,
        intensity: flops === null || !bytes ? null : flops / bytes,
        percent: limit_ns === null || ns === 0 ? null : (100 * limit_ns) / ns,
    };
}

const NO_WORK = {
    hasModel: false,
    flops: null,
    bytes: null,
    tflops: null,
    gbps: null,
    intensity: null,
    units: null,
    type: '',
    peak: null,
    limit_ns: null,
    bound: null,
    percent: null,
} as const;

/** The kernels of a row. If each call of the operator launches exactly one kernel, this kernel does
 * the operations and moves the bytes of the call. mergeItems computes the rates from them. */
function kernelItems(row: RooflineRow, index: number): RooflineItem[] {
    const item = itemOf(row, index);
    const works = row.kernels.reduce((sum, { count }) => sum + count, 0);
    const isAlone = works === row.calls && !row.kernels_omitted;
    return row.kernels.map(({ name, name_id, count, device_ns }) => {
        const of = { name, shapes: row.name, kernels: [], calls: count, ns: device_ns };
        const remark = !row.has_model ? 'no model' : isAlone ? '' : 'shared';
        if (remark) return { ...item, ...NO_WORK, ...of, key: `${name_id} ${remark}`, remark };
        const part = (sum: number | null): number | null =>
            sum === null ? null : (sum * count) / row.calls;
        const { flops, bytes, limit_ns } = item;
        return {
            ...item,
            ...of,
            key: `${name_id} ${row.units} ${row.type}`,
            flops: part(flops),
            bytes: part(bytes),
            limit_ns: part(limit_ns),
        };
    });
}

const MAX_OPERATORS = 3;

/** The names of the operators, without repeats. */
function operatorsText(items: readonly RooflineItem[]): string {
    const names = [...new Set(items.map(({ shapes }) => shapes))];
    const more = names.length - MAX_OPERATORS;
    return names.slice(0, MAX_OPERATORS).join(' · ') + (more > 0 ? ` and ${more} more` : '');
}

function itemsByKernel(rows: readonly RooflineRow[]): RooflineItem[] {
    const byKey = new Map<string, RooflineItem[]>();
    for (const item of rows.flatMap(kernelItems))
        byKey.set(item.key, [...(byKey.get(item.key) ?? []), item]);
    return [...byKey]
        .map(([key, items]) => ({ ...mergeItems(items), key, shapes: operatorsText(items) }))
        .sort((a, b) => b.ns - a.ns);
}

export function rooflineItems({ rows }: Roofline, by: RooflineBy): RooflineItem[] {
    if (by === 'kernel') return itemsByKernel(rows);
    const items = rows.map(itemOf);
    if (by === 'shape') return items;
    const byName = new Map<string, RooflineItem[]>();
    for (const item of items) byName.set(item.name, [...(byName.get(item.name) ?? []), item]);
    return [...byName.values()].map(mergeItems).sort((a, b) => b.ns - a.ns);
}

/** A level line of the picture. */
export interface Roof {
    units: 'matrix' | 'vector';
    type: string;
    tflops: number;
    /** whether most time is set against it */
    isMain: boolean;
}

/** The roofs that the circles use, the one with most time first. */
export function roofsOf(items: readonly RooflineItem[], peaks: Peaks | null): Roof[] {
    if (!peaks) return [];
    const time = new Map<string, { roof: Roof; ns: number }>();
    for (const { units, type, peak, ns } of items) {
        if (!units || peak === null) continue;
        const key = `${units} ${peak}`;
        const found = time.get(key);
        if (found) found.ns += ns;
        else time.set(key, { roof: { units, type, tflops: peak, isMain: false }, ns });
    }
    return [...time.values()]
        .sort((a, b) => b.ns - a.ns)
        .map(({ roof }, i) => ({ ...roof, isMain: i === 0 }));
}

/** Whole powers of ten around the values, at least one decade. */
export function decades(values: readonly number[]): { from: number; to: number } {
    const positive = values.filter((value) => value > 0 && Number.isFinite(value));
    if (positive.length === 0) return { from: 0, to: 1 };
    const from = Math.floor(Math.log10(Math.min(...positive)));
    const to = Math.ceil(Math.log10(Math.max(...positive)) + 1e-9);
    return { from, to: Math.max(to, from + 1) };
}

/** Names of kernels can be longer than a line. */
const MAX_NAME = 60;
export const lineName = (name: string): string => (name.length > MAX_NAME ? shortName(name) : name);

const percent = (share: number): string => `${pct(100 * share)}${THIN_SPACE}%`;
const time = (ns: number): string => `${ms(ns)}${THIN_SPACE}ms`;

/** What the picture says, in a sentence with its number and one with what follows. */
export function rooflineSays(
    answer: Roofline,
    items: readonly RooflineItem[],
): [first: string, second: string] {
    const { device_ns, modelled_ns, limited_ns, limit_ns, mfu, mbu } = answer;
    if (device_ns === 0) return ['No device work was recorded.', ''];
    if (modelled_ns === 0)
        return [
            'No operator has shapes from which its work follows.',
            'Record them with record_shapes=True.',
        ];
    const share = `${percent(modelled_ns / device_ns)} of the ${deviceWord()} time has a model.`;
    if (answer.peaks && (limit_ns === null || limited_ns === 0))
        return [
            'The limit of no operator with a model is known.',
            `${share} The peaks of its numbers are missing.`,
        ];
    if (limit_ns === null || limited_ns === 0)
        return [
            `The peaks of ${answer.device || 'this device'} are not known, so there are rates and no percentages.`,
            `${share} Type its peaks to see how near the operators are.`,
        ];
    const gains = items
        .filter((item) => item.limit_ns !== null)
        .map((item) => ({ item, gain: item.ns - (item.limit_ns ?? 0) }))
        .sort((a, b) => b.gain - a.gain);
    const [top] = gains;
    const utilisation =
        mfu === null || mbu === null ? '' : ` MFU ${percent(mfu)}, MBU ${percent(mbu)}.`;
    return [
        `At their limits, the operators with a model would take ${time(limit_ns)} instead of ${time(limited_ns)}.`,
        `${top && top.gain > 0 ? `The most above its limit is ${lineName(top.item.name)}: ${time(top.gain)}. ` : ''}${share}${utilisation}`,
    ];
}

/** "3,092 GFLOP", with a unit that fits. */
export function flopText(flops: number): string {
    const units: [number, string][] = [
        [1e15, 'PFLOP'],
        [1e12, 'TFLOP'],
        [1e9, 'GFLOP'],
        [1e6, 'MFLOP'],
        [1e3, 'kFLOP'],
    ];
    const [size, unit] = units.find(([least]) => flops >= least) ?? [1, 'FLOP'];
    const value = flops / size;
    return `${formatFixed(value, value >= 100 || size === 1 ? 0 : value >= 10 ? 1 : 2)}${THIN_SPACE}${unit}`;
}

export const movedText = (bytes: number): string => bytesText(Math.round(bytes));

/** TFLOP/s or GB/s with three digits. */
export function rateText(value: number): string {
    return formatFixed(value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.01 ? 2 : 4);
}
