/* SPDX-License-Identifier: MIT
 *
 * Panels: the two iframes of a page that shows two reports side by side. In each iframe runs a
 * complete perfshelf, with its own keys, axis, width and caches. The page stores the URLs of both
 * panels. Panels and the page exchange strings; the strings contain names instead of ids and
 * positions, because ids and positions are valid in one run only.
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
    register(panel: Panel): void;
    /** The user navigated to another URL in the panel. */
    navigated(hash: string, replace: boolean): void;
    /** The set of URL keys that this panel can translate into names has changed. */
    namesChanged(): void;
    /** Sends a transient state to the other panel, such as the frame under the pointer; '' clears
     * it. */
    send(topic: string, text: string): void;
    /** Passes on a key that is not bound in the panel; returns true if the page handled it. */
    key(press: KeyPress): boolean;
    /** The user is working in this panel. */
    activated(): void;
    /** Files are dragged over this panel; the page handles the drop. */
    filesDragged(): void;
}

/** Interface of a panel for the page. */
export interface Panel {
    show(hash: string): void;
    receive(topic: string, text: string): void;
    /** Whether the view on screen can translate this URL key into names. */
    translates(key: string): boolean;
    nameOf(key: string, value: string): string | null;
    valueOf(key: string, name: string): string | null | undefined;
}

/** Translates values of a URL key that are valid in one run only. */
export interface Names {
    /** A name that the other run has too; null if the value has none. */
    nameOf(value: string): string | null;
    /** Value for a name in this run. null: the run lacks it. undefined: the data is not loaded yet,
     * and useNames will be called again with other keys. */
    valueOf(name: string): string | null | undefined;
}

let host: PanelHost | null = null;
const translators = new Map<string, Names>();
const listeners = new Map<string, Set<(text: string) => void>>();

export function isPanel(): boolean {
    return host !== null;
}

/** Side whose run this window shows; null if it is not a panel. */
export function panelSide(): Side | null {
    return host?.side ?? null;
}

/** Makes this window a panel. Call it once, before anything is drawn. */
export function startPanel(by: PanelHost, show: (hash: string) => void): void {
    host = by;
    by.register({
        show,
        receive: (topic, text) => listeners.get(topic)?.forEach((listener) => listener(text)),
        translates: (key) => translators.has(key),
        nameOf: (key, value) => translators.get(key)?.nameOf(value) ?? null,
        valueOf: (key, name) => translators.get(key)?.valueOf(name),
    });
}

/** Registers the translations of these URL keys while the component is mounted. */
export function useNames(keys: readonly string[], names: Names): void {
    const latest = useRef(names);
    latest.current = names;
    useLayoutEffectOn(() => {
        if (!host) return undefined;
        const translations: Names = {
            nameOf: (value) => latest.current.nameOf(value),
            valueOf: (name) => latest.current.valueOf(name),
        };
        for (const key of keys) translators.set(key, translations);
        host.namesChanged();
        return () => {
            for (const key of keys)
                if (translators.get(key) === translations) translators.delete(key);
        };
    }, [keys.join()]);
}

/** Default selection of a view, as the value of a URL key. The panel of the base chooses it for
 * both panels, because the first row of one run may be far down in the other. */
export function useDefaultSelection(key: string, value: string | number | null): void {
    useEffect(() => {
        if (host?.side !== 'base' || value === null || route.peek().query[key] !== undefined)
            return;
        setQuery({ [key]: String(value) }, { replace: true });
    }, [key, value]);
}

/** Sends a message to the other panel, if there is one. */
export function postToPanels(topic: string, text: string): void {
    host?.send(topic, text);
}

/** Subscribes to messages of the other panel on a topic. Returns a function that unsubscribes. */
export function onPanelMessage(topic: string, listener: (text: string) => void): () => void {
    const topicListeners = listeners.get(topic) ?? new Set();
    listeners.set(topic, topicListeners.add(listener));
    return () => {
        topicListeners.delete(listener);
    };
}

/** Like onPanelMessage, while the component is mounted. */
export function usePanelMessage(topic: string, listener: (text: string) => void): void {
    const latest = useRef(listener);
    latest.current = listener;
    useLayoutEffect(() => onPanelMessage(topic, (text) => latest.current(text)), [topic]);
}
