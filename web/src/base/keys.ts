/* SPDX-License-Identifier: MIT
 *
 * What is bound to which key right now. Views bind while they are on screen; the scope bound last
 * is asked first, so a tab can take a key from the shell. The `?` overlay lists this registry.
 */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface KeyBinding {
    /** As KeyboardEvent.key says it, modifiers in front: '/', 'Escape', 'ArrowDown', 'ctrl+c',
     * 'shift+Enter', ' '. Letters in lower case; 'ctrl' is also the Command key. */
    key: string;
    /** What it does, in the words of the overlay; '' keeps it out of the overlay. */
    label: string;
    run: (event: KeyPress) => void;
    /** Also while a text field has the focus. */
    inFields?: boolean;
}

/** The part of a KeyboardEvent that matters here. */
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

/** Innermost scope last. */
export const scopes = signal<KeyScope[]>([]);

export function bindKeys(name: string, keys: KeyBinding[]): () => void {
    const scope = { name, keys };
    scopes.value = [...scopes.peek(), scope];
    return () => {
        scopes.value = scopes.peek().filter((other) => other !== scope);
    };
}

/** Binds while the component is mounted. The functions may change on each render. */
export function useKeys(name: string, keys: KeyBinding[]): void {
    const latest = useRef(keys);
    latest.current = keys;
    const shape = keys.map((binding) => binding.key + binding.label).join('\n');
    // Before the next event: a key pressed right after a change of place belongs to the new one.
    useLayoutEffect(() => {
        const bound = latest.current.map((binding, i) => ({
            ...binding,
            run: (event: KeyPress) => latest.current[i]?.run(event),
        }));
        return bindKeys(name, bound);
    }, [name, shape]);
}

function nameOf(event: KeyPress): string {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // Shift is part of a printed sign ('?'), and counts only for named keys and letters.
    const shift = event.shiftKey && (event.key.length > 1 || /[a-z]/.test(key));
    const control = event.ctrlKey || event.metaKey;
    return `${control ? 'ctrl+' : ''}${event.altKey ? 'alt+' : ''}${shift ? 'shift+' : ''}${key}`;
}

/** Runs the innermost binding of this key; false when there is none. */
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
