/* SPDX-License-Identifier: MIT
 *
 * What is typed over something that is shown.
 */
import { useReducer, useRef } from 'preact/hooks';

/** What was typed since `over` is shown, null: nothing. Forgotten in the moment in which something
 * else is shown: an effect would run later, and take the first keys with it. */
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
