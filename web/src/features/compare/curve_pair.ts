/* SPDX-License-Identifier: MIT
 *
 * Curves of memory over time of two runs for one chart, with their peak, mean and value at a time.
 * Times are seconds since the start of each run.
 */
import type { CurvesAnswer } from '../../base/answers';
import { placeKey, placeName } from '../../model/device';
import { nearestSample, type Sample } from '../../model/memory_curve';
import { steppedValueAt } from '../../model/step_curve';
import type { TraceMemory } from '../../model/timeline_types';

export interface NamedCurve {
    name: string;
    /** ascending */
    t_s: number[];
    bytes: number[];
    /** true: each value holds until the next point; false: the points are samples joined by lines */
    isStepped: boolean;
    /** times without samples */
    gaps: { from_s: number; to_s: number }[];
}

const MIB = 1024 * 1024;

interface Sampled {
    start_s: number;
    end_s: number;
    curves: { process: number | null; kind: string; t_s: number[]; mib: number[] }[];
    gaps: { process: number | null; from_s: number; to_s: number }[];
}

/** Curves of mprof and Scalene: the main process, then its children by number. */
export function sampledCurves({ curves, gaps }: Sampled): NamedCurve[] {
    return curves.map(({ process, kind, t_s, mib }) => ({
        name: process !== null ? `child ${process}` : kind === 'rss' ? 'main process' : kind,
        t_s,
        bytes: mib.map((value) => value * MIB),
        isStepped: false,
        gaps: kind === 'rss' ? gaps.filter((gap) => gap.process === process) : [],
    }));
}

interface Categories {
    t_s: number[];
    categories: { name: string; mib: number[] }[];
}

const ALL_CATEGORIES = 'all';

/** Curves of PyTorch's memory timeline: the sum, then each category that is not always 0. */
export function categoryCurves({ t_s, categories }: Categories): NamedCurve[] {
    const sum = t_s.map((_, i) => categories.reduce((all, { mib }) => all + mib[i] * MIB, 0));
    const categoryCurveList = categories
        .filter(({ mib }) => mib.some((value) => value !== 0))
        .map(({ name, mib }) => ({
            name,
            t_s,
            bytes: mib.map((v) => v * MIB),
            isStepped: true,
            gaps: [],
        }));
    return t_s.length
        ? [
              { name: ALL_CATEGORIES, t_s, bytes: sum, isStepped: true, gaps: [] },
              ...categoryCurveList,
          ]
        : [];
}

/** Curves of a trace: allocated bytes of each device, the CPU last. */
export function deviceCurves(
    devices: TraceMemory[],
    { memory }: CurvesAnswer,
    start_ns: number,
): NamedCurve[] {
    const ofDevices = devices.map((device) => ({
        device,
        curve: memory.find((one) => placeKey(one) === placeKey(device)),
    }));
    const several = devices.some(({ worker }) => worker > 0);
    const nameOf = several ? (worker: number): string => `worker ${worker}` : null;
    return ofDevices
        .sort((a, b) => Number(a.device.device_type === 0) - Number(b.device.device_type === 0))
        .flatMap(({ device, curve }) =>
            curve?.t_ns.length
                ? {
                      name: placeName(device, nameOf),
                      t_s: curve.t_ns.map((t) => (t - start_ns) / 1e9),
                      bytes: curve.allocated.map((value) => value ?? 0),
                      isStepped: true,
                      gaps: [],
                  }
                : [],
        );
}

export interface CurveStatistics {
    peak: number;
    /** mean over the time with samples, bytes */
    mean: number;
    /** end of the curve: of a stepped curve the end of the run, else the time of the last sample */
    end_s: number;
}

/** `end_s`: end of the run; a held value lasts until then. */
export function curveStatistics(
    { t_s, bytes, isStepped, gaps }: NamedCurve,
    end_s: number,
): CurveStatistics {
    const last = t_s.length - 1;
    const end = isStepped ? Math.max(end_s, t_s[last]) : t_s[last];
    let [area, peak, duration] = [0, 0, 0];
    for (let i = 0; i <= last; i++) {
        const next = i < last ? t_s[i + 1] : end;
        peak = Math.max(peak, bytes[i]);
        if (gaps.some(({ from_s, to_s }) => from_s >= t_s[i] && to_s <= next)) continue;
        const level = isStepped || i === last ? bytes[i] : (bytes[i] + bytes[i + 1]) / 2;
        area += level * (next - t_s[i]);
        duration += next - t_s[i];
    }
    return { peak, mean: duration > 0 ? area / duration : bytes[last], end_s: end };
}

/** Bytes in use at a time, or the nearest sample of a curve that is not stepped; null if unknown.
 * After the end of the run it is null too. */
export function bytesAt(curve: NamedCurve, end_s: number, at: number): Sample | null {
    const { t_s, bytes, isStepped, gaps } = curve;
    if (at > end_s) return null;
    if (!isStepped) return nearestSample({ t_s, values: bytes, gaps }, at);
    const value = steppedValueAt(t_s, bytes, at);
    return value === null ? null : { t_s: at, value };
}

/** Names of the curves of both runs; first the names that both runs have. */
export function curveNames(base: NamedCurve[], fresh: NamedCurve[]): string[] {
    const [a, b] = [base.map(({ name }) => name), fresh.map(({ name }) => name)];
    const commonNames = a.filter((name) => b.includes(name));
    return [...new Set([...commonNames, ...a, ...b])];
}
