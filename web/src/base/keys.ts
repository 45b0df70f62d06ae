/* SPDX-License-Identifier: MIT
 *
 * Registry of keyboard shortcuts. Views bind keys while they are on screen. The scope that was
 * bound last has priority, so a tab can override a key of the shell. The `?` overlay lists this
 * registry.
 */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface KeyBinding {
    /** KeyboardEvent.key with modifiers as prefixes: '/', 'Escape', 'ArrowDown', 'ctrl+c',
     * 'shift+Enter', ' '. Letters are in lower case; 'ctrl' is also the Command key. */
    key: string;
    /** Description in the `?` overlay; '' hides the key there. */
    label: string;
    run: (event: KeyPress) => void;
    /** The key also works while a text field has the focus. */
    inFields?: boolean;
}

/** Fields of a KeyboardEvent that are used here. */
export interface KeyPress {
    key: string;
    ctrlKey: boolean;
    metaKey: boolean;
    altKey: boolean;
    shiftKey: boolean;
    preventDefault(): void;
}

export interface KeyScope {
    name: string;
    keys: KeyBinding[];
}

/** Scopes with bound keys, the innermost one last. */
export const scopes = signal<KeyScope[]>([]);

export function bindKeys(name: string, keys: KeyBinding[]): () => void {
    const scope = { name, keys };
    scopes.value = [...scopes.peek(), scope];
    return () => {
        scopes.value = scopes.peek().filter((other) => other !== scope);
    };
}

/** Binds keys while the component is mounted. The functions may change on each render. */
export function useKeys(name: string, keys: KeyBinding[]): void {
    const latest = useRef(keys);
    latest.current = keys;
    const bindingsKey = keys.map((binding) => binding.key + binding.label).join('\n');
    // A layout effect runs before the next event, so a key pressed right after navigation reaches
    // the new view.
    useLayoutEffect(() => {
        const bound = latest.current.map((binding, i) => ({
            ...binding,
            run: (event: KeyPress) => latest.current[i]?.run(event),
        }));
        return bindKeys(name, bound);
    }, [name, bindingsKey]);
}

function nameOf(event: KeyPress): string {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // Shift is already part of a printed character ('?'); it counts only for named keys and
    // letters.
    const shift = event.shiftKey && (event.key.length > 1 || /[a-z]/.test(key));
    const control = event.ctrlKey || event.metaKey;
    return `${control ? 'ctrl+' : ''}${event.altKey ? 'alt+' : ''}${shift ? 'shift+' : ''}${key}`;
}

/** Runs the innermost binding of this key; returns false if there is none. */
export function dispatchKey(event: KeyPress, inField: boolean): boolean {
    const name = nameOf(event);
    for (const scope of [...scopes.peek()].reverse()) {
        const binding = scope.keys.find((k) => k.key === name && (!inField || k.inFields));
        if (!binding) continue;
        event.preventDefault();
        binding.run(event);
        return true;
    }
    return false;
}
