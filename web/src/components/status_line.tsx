/* SPDX-License-Identifier: MIT
 *
 * The last line of the window: the ledger on the left, a note in the middle, keys or the source on
 * the right. The current view sets it.
 */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

interface Status {
    left: ComponentChildren;
    middle: ComponentChildren;
    right: ComponentChildren;
}

const status = signal<Status>({ left: null, middle: null, right: null });

/** Call from an effect, not while rendering. Undefined keeps the current content. */
export function setStatus(
    left?: ComponentChildren,
    middle?: ComponentChildren,
    right?: ComponentChildren,
): void {
    const now = status.peek();
    status.value = {
        left: left === undefined ? now.left : left,
        middle: middle === undefined ? now.middle : middle,
        right: right === undefined ? now.right : right,
    };
}

export function StatusLine() {
    const { left, middle, right } = status.value;
    return (
        <footer class="status-line">
            <span class="status-left">{left}</span>
            {middle && <span class="status-dot">·</span>}
            <span class="status-middle">{middle}</span>
            <span class="status-right">{right}</span>
        </footer>
    );
}
