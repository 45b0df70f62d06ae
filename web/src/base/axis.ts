/* SPDX-License-Identifier: MIT
 *
 * Unit of the horizontal axis of the run on the page. Traces and most stack profiles count
 * nanoseconds. Other stack profiles count samples or bytes, multiplied by a scale if the file has
 * fractions.
 */
import { formatBytes, fig, formatValueIn, fmtFixed, int, text, type FormattedValue } from './units';

export interface AxisUnit {
    /** 's': axis values are in ns; 'B': bytes; otherwise the name of the unit, possibly empty */
    unit: string;
    /** axis values per unit */
    scale: number;
    /** total of a run of stacks, in axis values; decides which unit its columns use */
    whole?: number;
}

/** ns; from this total on, columns of times are in seconds */
const LONG = 10e9;

export const TIME_AXIS: AxisUnit = { unit: 's', scale: 1 };

let shown = TIME_AXIS;

/** Sets the axis of the run on the page. Called before anything of the run is drawn. */
export function showAxis(axis: AxisUnit): void {
    shown = axis;
}

export function axisUnit(): AxisUnit {
    return shown;
}

export function isTimeAxis(): boolean {
    return shown.unit === 's';
}

/** Formats a length on the axis with its unit: `1.204 ms`, `12 samples`, `1.20 MiB`. */
export function formatAxisValue(value: number): FormattedValue {
    if (shown.unit === 's') return fig(value / 1e9);
    const counted = value / shown.scale;
    if (shown.unit === 'B') return formatBytes(counted);
    if (Number.isInteger(counted)) {
        const one = counted === 1 && shown.unit.endsWith('s');
        return { value: int(counted), unit: one ? shown.unit.slice(0, -1) : shown.unit };
    }
    return formatValueIn(counted, shown.unit);
}

export function axisText(value: number): string {
    return text(formatAxisValue(value));
}

function isLong(): boolean {
    return (shown.whole ?? 0) >= LONG;
}

/** Formats a length without its unit, for a column whose header shows the unit (axisCellUnit). */
export function axisCell(value: number): string {
    if (shown.unit === 's') return fmtFixed(value / (isLong() ? 1e9 : 1e6), 3);
    if (shown.unit === 'B') return fmtFixed(value / 1048576, 3);
    return fmtFixed(value / shown.scale, shown.scale === 1 ? 0 : 3);
}

export function axisCellUnit(): string {
    if (shown.unit === 's') return isLong() ? 's' : 'ms';
    return shown.unit === 'B' ? 'MiB' : shown.unit;
}
