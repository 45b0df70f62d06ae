/* SPDX-License-Identifier: MIT */
import { fmtFixed } from '../../base/units';

/** Seconds with pstats' three decimals; a value printed as zero is grey, null is a dash. */
export function Seconds({ value }: { value: number | null }) {
    if (value === null) return <span class="zero">–</span>;
    const text = fmtFixed(value, 3);
    return /[1-9]/.test(text) ? <>{text}</> : <span class="zero">{text}</span>;
}
