/* SPDX-License-Identifier: MIT
 *
 * Panels: windows of the program inside one of its own pages. A page with two reports side by side
 * has two panels, each with its own keys, axis, width and caches. The page stores the URLs of both.
 * Panels exchange strings, and names instead of ids and positions, because those are valid in one
 * run only.
 */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLayoutEffectOn } from './hooks';
import type { KeyPress } from './keys';
import { route, setQuery } from './router';

export type Side = 'base' | 'new';

/** Interface of the page for a panel. */
export interface PanelHost {
    side: Side;
    /** Registers the panel; the page immediately calls its `show`. */
    join(panel: Panel): void;
    /** The user navigated to another URL in the panel. */
    go(hash: string, replace: boolean): void;
    /** The set of keys whose names this panel knows has changed. */
    named(): void;
    /** Sends a transient state to the other panel, such as the frame under the pointer; '' clears
     * it. */
    say(topic: string, text: string): void;
    /** Handles a key that is not bound in the panel; returns true if the page handled it. */
    key(press: KeyPress): boolean;
    /** The user is working in this panel. */
    active(): void;
    /** Files are dragged over this panel; the page handles the drop. */
    dragged(): void;
}

/** Interface of a panel for the page. */
export interface Panel {
    show(hash: string): void;
    hear(topic: string, text: string): void;
    /** Whether the view on screen can translate this URL key into names. */
    knows(key: string): boolean;
    nameOf(key: string, value: string): string | null;
    valueOf(key: string, name: string): string | null | undefined;
}

/** Translates values of a URL key that are valid in one run only. */
export interface Names {
    /** A name that the other run has too; null if the value has none. */
    nameOf(value: string): string | null;
    /** Value for a name in this run. Null if the run lacks it; undefined if the data is not loaded
     * yet; then useNames is called again with other keys. */
    valueOf(name: string): string | null | undefined;
}

let host: PanelHost | null = null;
const known = new Map<string, Names>();
const listeners = new Map<string, Set<(text: string) => void>>();

export function inPanel(): boolean {
    return host !== null;
}

/** Side whose run this window shows; null if it is not a panel. */
export function panelSide(): Side | null {
    return host?.side ?? null;
}

/** Makes this window a panel. Called once, before anything is drawn. */
export function becomePanel(by: PanelHost, show: (hash: string) => void): void {
    host = by;
    by.join({
        show,
        hear: (topic, text) => listeners.get(topic)?.forEach((hear) => hear(text)),
        knows: (key) => known.has(key),
        nameOf: (key, value) => known.get(key)?.nameOf(value) ?? null,
        valueOf: (key, name) => known.get(key)?.valueOf(name),
    });
}

/** Registers the translations of these URL keys while the component is mounted. */
export function useNames(keys: readonly string[], names: Names): void {
    const latest = useRef(names);
    latest.current = names;
    useLayoutEffectOn(() => {
        if (!host) return undefined;
        const own: Names = {
            nameOf: (value) => latest.current.nameOf(value),
            valueOf: (name) => latest.current.valueOf(name),
        };
        for (const key of keys) known.set(key, own);
        host.named();
        return () => {
            for (const key of keys) if (known.get(key) === own) known.delete(key);
        };
    }, [keys.join()]);
}

/** Default selection of a view, as the value of a URL key. The panel of the base chooses it for
 * both panels, because the first row of one run may be far down in the other. */
export function usePanelLead(key: string, value: string | number | null): void {
    useEffect(() => {
        if (host?.side !== 'base' || value === null || route.peek().query[key] !== undefined)
            return;
        setQuery({ [key]: String(value) }, { replace: true });
    }, [key, value]);
}

/** Sends a message to the other panel, if there is one. */
export function postToPanels(topic: string, text: string): void {
    host?.say(topic, text);
}

/** Subscribes to messages of the other panel on a topic. Returns a function that unsubscribes. */
export function onPanelMessage(topic: string, hear: (text: string) => void): () => void {
    const all = listeners.get(topic) ?? new Set();
    listeners.set(topic, all.add(hear));
    return () => {
        all.delete(hear);
    };
}

/** Like onPanelMessage, while the component is mounted. */
export function usePanelMessage(topic: string, hear: (text: string) => void): void {
    const latest = useRef(hear);
    latest.current = hear;
    useLayoutEffect(() => onPanelMessage(topic, (text) => latest.current(text)), [topic]);
}
