/* SPDX-License-Identifier: MIT
 *
 * Cells of the source grid.
 */
import type { ComponentChildren } from 'preact';
import { formatFixed, pct, signed } from '../../base/units';

/** A number as text; grey if all its digits are zero. */
export function greyIfZero(text: string): ComponentChildren {
    return /[1-9]/.test(text) ? text : <span class="zero">{text}</span>;
}

/** A share above its bar, in the colour of its heat. */
export function HeatBar({ share, level, text }: { share: number; level: number; text: string }) {
    const width = `${Math.max(0, Math.min(100, share))}%`;
    return (
        <>
            {level > 0 && <span class={`heat-fill is-heat-${level}`} style={{ width }} />}
            <span class={level > 0 ? 'heat-text' : 'heat-text soft'}>{text}</span>
        </>
    );
}

/** A value above a thin line that shows its share of the largest value. */
export function ValueWithBar({ share, text }: { share: number; text: ComponentChildren }) {
    const width = `${Math.max(0, Math.min(1, share)) * 100}%`;
    return (
        <>
            <span class="under-fill" style={{ width }} />
            <span class="heat-text">{text}</span>
        </>
    );
}

/** Growth with its sign; only zero is grey. */
export function Increment({ value, decimals }: { value: number; decimals: number }) {
    const text = formatFixed(Math.abs(value), decimals);
    if (!/[1-9]/.test(text)) return <span class="zero">{text}</span>;
    return <>{signed(value, decimals)}</>;
}

interface CpuProps {
    python: number;
    native: number;
    system: number;
}

/** Python, native and waiting time as one bar, in percent of all samples of the program. */
export function CpuBar({ python, native, system }: CpuProps) {
    const sum = python + native + system;
    if (sum <= 0) return null;
    const part = (share: number, name: string) =>
        share > 0 && <span class={`cpu-${name}`} style={{ width: `${Math.min(100, share)}%` }} />;
    const tip = `Python ${pct(python)} %, native ${pct(native)} %, not running ${pct(system)} % of all samples`;
    return (
        <>
            <span class="cpu-bar" title={tip}>
                {part(python, 'python')}
                {part(native, 'native')}
                {part(system, 'system')}
            </span>
            <span class="heat-text">{greyIfZero(pct(sum))}</span>
        </>
    );
}
