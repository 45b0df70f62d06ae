/* SPDX-License-Identifier: MIT
 *
 * Search field with the number of hits inside and an optional switch for regular expressions. Input
 * is passed on after a pause, so that not every key causes a request.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { int } from '../base/units';

const DEBOUNCE_MS = 120;

interface SearchFieldProps {
    value: string;
    onInput: (value: string) => void;
    placeholder: string;
    label?: string;
    /** Undefined: no `.*` switch. */
    regex?: boolean;
    onRegex?: (regex: boolean) => void;
    /** Number of hits, shown at the right end while there is a search. */
    count?: number | null;
    /** Error message of an invalid regular expression. */
    error?: string | null;
    /** Enter (with Shift: backward), to move between hits. */
    onEnter?: (backward: boolean) => void;
    width?: number;
    inputRef?: { current: HTMLInputElement | null };
    /** Keyboard shortcut of the field, shown while it is empty. */
    hint?: string;
    large?: boolean;
}

/* The typed text, and the text that is passed on after a pause. The URL may change the value from
 * outside. */
function useDebouncedText(value: string, onInput: (value: string) => void) {
    const [typed, setTyped] = useState(value);
    const lastSent = useRef(value);
    const timer = useRef(0);
    const latest = useRef(onInput);
    latest.current = onInput;
    useEffect(() => {
        if (value !== lastSent.current) {
            lastSent.current = value;
            setTyped(value);
        }
    }, [value]);
    useEffect(() => () => clearTimeout(timer.current), []);
    function send(text: string): void {
        clearTimeout(timer.current);
        if (text === lastSent.current) return;
        lastSent.current = text;
        latest.current(text);
    }
    function type(text: string): void {
        setTyped(text);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => send(text), DEBOUNCE_MS);
    }
    return { typed, type, send, setTyped };
}

export function SearchField(props: SearchFieldProps) {
    const { typed, type, send, setTyped } = useDebouncedText(props.value, props.onInput);
    const ownRef = useRef<HTMLInputElement | null>(null);
    const input = props.inputRef ?? ownRef;

    function onKeyDown(event: KeyboardEvent): void {
        if (event.key === 'Enter') {
            send(typed);
            props.onEnter?.(event.shiftKey);
        } else if (event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            if (typed) {
                setTyped('');
                send('');
            } else input.current?.blur();
        }
    }

    const state = `${props.large ? ' is-large' : ''}${props.error ? ' is-wrong' : ''}`;
    return (
        <span
            class={`search-field${state}`}
            style={{ width: props.width }}
            title={props.error ?? ''}
        >
            <input
                ref={input}
                type="text"
                spellcheck={false}
                autocomplete="off"
                placeholder={props.placeholder}
                aria-label={props.label ?? props.placeholder}
                aria-invalid={props.error ? true : undefined}
                value={typed}
                onInput={(event) => type(event.currentTarget.value)}
                onKeyDown={onKeyDown}
            />
            {typed && props.count !== null && props.count !== undefined && (
                <span class="search-count">{int(props.count)}</span>
            )}
            {!typed && props.hint && <kbd>{props.hint}</kbd>}
            {props.regex !== undefined && (
                <button
                    type="button"
                    class="regex-switch"
                    aria-pressed={props.regex}
                    title="regular expression"
                    onClick={() => props.onRegex?.(!props.regex)}
                >
                    .*
                </button>
            )}
        </span>
    );
}
