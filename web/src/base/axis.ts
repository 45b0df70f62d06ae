/* SPDX-License-Identifier: MIT
 *
 * What the horizontal axis of the run that is shown counts. Traces and most profiles of stacks count
 * nanoseconds; other stacks count samples or bytes, times a scale where the file has fractions.
 */
import { bytesFig, fig, figIn, fmtFixed, int, text, type Fig } from './units';

export interface AxisUnit {
    /** 's': the axis is in ns; 'B'; else the word for what is counted, possibly empty */
    unit: string;
    /** values of the axis in one of what is counted */
    scale: number;
    /** the whole of a run of stacks, in values of the axis: says which unit its columns take */
    whole?: number;
}

/** ns from which on a column of times is in seconds */
const LONG = 10e9;

export const TIME_AXIS: AxisUnit = { unit: 's', scale: 1 };

let shown = TIME_AXIS;

/** Said once for the run on the page, before any of it is drawn. */
export function showAxis(axis: AxisUnit): void {
    shown = axis;
}

export function axisUnit(): AxisUnit {
    return shown;
}

export function isTimeAxis(): boolean {
    return shown.unit === 's';
}

/** A length of the axis in its own unit: `1.204 ms`, `12 samples`, `1.20 MiB`. */
export function axisFig(value: number): Fig {
    if (shown.unit === 's') return fig(value / 1e9);
    const counted = value / shown.scale;
    if (shown.unit === 'B') return bytesFig(counted);
    if (Number.isInteger(counted)) {
        const one = counted === 1 && shown.unit.endsWith('s');
        return { value: int(counted), unit: one ? shown.unit.slice(0, -1) : shown.unit };
    }
    return figIn(counted, shown.unit);
}

export function axisText(value: number): string {
    return text(axisFig(value));
}

function isLong(): boolean {
    return (shown.whole ?? 0) >= LONG;
}

/** The digits alone, for a column whose head says the unit: ms or s of time, MiB, or what is counted. */
export function axisCell(value: number): string {
    if (shown.unit === 's') return fmtFixed(value / (isLong() ? 1e9 : 1e6), 3);
    if (shown.unit === 'B') return fmtFixed(value / 1048576, 3);
    return fmtFixed(value / shown.scale, shown.scale === 1 ? 0 : 3);
}

export function axisCellUnit(): string {
    if (shown.unit === 's') return isLong() ? 's' : 'ms';
    return shown.unit === 'B' ? 'MiB' : shown.unit;
}
