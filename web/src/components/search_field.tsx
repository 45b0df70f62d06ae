/* SPDX-License-Identifier: MIT
 *
 * Search with its count inside the field and an optional switch to regular expressions. Typing is
 * passed on after a short rest, so each key does not ask the server.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { int } from '../base/units';

const REST_MS = 120;

interface SearchFieldProps {
    value: string;
    onInput: (value: string) => void;
    placeholder: string;
    label?: string;
    /** Undefined: no `.*` switch. */
    regex?: boolean;
    onRegex?: (regex: boolean) => void;
    /** Hits, shown at the right end while something is searched for. */
    count?: number | null;
    /** A wrong regular expression, in words. */
    error?: string | null;
    /** Enter (with Shift: backward), for walking through the hits. */
    onEnter?: (backward: boolean) => void;
    width?: number;
    inputRef?: { current: HTMLInputElement | null };
    /** The key that leads here, shown while the field is empty. */
    hint?: string;
    large?: boolean;
}

/* What is typed, and the same passed on after a rest. The URL may change it from outside. */
function useRested(value: string, onInput: (value: string) => void) {
    const [typed, setTyped] = useState(value);
    const sent = useRef(value);
    const timer = useRef(0);
    const latest = useRef(onInput);
    latest.current = onInput;
    useEffect(() => {
        if (value !== sent.current) {
            sent.current = value;
            setTyped(value);
        }
    }, [value]);
    useEffect(() => () => clearTimeout(timer.current), []);
    function send(text: string): void {
        clearTimeout(timer.current);
        if (text === sent.current) return;
        sent.current = text;
        latest.current(text);
    }
    function type(text: string): void {
        setTyped(text);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => send(text), REST_MS);
    }
    return { typed, type, send, setTyped };
}

export function SearchField(props: SearchFieldProps) {
    const { typed, type, send, setTyped } = useRested(props.value, props.onInput);
    const own = useRef<HTMLInputElement | null>(null);
    const input = props.inputRef ?? own;

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
