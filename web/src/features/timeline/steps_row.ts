/* SPDX-License-Identifier: MIT
 *
 * The row of steps below the ruler: name and time of each step, its difference to the mean, and a
 * band with the part of a step that counts at each moment. The row does not scroll.
 */
import type { PartsAnswer } from '../../base/answers';
import { axisText } from '../../base/axis';
import type { TraceStepRow } from '../../base/rows';
import { formatSeconds, signed, THIN_SPACE } from '../../base/units';
import { FAMILIES } from '../../model/family';
import { partText } from '../../model/breakdown';
import { RULER_END, STEPS, type Surface, type TimelineScene, xOf } from './scene';

const BAND_HEIGHT = 6;
const TEXT_Y = RULER_END + 15;
const PADDING = 6;
const GAP = 8;

/** The parts of a time window: the fill of each pixel. */
export interface PartBand {
    from: number;
    to: number;
    nsPerPx: number;
    /** the parts in runs of equal pixels: where each begins, in px, and its fill */
    starts: Uint32Array;
    fills: Uint8Array;
}

const fillOfPart = (name: string): number => {
    const { family } = partText(name);
    return Math.max(
        0,
        FAMILIES.findIndex(({ key }) => key === family),
    );
};

export function partBand({ from_ns, to_ns, px, names, part, len }: PartsAnswer): PartBand {
    const fills = names.map(fillOfPart);
    const starts = new Uint32Array(len.length);
    for (let i = 1; i < len.length; i++) starts[i] = starts[i - 1] + len[i - 1];
    return {
        from: from_ns,
        to: to_ns,
        nsPerPx: (to_ns - from_ns) / px,
        starts,
        fills: Uint8Array.from(part, (index) => fills[index]),
    };
}

/** Steps of the first worker that has some, by time. The rows of several workers would overlap. */
export function stepsOfFirstWorker(steps: readonly TraceStepRow[]): TraceStepRow[] {
    return steps.filter(({ worker }) => worker === steps[0].worker);
}

/** `Step 6` for `ProfilerStep#6`; other names as they are. */
export function stepName(name: string): string {
    const match = /^ProfilerStep#(\d+)$/.exec(name);
    return match ? `Step ${match[1]}` : name;
}

/** Index of the last step that starts at or before t; -1 if none does. */
function lastStepAt(steps: readonly TraceStepRow[], t: number): number {
    let [low, high] = [0, steps.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (steps[middle].start_ns <= t) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

/** The step at a time; null if there is none. */
export function stepAt(steps: readonly TraceStepRow[], t: number): TraceStepRow | null {
    const step = steps[lastStepAt(steps, t)];
    return step && t < step.end_ns ? step : null;
}

/** The step after or before the time `at`, which is the start of a selected step or the left edge
 * of the view; null if there is none. */
export function neighbourStep(
    steps: readonly TraceStepRow[],
    at: number,
    forward: boolean,
): TraceStepRow | null {
    if (forward) return steps.find(({ start_ns }) => start_ns > at) ?? null;
    const before = steps.filter(({ start_ns }) => start_ns < at);
    return before[before.length - 1] ?? null;
}

const NS_PER_UNIT: Record<string, number> = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };

/** `+0.364 ms to mean`, in the unit and with the decimals of the duration. */
export function differenceText(ns: number, mean: number): string {
    const { value, unit } = formatSeconds(ns / 1e9);
    const scale = NS_PER_UNIT[unit] ?? 1e9;
    const decimals = value.split('.')[1]?.length ?? 0;
    const difference = signed((ns - mean) / scale, decimals);
    return `${difference}${THIN_SPACE}${unit in NS_PER_UNIT ? unit : 's'} to mean`;
}

/** Draws the bands of a window in runs of equal fill, within [left, right) px. */
export function paintParts(
    { ctx }: Surface,
    { theme }: TimelineScene,
    band: PartBand,
    xOfTime: (t: number) => number,
    { y, height, width }: { y: number; height: number; width: number },
): void {
    const { starts, fills } = band;
    for (let i = 0; i < starts.length; i++) {
        const left = xOfTime(band.from + starts[i] * band.nsPerPx);
        if (left > width) break;
        const isLast = i + 1 === starts.length;
        const right = xOfTime(isLast ? band.to : band.from + starts[i + 1] * band.nsPerPx);
        if (right < 0) continue;
        ctx.fillStyle = theme.fills[fills[i]];
        ctx.fillRect(left, y, right - left, height);
    }
}

export function paintSteps(surface: Surface, scene: TimelineScene): void {
    const { steps, theme, view } = scene;
    if (!steps.length) return;
    const { ctx, width } = surface;
    ctx.fillStyle = theme.bg;
    ctx.fillRect(0, RULER_END, width, STEPS);
    const x = (t: number): number => xOf(scene, width, t);
    for (let i = Math.max(0, lastStepAt(steps, view.from)); i < steps.length; i++) {
        if (steps[i].start_ns > view.to) break;
        paintStep(surface, scene, steps[i], x(steps[i].start_ns), x(steps[i].end_ns));
    }
    const place = { y: RULER_END + STEPS - BAND_HEIGHT - 1, height: BAND_HEIGHT, width };
    if (scene.parts) paintParts(surface, scene, scene.parts, x, place);
    ctx.fillStyle = theme.lineStrong;
    ctx.fillRect(0, RULER_END + STEPS - 1, width, 1);
}

function paintStep(
    surface: Surface,
    { theme, area, meanStep }: TimelineScene,
    step: TraceStepRow,
    x0: number,
    x1: number,
): void {
    const { ctx, width } = surface;
    const height = STEPS - BAND_HEIGHT - 1;
    const isSelected = area?.from === step.start_ns && area.to === step.end_ns;
    const [left, right] = [Math.max(-1, x0), Math.min(width + 1, x1)];
    ctx.fillStyle = isSelected ? theme.selected : theme.panel;
    ctx.fillRect(left, RULER_END, right - left, height);
    if (x0 >= 0) {
        ctx.fillStyle = theme.lineStrong;
        ctx.fillRect(Math.round(x0), RULER_END, 1, height);
    }
    if (right - left < 3 * PADDING) return;
    const duration = step.end_ns - step.start_ns;
    const texts: [text: string, font: string, colour: string][] = [
        [stepName(step.name), theme.fontStrong, theme.text1],
        [axisText(duration), theme.font, theme.text1],
    ];
    if (meanStep !== null)
        texts.push([differenceText(duration, meanStep), theme.font, theme.text2]);
    paintTexts(surface, texts, Math.max(0, left) + PADDING, Math.min(width, right) - PADDING);
}

/* Draws the texts one after the other, as long as each fits completely. */
function paintTexts(
    { ctx }: Surface,
    texts: [text: string, font: string, colour: string][],
    from: number,
    to: number,
): void {
    let x = from;
    ctx.textBaseline = 'alphabetic';
    for (const [text, font, colour] of texts) {
        ctx.font = font;
        const width = ctx.measureText(text).width;
        if (x + width > to) return;
        ctx.fillStyle = colour;
        ctx.fillText(text, x, TEXT_Y);
        x += width + GAP;
    }
}
