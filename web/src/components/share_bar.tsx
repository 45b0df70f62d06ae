/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';

interface ShareBarProps {
    /** 0 to 1 of the column's base. */
    share: number;
    /** 'self' is the strong colour, 'total' the light one. */
    tone: 'self' | 'total';
    children: ComponentChildren;
}

/** A number over its bar. The bar fills the cell from the right edge, where the digits stand. */
export function ShareBar({ share, tone, children }: ShareBarProps) {
    const width = Math.max(0, Math.min(1, share)) * 100;
    return (
        <span class="share-bar">
            <span class={`share-fill is-${tone}`} style={{ width: `${width}%` }} />
            <span class="share-text">{children}</span>
        </span>
    );
}
