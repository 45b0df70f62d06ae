/* SPDX-License-Identifier: MIT
 *
 * State of a text field that edits a displayed object.
 */
import { useReducer, useRef } from 'preact/hooks';

/** Returns the text that was typed since `over` is displayed, null if there is none, and its
 * setter. The text is reset during the render in which `over` changes: an effect would run later
 * and discard the first keys typed for the new object. */
export function useTyped(over: string): [string | null, (text: string | null) => void] {
    const typed = useRef<{ over: string; text: string | null }>({ over, text: null });
    const [, draw] = useReducer((n: number, _: null) => n + 1, 0);
    if (typed.current.over !== over) typed.current = { over, text: null };
    function type(text: string | null): void {
        typed.current = { ...typed.current, text };
        draw(null);
    }
    return [typed.current.text, type];
}
