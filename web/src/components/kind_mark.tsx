/* SPDX-License-Identifier: MIT */
import { kindOf } from '../base/kinds';

/** Marks have at most six letters, so that all marks of a column have the same width. */
export function KindMark({ kind, long = false }: { kind: string; long?: boolean }) {
    const label = long ? kind : kindOf(kind).mark;
    return (
        <span class={`kind-mark${long ? ' is-long' : ''}`} title={kind}>
            {label}
        </span>
    );
}
