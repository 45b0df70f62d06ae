/* SPDX-License-Identifier: MIT
 *
 * A window of the program that stands as a panel in one of its own pages: two reports side by side
 * are two such windows, each with its own keys, axis, width and caches. The page keeps the address
 * of both. What passes between them are texts, and names where both mean the same thing: ids and
 * positions are of one run only.
 */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLayoutEffectOn } from './hooks';
import type { KeyPress } from './keys';
import { route, setQuery } from './router';

export type Side = 'base' | 'new';

/** What the page gives a panel. */
export interface PanelHost {
    side: Side;
    /** The panel is there, and is told at once what to show. */
    join(panel: Panel): void;
    /** The reader went to another address in the panel. */
    go(hash: string, replace: boolean): void;
    /** What this panel knows the names of has changed. */
    named(): void;
    /** Something of the moment, for the other panel: a frame under the pointer; '' when it is over. */
    say(topic: string, text: string): void;
    /** A key that nothing in the panel is bound to; true where the page took it. */
    key(press: KeyPress): boolean;
    /** The reader is at work in this panel. */
    active(): void;
    /** Files are dragged over this panel: they are for the page. */
    dragged(): void;
}

/** What a panel gives the page. */
export interface Panel {
    show(hash: string): void;
    hear(topic: string, text: string): void;
    /** Whether what is on screen knows the names behind this key of the URL. */
    knows(key: string): boolean;
    nameOf(key: string, value: string): string | null;
    valueOf(key: string, name: string): string | null | undefined;
}

/** Translates the values of a key of the URL that mean something in one run only. */
export interface Names {
    /** What the value stands for, in words that the other run would use too; null: nothing. */
    nameOf(value: string): string | null;
    /** The value that stands for it in this run; null: this run lacks it; undefined: what would
     * tell is still to come, and then useNames is called with other keys. */
    valueOf(name: string): string | null | undefined;
}

let host: PanelHost | null = null;
const known = new Map<string, Names>();
const listeners = new Map<string, Set<(text: string) => void>>();

/** What the page hung on the frame of this window; null: this window is no panel. */
export function hostOfWindow(): PanelHost | null {
    const frame: (Element & { panelHost?: PanelHost }) | null = window.frameElement;
    return frame?.panelHost ?? null;
}

export function inPanel(): boolean {
    return host !== null;
}

/** Whose run this window shows; null: it is no panel. */
export function panelSide(): Side | null {
    return host?.side ?? null;
}

/** Called once, before anything is drawn. */
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

/** The component on screen knows what these keys of the URL stand for. */
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

/**
 * What a view shows before anything is chosen, as the value of its key of the URL: the panel of the
 * base chooses it for both, as what comes first in one run may be far down in the other.
 */
export function useLead(key: string, value: string | number | null): void {
    useEffect(() => {
        if (host?.side !== 'base' || value === null || route.peek().query[key] !== undefined)
            return;
        setQuery({ [key]: String(value) }, { replace: true });
    }, [key, value]);
}

/** For the other panel, if there is one. */
export function sayBeside(topic: string, text: string): void {
    host?.say(topic, text);
}

/** Hears what the other panel says of a topic; returns what ends it. */
export function hearBeside(topic: string, hear: (text: string) => void): () => void {
    const all = listeners.get(topic) ?? new Set();
    listeners.set(topic, all.add(hear));
    return () => {
        all.delete(hear);
    };
}

/** The same while the component is mounted. */
export function useBeside(topic: string, hear: (text: string) => void): void {
    const latest = useRef(hear);
    latest.current = hear;
    useLayoutEffect(() => hearBeside(topic, (text) => latest.current(text)), [topic]);
}
