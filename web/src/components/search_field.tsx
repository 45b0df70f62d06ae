/* SPDX-License-Identifier: MIT
 *
 * Search field with the number of hits inside, buttons to step through them, and an optional switch
 * for regular expressions. Input is passed on after a pause, so that not every key causes a request.
 */
import { signal } from '@preact/signals';
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
    /** Number of the current hit, from 1: shown as `3 of 318`. */
    position?: number | null;
    /** Moves to the next or previous hit: Enter, Shift+Enter and the buttons. With it, Escape keeps
     * the search and leaves the field. */
    onStep?: (by: 1 | -1) => void;
    /** Enter (with Shift: backward), where hits are not stepped through. */
    onEnter?: (backward: boolean) => void;
    width?: number;
    inputRef?: { current: HTMLInputElement | null };
    /** Keyboard shortcut of the field, shown while it is empty. */
    hint?: string;
    large?: boolean;
}

/** Whether a search field has the focus. Pictures fade what the search does not match only then. */
export const isSearching = signal(false);

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
            clearTimeout(timer.current); // a button that clears the search is newer than the keys
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
            props.onStep?.(event.shiftKey ? -1 : 1);
            props.onEnter?.(event.shiftKey);
        } else if (event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            if (typed && !props.onStep) {
                setTyped('');
                send('');
            } else input.current?.blur();
        }
    }

    useEffect(() => () => void (isSearching.value = false), []);
    const { count, position, onStep } = props;
    const hits = typed && count !== null && count !== undefined ? count : null;
    const state = [
        props.large ? ' is-large' : '',
        props.error ? ' is-wrong' : '',
        hits === 0 ? ' is-none' : '',
    ].join('');
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
                onFocus={() => (isSearching.value = true)}
                onBlur={() => (isSearching.value = false)}
            />
            {hits !== null && (
                <span class="search-count" aria-live="polite">
                    {position && hits > 0 ? `${int(position)} of ${int(hits)}` : int(hits)}
                </span>
            )}
            {onStep && hits !== null && hits > 0 && <StepButtons onStep={onStep} />}
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

/* A press keeps the focus in the field. */
function StepButtons({ onStep }: { onStep: (by: 1 | -1) => void }) {
    const keepFocus = (event: Event) => event.preventDefault();
    return (
        <span class="search-steps" onPointerDown={keepFocus} onMouseDown={keepFocus}>
            <button
                type="button"
                aria-label="previous hit"
                title="previous hit (Shift+Enter)"
                onClick={() => onStep(-1)}
            >
                ↑
            </button>
            <button
                type="button"
                aria-label="next hit"
                title="next hit (Enter)"
                onClick={() => onStep(1)}
            >
                ↓
            </button>
        </span>
    );
}
