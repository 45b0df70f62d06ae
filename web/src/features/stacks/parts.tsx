/* SPDX-License-Identifier: MIT */
/* Parts that the tabs of stack profiles share: the parameters of requests, the switch between functions and
 * lines, and the field for the sample period. */
import type { FlameAnswer, Origin, Run } from '../../base/answers';
import type { Params } from '../../base/client';
import { replaceQuery, route } from '../../base/router';
import { NumberField } from '../../components/number_field';
import { ORIGIN_LABELS, ORIGINS } from '../../model/tint';
import type { Flame } from '../../model/tree_answers';
import { stackMode } from '../shared/mode_switch';
import { usePart } from '../shared/use_json';
import { DEFAULT_PERIOD_MS, rangedPath, samplePeriod, useRange } from '../trace/data';
import { sampleParams, typesOf } from './sample_types';

/** Keys of the URL that name frames. */
export const FRAME_KEYS = [
    'flame_zoom',
    'flame_frame',
    'sandwich_zoom',
    'sandwich_frame',
    'sandwich_name',
    'fn',
];

/** Parameters of every request for stacks: the sample type and labels, the threads, the transforms,
 * what is one frame. */
export function stackParams(run: Run): Params {
    const { threads, track, tf } = route.value.query;
    return { ...sampleParams(run), threads: threads ?? track, tf, mode: modeParam() };
}

/** The same as parts of a URL of another tab. */
export function stackQuery(): Record<string, string> {
    const { threads, track, tf, color, sample_type, labels, sign } = route.value.query;
    const all = {
        ...{ sample_type, labels, sign, threads: threads ?? track, tf, color },
        mode: modeParam(),
    };
    return Object.fromEntries(
        Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
}

/* The parameter of requests; undefined for the default. */
function modeParam(): 'line' | undefined {
    return stackMode() === 'line' ? 'line' : undefined;
}

export const ORIGIN_TIPS: Record<Origin, string> = {
    own: 'files that are neither installed nor of the standard library',
    'third-party': 'installed packages',
    stdlib: 'modules of the standard library',
    builtin: 'C, C++, Rust and built-in functions',
    unknown: 'the name of the frame does not say',
};

/** Suffix of a tooltip: where the code of a frame is from; empty if the name does not say. */
export function originSuffix({ frame, frames }: Flame, node: number): string {
    const origin = ORIGINS[frames.origin?.[frame[node]] ?? ORIGINS.length] ?? 'unknown';
    return origin === 'unknown' ? '' : `, ${ORIGIN_LABELS[origin]}`;
}

/** The sums of the selected stacks, for tabs without a flame graph of all of them. */
export function useStackSums(run: Run): FlameAnswer | undefined {
    /* the sums are of all stacks, however few nodes are asked for */
    const path = rangedPath(run, 'stack_flame', useRange(), { ...stackParams(run), limit: 1 });
    const answer = usePart<FlameAnswer>(path);
    /* sums of another sample type have another unit */
    const isOld = answer.path !== path && typesOf(run) !== null;
    return (!isOld && answer.data) || undefined;
}

/** Says what the weights are of stacks that a run has beside its other data. */
export function WeightHint({ run }: { run: Run }) {
    if (!run.summary.byte_stacks) return null;
    return (
        <span
            class="soft"
            title="Each time that the process has grown by Scalene's sampling window (1 MiB unless it was set), the stack that allocates gets all of this growth. What was freed before is absent; what was freed later is not subtracted."
        >
            growth of memory, by the stack that allocates
        </span>
    );
}

export function PeriodField({ run }: { run: Run }) {
    const period = samplePeriod(run);
    if (period === null) return null;
    return (
        <NumberField
            label="a sample ≈"
            unit="ms"
            value={period}
            width={64}
            tip="the file has no sampling rate; 10 ms (100 samples per second) is assumed"
            onChange={(value) =>
                replaceQuery({
                    period: value === null || value === DEFAULT_PERIOD_MS ? null : String(value),
                })
            }
        />
    );
}
