/* SPDX-License-Identifier: MIT */
/* A tooltip as data: what a place of a picture is called, and its values. */
import { pct, THIN_SPACE } from '../base/units';

/** Values have their units. */
export interface TipRow {
    label: string;
    value: string;
    /** what the value is a share of, or where it is from */
    share?: string;
}

export interface TipData {
    title: string;
    /** file and line */
    place?: string;
    rows: readonly TipRow[];
    /** lines below the rows */
    foot?: readonly string[];
}

/** `12.3 % of live`; a dash if there is nothing that it could be a share of. */
export function shareText(part: number, whole: number, of = ''): string {
    const share = whole > 0 ? `${pct((100 * part) / whole)}${THIN_SPACE}%` : '–';
    return of ? `${share} ${of}` : share;
}
