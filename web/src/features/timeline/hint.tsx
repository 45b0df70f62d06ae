/* SPDX-License-Identifier: MIT */
/* Lines above the tracks that a browser shows until they are closed. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

const isClosedAlready = (key: string): boolean => {
    try {
        return localStorage.getItem(key) !== null;
    } catch {
        return false; // Storage is disabled.
    }
};

interface HintProps {
    /** what the browser remembers the closing by */
    name: string;
    children: ComponentChildren;
}

export function ClosableHint({ name, children }: HintProps) {
    const key = `perfshelf.hint.${name}`;
    const [isClosed, setClosed] = useState(() => isClosedAlready(key));
    if (isClosed) return null;
    const close = (): void => {
        setClosed(true);
        try {
            localStorage.setItem(key, 'closed');
        } catch {
            // Storage is disabled: the line is shown again when the page is opened.
        }
    };
    return (
        <p class={`timeline-line is-${name}`}>
            <span>{children}</span>
            <button type="button" class="timeline-toggle" aria-label="close" onClick={close}>
                ×
            </button>
        </p>
    );
}

/** What the pointer does on the tracks. */
export function GesturesHint() {
    return (
        <ClosableHint name="gestures">
            {matchMedia('(pointer: coarse)').matches ? (
                'One finger pans and scrolls, two zoom, a long press opens the menu of a slice.'
            ) : (
                <>
                    The wheel scrolls, <kbd>Ctrl</kbd> + wheel zooms, <kbd>Shift</kbd> + wheel pans,{' '}
                    <kbd>?</kbd> lists the keys.
                </>
            )}
        </ClosableHint>
    );
}
