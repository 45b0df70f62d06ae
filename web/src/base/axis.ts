/* SPDX-License-Identifier: MIT
 *
 * Unit of the horizontal axis of the run on the page. Traces and most stack profiles count
 * nanoseconds. Other stack profiles count samples or bytes. If the file has fractions, the counts
 * are multiplied by a scale.
 */
import {
    formatBytes,
    formatSeconds,
    formatValueIn,
    formatFixed,
    int,
    text,
    type FormattedValue,
} from './units';

export interface AxisUnit {
    /** 's': axis values are in ns; 'B': bytes; otherwise the name of the unit, possibly empty */
    unit: string;
    /** axis values per unit */
    scale: number;
    /** total of a stack profile in axis values; decides the unit of time columns */
    whole?: number;
}

/** ns; if the total is at least this, columns of times are in seconds, otherwise in milliseconds */
const LONG_NS = 10e9;

export const TIME_AXIS: AxisUnit = { unit: 's', scale: 1 };

let shownAxis = TIME_AXIS;

/** Sets the axis of the run on the page. Call it before anything of the run is drawn. */
export function showAxis(axis: AxisUnit): void {
    shownAxis = axis;
}

export function axisUnit(): AxisUnit {
    return shownAxis;
}

export function isTimeAxis(): boolean {
    return shownAxis.unit === 's';
}

/** Formats a length on the axis with its unit: `1.204 ms`, `12 samples`, `1.20 MiB`. */
export function formatAxisValue(value: number): FormattedValue {
    if (shownAxis.unit === 's') return formatSeconds(value / 1e9);
    const counted = value / shownAxis.scale;
    if (shownAxis.unit === 'B') return formatBytes(counted);
    if (Number.isInteger(counted)) {
        const isSingular = counted === 1 && shownAxis.unit.endsWith('s');
        return {
            value: int(counted),
            unit: isSingular ? shownAxis.unit.slice(0, -1) : shownAxis.unit,
        };
    }
    return formatValueIn(counted, shownAxis.unit);
}

export function axisText(value: number): string {
    return text(formatAxisValue(value));
}

function isLong(): boolean {
    return (shownAxis.whole ?? 0) >= LONG_NS;
}

/** Formats a length without its unit, for a column whose header shows the unit (axisCellUnit). */
export function axisCell(value: number): string {
    if (shownAxis.unit === 's') return formatFixed(value / (isLong() ? 1e9 : 1e6), 3);
    if (shownAxis.unit === 'B') return formatFixed(value / shownAxis.scale / 1048576, 3);
    return formatFixed(value / shownAxis.scale, shownAxis.scale === 1 ? 0 : 3);
}

export function axisCellUnit(): string {
    if (shownAxis.unit === 's') return isLong() ? 's' : 'ms';
    return shownAxis.unit === 'B' ? 'MiB' : shownAxis.unit;
}
