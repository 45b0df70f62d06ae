/* SPDX-License-Identifier: MIT */
/* Latency against throughput over the loads of serving runs: a curve for each group of a comparison. */
import type { ServingSweep, SweepLoad } from '../base/answers';
import type { Side } from './request_pairs';
import { THROUGHPUTS, variedParameters } from './requests';

/** A load: what was served in a second, and how long it took. */
export interface LoadPoint {
    side: Side;
    run: string;
    result: number;
    throughput: number;
    latency: number;
    /** what the loads differ in: 'request rate 4' */
    label: string;
}

const LATENCIES = [
    'time to first token, p99',
    'time to first token',
    'end-to-end latency, p99',
    'end-to-end latency',
    'time per output token, p99',
    'time per output token',
    'inter-token latency, p99',
    'inter-token latency',
];

const loadsOf = ({ runs }: ServingSweep): SweepLoad[] => runs.flatMap(({ loads }) => loads);

const metricOf = ({ metrics }: SweepLoad, name: string): number | null =>
    metrics.find((one) => one.metric === name)?.value ?? null;

/** The names that all loads of both groups have, in the order of `names`. */
function namesOf(sweep: ServingSweep, names: readonly string[]): string[] {
    const loads = loadsOf(sweep);
    return names.filter((name) => loads.every((load) => metricOf(load, name) !== null));
}

export const latenciesOf = (sweep: ServingSweep): string[] => namesOf(sweep, LATENCIES);

/** The throughput on the horizontal axis; null: the loads have none in common. */
export const throughputOf = (sweep: ServingSweep): string | null =>
    namesOf(sweep, THROUGHPUTS).at(0) ?? null;

export const throughputUnit = (name: string): string =>
    name.startsWith('request') ? 'requests/s' : 'tokens/s';

/** The parameters in which the loads differ, those that say the load first. */
function variedKeys(loads: readonly SweepLoad[]): string[] {
    const varied = variedParameters(loads);
    const load = varied.filter((key) => /rate|concurrency/.test(key));
    return load.length ? load : varied.slice(0, 1);
}

function labelOf(load: SweepLoad, keys: readonly string[]): string {
    return keys
        .filter((key) => load.parameters[key] !== undefined && load.parameters[key] !== null)
        .map((key) => `${key.replace(/_/g, ' ')} ${String(load.parameters[key])}`)
        .join(', ');
}

/** The loads as points, in the order of their throughput; those without a value are left out. */
export function loadPoints(sweep: ServingSweep, throughput: string, latency: string): LoadPoint[] {
    const keys = variedKeys(loadsOf(sweep));
    return sweep.runs
        .flatMap(({ run, group, loads }) =>
            loads.flatMap((load): LoadPoint[] => {
                const [x, y] = [metricOf(load, throughput), metricOf(load, latency)];
                return x === null || y === null
                    ? []
                    : [
                          {
                              side: group,
                              run,
                              result: load.result,
                              throughput: x,
                              latency: y,
                              label: labelOf(load, keys),
                          },
                      ];
            }),
        )
        .sort((a, b) => a.throughput - b.throughput);
}
