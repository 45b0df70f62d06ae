/* SPDX-License-Identifier: MIT */
/* Numbers of the sentences that the server says. */
import { type FormattedValue, formatFixed, formatValueIn, int } from '../base/units';

/** A number of a sentence. */
export function formatPart(value: number | null, unit: string): FormattedValue {
    if (value === null) return { value: '–', unit: '' };
    if (unit === 'percent') return { value: formatFixed(value, 1), unit: '%' };
    if (unit === 'count') return { value: int(value), unit: '' };
    if (unit === 'samples' && Number.isInteger(value)) return { value: int(value), unit };
    return formatValueIn(value, unit);
}
