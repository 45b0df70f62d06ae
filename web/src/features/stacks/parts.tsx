/* SPDX-License-Identifier: MIT */
/* Parts that the tabs of stack profiles share: the parameters of requests, the switch between functions and
 * lines, the legend, and the field for the sample period. */
import type { Params } from '../../base/client';
import { replaceQuery, route } from '../../base/router';
import type { FlameAnswer } from '../../base/trace_types';
import type { Run } from '../../base/types';
import { pct, THIN_SPACE } from '../../base/units';
import { NumberField } from '../../components/number_field';
import { Swatch } from '../../components/origin_legend';
import { Segmented } from '../../components/segmented';
import { viewportWidth } from '../../components/viewport';
import { type Origin, ORIGINS } from '../../model/tint';
import { useJson } from '../shared/use_json';
import { DEFAULT_PERIOD_MS, rangedPath, samplePeriod, useRange } from '../trace/data';

const CLEARED_SELECTION = { flame_zoom: null, flame_frame: null };
const ZOOMS = { sandwich_zoom: null };

/** Parameters of every request for stacks: the threads, the transforms, what is one frame. */
export function stackParams(): Params {
    const { threads, track, tf } = route.value.query;
    return { threads: threads ?? track, tf, mode: modeParam() };
}

/** The same as parts of a URL of another tab. */
export function stackQuery(): Record<string, string> {
    const { threads, track, tf, color } = route.value.query;
    const all = { threads: threads ?? track, tf, color, mode: modeParam() };
    return Object.fromEntries(
        Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
}

export type StackMode = 'function' | 'line';

/** What is one frame: a function, or a line of one. */
export function stackMode(): StackMode {
    return route.value.query.mode === 'line' ? 'line' : 'function';
}

/* The parameter of requests; undefined for the default. */
function modeParam(): 'line' | undefined {
    return stackMode() === 'line' ? 'line' : undefined;
}

export function ModeSwitch() {
    return (
        <Segmented<StackMode>
            label="a frame is"
            value={stackMode()}
            options={[
                { value: 'function', text: 'Function', tip: 'lines of one function are one frame' },
                { value: 'line', text: 'Line', tip: 'each line of a function is a frame' },
            ]}
            onChange={(mode) =>
                replaceQuery({
                    ...CLEARED_SELECTION,
                    ...ZOOMS,
                    fn: null,
                    mode: mode === 'line' ? mode : null,
                })
            }
        />
    );
}

const ORIGIN_LABELS: Record<Origin, { label: string; tip: string }> = {
    own: { label: 'own', tip: 'files that are neither installed nor of the standard library' },
    'third-party': { label: 'third-party', tip: 'installed packages' },
    stdlib: { label: 'standard library', tip: 'modules of the standard library' },
    builtin: { label: 'native', tip: 'C, C++, Rust and built-in functions' },
    unknown: { label: 'unknown', tip: 'the name of the frame does not say' },
};

/** Suffix of a tooltip: where the code of a frame is from; empty if the name does not say. */
export function originSuffix({ origins, name }: FlameAnswer, node: number): string {
    const origin = ORIGINS[origins?.[name[node]] ?? ORIGINS.length] ?? 'unknown';
    return origin === 'unknown' ? '' : `, ${ORIGIN_LABELS[origin].label}`;
}

/** The sums of the selected stacks, for tabs without a flame graph of all of them. */
export function useStackSums(run: Run): FlameAnswer | undefined {
    /* the sums are of all stacks, however few nodes are asked for */
    const path = rangedPath(run, 'stack_flame', useRange(), { ...stackParams(), limit: 1 });
    return useJson<FlameAnswer>(path).data ?? undefined;
}

interface LegendProps {
    /** self time by origin, in the order of ORIGINS; a share without a base is not shown */
    selfByOrigin?: readonly number[];
}

/** Colours of the frames, each with its share of the self time shown; nothing if all frames have
 * the same colour. */
export function StackLegend({ selfByOrigin }: LegendProps) {
    if (!selfByOrigin) return null;
    const sum = selfByOrigin.reduce((total, self) => total + self, 0);
    const shown = ORIGINS.filter((_, i) => selfByOrigin[i] > 0);
    if (!(sum > 0) || shown.every((origin) => origin === 'unknown')) return null;
    return (
        <span class="soft stack-legend" role="group" aria-label="self time by origin">
            {shown.map((origin) => (
                <span key={origin} title={ORIGIN_LABELS[origin].tip}>
                    <Swatch origin={origin} /> {ORIGIN_LABELS[origin].label}{' '}
                    <b>{`${pct((100 * selfByOrigin[ORIGINS.indexOf(origin)]) / sum)}${THIN_SPACE}%`}</b>
                </span>
            ))}
            <span>of self time</span>
        </span>
    );
}

/** The legend of a tab with a table, in windows that have room for it. */
export function ToolbarLegend({ flame }: { flame: FlameAnswer | undefined }) {
    return viewportWidth.value < 1000 ? null : <StackLegend selfByOrigin={flame?.self_by_origin} />;
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
