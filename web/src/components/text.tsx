/* SPDX-License-Identifier: MIT
 *
 * Small formatted elements: a value with its unit, a number of a table column.
 */
import { formatFixed, THIN_SPACE, type FormattedValue } from '../base/units';

/** `1.534 s`: the unit lighter than the value. */
export function FormattedValueText({ value }: { value: FormattedValue }) {
    return (
        <>
            {value.value}
            {value.unit && <span class="unit">{THIN_SPACE + value.unit}</span>}
        </>
    );
}

/** A text whose parts between backquotes are code. */
export function CodeText({ text }: { text: string }) {
    return <>{text.split('`').map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part))}</>;
}

/** A number of a table column: zero is grey, null an en dash. */
export function Num({ value, decimals = 0 }: { value: number | null; decimals?: number }) {
    if (value === null) return <span class="zero">–</span>;
    const text = formatFixed(value, decimals);
    return value === 0 ? <span class="zero">{text}</span> : <>{text}</>;
}
