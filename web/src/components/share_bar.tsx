/* SPDX-License-Identifier: MIT */
import type { ComponentChildren } from 'preact';

interface ShareBarProps {
    /** Share of the column's base, 0 to 1. */
    share: number;
    /** 'self' is the strong colour, 'total' the light one. */
    tone: 'self' | 'total';
    children: ComponentChildren;
}

/** A number above its bar. The bar fills the cell from the right edge, like the digits. */
export function ShareBar({ share, tone, children }: ShareBarProps) {
    const width = Math.max(0, Math.min(1, share)) * 100;
    return (
        <span class="share-bar">
            <span class={`share-fill is-${tone}`} style={{ width: `${width}%` }} />
            <span class="share-text">{children}</span>
        </span>
    );
}
