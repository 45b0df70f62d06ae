/* SPDX-License-Identifier: MIT
 *
 * Edge between two panes that changes the size of one of them: by dragging, with the arrow keys, Home
 * and End. A double click restores the default size. Sizes, and which panes are closed, are stored
 * per browser.
 */
import { type Signal, signal } from '@preact/signals';
import { useRef } from 'preact/hooks';

const KEY_PREFIX = 'perfshelf.pane.';
const STEP_PX = 24;

interface StoredPane {
    /** px; null: the default size */
    size: number | null;
    isOpen: boolean;
}

/** Sizes in px that a pane may have. */
export interface PaneLimits {
    normal: number;
    min: number;
    max: number;
}

/** A pane whose size the user chooses. */
export interface SizedPane extends PaneLimits {
    size: number;
    isOpen: boolean;
    /** null: the default size */
    resize: (size: number | null) => void;
    setOpen: (isOpen: boolean) => void;
}

const panes = new Map<string, Signal<StoredPane>>();

/* A stored pane is its size in px, `closed`, or both. */
function readPane(name: string): StoredPane {
    try {
        const text = localStorage.getItem(KEY_PREFIX + name) ?? '';
        const size = parseInt(text, 10);
        return { size: Number.isFinite(size) ? size : null, isOpen: !text.endsWith('closed') };
    } catch {
        return { size: null, isOpen: true }; // Storage is disabled.
    }
}

function storePane(name: string, { size, isOpen }: StoredPane): void {
    const text = [size, isOpen ? null : 'closed'].filter((part) => part !== null).join(' ');
    try {
        if (text) localStorage.setItem(KEY_PREFIX + name, text);
        else localStorage.removeItem(KEY_PREFIX + name);
    } catch {
        // Storage is disabled: the size is lost when the page is closed.
    }
}

function paneOf(name: string): Signal<StoredPane> {
    let pane = panes.get(name);
    if (!pane) {
        pane = signal(readPane(name));
        panes.set(name, pane);
    }
    return pane;
}

/** The pane stored under `name`, such as `timeline.dock`. Its size is clamped to the limits when it is
 * read, so a small window does not change what is stored. Components that call this are rendered again
 * when the pane changes. */
export function sizedPane(name: string, limits: PaneLimits): SizedPane {
    const pane = paneOf(name);
    const { size, isOpen } = pane.value;
    const change = (changes: Partial<StoredPane>): void => {
        pane.value = { ...pane.peek(), ...changes };
        storePane(name, pane.peek());
    };
    return {
        ...limits,
        size: clampSize(size ?? limits.normal, limits),
        isOpen,
        resize: (next) => change({ size: next === null ? null : clampSize(next, limits) }),
        setOpen: (next) => change({ isOpen: next }),
    };
}

function clampSize(size: number, { min, max }: PaneLimits): number {
    return Math.round(Math.max(min, Math.min(max, size)));
}

interface SplitterProps {
    pane: SizedPane;
    /** where the pane is, seen from the splitter */
    side: 'left' | 'right' | 'above' | 'below';
    /** what is resized: `height of the tables` */
    label: string;
    /** true: shows a grip of 44 × 5 px in the middle */
    grip?: boolean;
}

export function Splitter({ pane, side, label, grip = false }: SplitterProps) {
    const drag = useRef<{ at: number; size: number } | null>(null);
    const isVertical = side === 'left' || side === 'right';
    // The pane grows when the pointer moves away from it.
    const sign = side === 'left' || side === 'above' ? 1 : -1;
    const positionOf = (event: PointerEvent): number =>
        isVertical ? event.clientX : event.clientY;
    const [backKey, forwardKey] = isVertical
        ? ['ArrowLeft', 'ArrowRight']
        : ['ArrowUp', 'ArrowDown'];

    function sizeForKey(key: string): number | null {
        if (key === backKey) return pane.size - sign * STEP_PX;
        if (key === forwardKey) return pane.size + sign * STEP_PX;
        if (key === 'Home') return pane.min;
        return key === 'End' ? pane.max : null;
    }

    return (
        <div
            class={`splitter is-${side}${grip ? ' has-grip' : ''}`}
            role="separator"
            aria-orientation={isVertical ? 'vertical' : 'horizontal'}
            aria-label={label}
            aria-valuenow={pane.size}
            aria-valuemin={pane.min}
            aria-valuemax={pane.max}
            tabIndex={0}
            title={`${label}: drag, double-click for the default`}
            onPointerDown={(event) => {
                event.currentTarget.setPointerCapture(event.pointerId);
                drag.current = { at: positionOf(event), size: pane.size };
            }}
            onPointerMove={(event) => {
                const start = drag.current;
                if (start) pane.resize(start.size + sign * (positionOf(event) - start.at));
            }}
            onPointerUp={() => {
                drag.current = null;
            }}
            onPointerCancel={() => {
                drag.current = null;
            }}
            onDblClick={() => pane.resize(null)}
            onKeyDown={(event) => {
                const size = sizeForKey(event.key);
                if (size === null) return;
                event.preventDefault();
                event.stopPropagation();
                pane.resize(size);
            }}
        />
    );
}
