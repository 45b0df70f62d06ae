/* SPDX-License-Identifier: MIT
 *
 * How users arranged the columns of tables, stored per browser and table.
 */
import { type Signal, signal } from '@preact/signals';
import {
    clampWidth,
    type ColumnLayout,
    DEFAULT_LAYOUT,
    isDefaultLayout,
    parseLayout,
} from '../model/columns';

const KEY_PREFIX = 'perfshelf.columns.';

const layouts = new Map<string, Signal<ColumnLayout>>();

function readLayout(name: string): ColumnLayout {
    try {
        return parseLayout(localStorage.getItem(KEY_PREFIX + name));
    } catch {
        return DEFAULT_LAYOUT; // Storage is disabled.
    }
}

function storeLayout(name: string, layout: ColumnLayout): void {
    try {
        if (isDefaultLayout(layout)) localStorage.removeItem(KEY_PREFIX + name);
        else localStorage.setItem(KEY_PREFIX + name, JSON.stringify(layout));
    } catch {
        // Storage is disabled: the layout is lost when the page is closed.
    }
}

export interface StoredLayout {
    layout: ColumnLayout;
    setShown: (key: string, isShown: boolean) => void;
    setWidth: (key: string, px: number) => void;
    setOrder: (keys: string[]) => void;
    reset: () => void;
}

/** The layout of the table with this name. A layout that is not `stored` is kept until the page is
 * closed. Components that call this are rendered again when the layout changes. */
export function gridLayout(name: string, stored: boolean): StoredLayout {
    let state = layouts.get(name);
    if (!state) {
        state = signal(stored ? readLayout(name) : DEFAULT_LAYOUT);
        layouts.set(name, state);
    }
    const current = state;
    const change = (changes: Partial<ColumnLayout>): void => {
        current.value = { ...current.peek(), ...changes };
        if (stored) storeLayout(name, current.peek());
    };
    return {
        layout: current.value,
        setShown: (key, isShown) => change({ shown: { ...current.peek().shown, [key]: isShown } }),
        setWidth: (key, px) =>
            change({ widths: { ...current.peek().widths, [key]: clampWidth(px) } }),
        setOrder: (order) => change({ order }),
        reset: () => change(DEFAULT_LAYOUT),
    };
}
