/* SPDX-License-Identifier: MIT
 *
 * Formatting of measurements: a value and its spread in one unit, and the scale of box plots.
 */
import {
    formatBytes,
    type FormattedValue,
    formatSeconds,
    formatCount,
    formatFixed,
} from '../../base/units';

/* Time units by the size of a value in s. A spread gets the unit of its value: "21.24 ms" and "0.08
 * ms". */
const TIME_UNITS: readonly [below: number, factor: number, unit: string][] = [
    [0.9999995e-6, 1e9, 'ns'],
    [0.9999995e-3, 1e6, 'µs'],
    [0.9999995, 1e3, 'ms'],
    [Infinity, 1, 's'],
];

/** Formats a value with four digits, or fewer if the tool printed fewer. `resolution`: value of the
 * last printed digit. */
export function formatNumber(
    value: number,
    unit: string,
    resolution: number | null = null,
): FormattedValue {
    const shown =
        unit === 's'
            ? formatSeconds(value)
            : unit === 'KiB'
              ? formatBytes(value * 1024)
              : unit === 'B' || unit === 'bytes'
                ? formatBytes(value)
                : formatCount(value, unit);
    const step = TIME_UNITS.find(([, , name]) => name === shown.unit);
    if (!resolution || unit !== 's' || !step) return shown;
    const printed = Math.max(0, Math.round(-Math.log10(resolution * step[1])));
    const decimals = shown.value.split('.')[1]?.length ?? 0;
    return decimals > printed ? { ...shown, value: formatFixed(value * step[1], printed) } : shown;
}

/** Formats a spread in the unit of its value, with only meaningful decimals. */
export function formatSpread(spread: number, value: number, unit: string): FormattedValue {
    if (unit !== 's' || spread === 0) return formatNumber(spread, unit);
    if (Math.abs(value) >= 120) return formatSeconds(spread);
    const step = TIME_UNITS.find(([below]) => Math.abs(value) < below) ?? TIME_UNITS[3];
    const scaled = spread * step[1];
    const decimals = scaled >= 100 ? 1 : scaled >= 1 ? 2 : scaled >= 0.1 ? 3 : 4;
    return { value: formatFixed(scaled, decimals), unit: step[2] };
}

export interface BoxScale {
    from: number;
    to: number;
    log: boolean;
}

const MIN_LOG_RATIO = 30;

/** A linear scale that includes 0, or a logarithmic scale if `greatest` is more than MIN_LOG_RATIO
 * times `least`. */
export function boxScale(least: number | null, greatest: number | null): BoxScale {
    const to = greatest ?? 0;
    if (least !== null && least > 0 && to / least > MIN_LOG_RATIO)
        return { from: least, to, log: true };
    return { from: Math.min(0, least ?? 0), to: to > 0 ? to : 1, log: false };
}

/* Deviations beyond these are drawn at the ends of a relative scale, and smaller ones on a wide one. */
const MAX_REACH = 1;
const MIN_REACH = 0.02;

/** The reach of a relative scale: how far its ends are from the centre, as a share of the centre. */
export function shownReach(reach: number): number {
    return Math.max(MIN_REACH, Math.min(MAX_REACH, reach));
}

/** A linear scale around `centre`, to compare spreads of rows whose values are far apart. */
export function relativeScale(centre: number, reach: number): BoxScale {
    const distance = Math.abs(centre) * shownReach(reach) || 1;
    return { from: centre - distance, to: centre + distance, log: false };
}

/** Position of a value on a scale, from 0 to 1; values outside of the scale are moved to its
 * ends. */
export function boxPosition({ from, to, log }: BoxScale, value: number): number {
    const share = log
        ? Math.log(Math.max(value, from) / from) / Math.log(to / from)
        : (value - from) / (to - from || 1);
    return Math.max(0, Math.min(1, share));
}

/** Linear scale for one row, from `min` to `max` with a margin at both ends. */
export function singleRowScale(min: number, max: number): BoxScale {
    const margin = (max - min || Math.abs(max) || 1) * 0.06;
    return { from: min - margin, to: max + margin, log: false };
}
