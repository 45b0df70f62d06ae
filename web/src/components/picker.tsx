/* SPDX-License-Identifier: MIT
 *
 * A field to find one item: type, move with the arrow keys, select with Enter. The caller provides
 * the matching items, usually from the server.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

export interface PickItem {
    id: number;
    body: ComponentChildren;
}

interface PickerProps {
    label: string;
    placeholder: string;
    /** the current item, shown while the field is not edited */
    value: string;
    items: PickItem[];
    onType: (text: string) => void;
    onPick: (id: number) => void;
    onClear?: () => void;
    width?: number;
    hint?: string;
    inputRef?: { current: HTMLInputElement | null };
}

const DEBOUNCE_MS = 120;

export function Picker(props: PickerProps) {
    const [typed, setTyped] = useState<string | null>(null);
    const [highlighted, setHighlighted] = useState(0);
    const ownRef = useRef<HTMLInputElement | null>(null);
    const input = props.inputRef ?? ownRef;
    const timer = useRef(0);
    useEffect(() => () => clearTimeout(timer.current), []);
    useEffect(() => setHighlighted(0), [props.items]);
    const open = typed !== null;

    function type(text: string): void {
        setTyped(text);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => props.onType(text), DEBOUNCE_MS);
    }
    function close(): void {
        clearTimeout(timer.current);
        setTyped(null);
    }
    function pick(id: number): void {
        close();
        input.current?.blur();
        props.onPick(id);
    }
    function onKeyDown(event: KeyboardEvent): void {
        const lastIndex = props.items.length - 1;
        if (event.key === 'ArrowDown') setHighlighted(Math.min(lastIndex, highlighted + 1));
        else if (event.key === 'ArrowUp') setHighlighted(Math.max(0, highlighted - 1));
        else if (event.key === 'Enter') {
            if (props.items[highlighted]) pick(props.items[highlighted].id);
        } else if (event.key === 'Escape') {
            close();
            input.current?.blur();
            event.stopPropagation();
        } else return;
        event.preventDefault();
    }

    return (
        <span class="picker" style={{ width: props.width }}>
            <span class="search-field">
                <input
                    ref={input}
                    type="text"
                    role="combobox"
                    aria-expanded={open}
                    aria-label={props.label}
                    spellcheck={false}
                    autocomplete="off"
                    placeholder={props.placeholder}
                    value={typed ?? props.value}
                    onFocus={(event) => {
                        type('');
                        event.currentTarget.select();
                    }}
                    onBlur={close}
                    onInput={(event) => type(event.currentTarget.value)}
                    onKeyDown={onKeyDown}
                />
                {!open && !props.value && props.hint && <kbd>{props.hint}</kbd>}
                {!open && props.value && props.onClear && (
                    <button
                        type="button"
                        class="picker-clear"
                        title="clear selection"
                        onClick={props.onClear}
                    >
                        ×
                    </button>
                )}
            </span>
            {open && (
                <div class="menu-list picker-list" role="listbox">
                    {props.items.map((item, i) => (
                        <button
                            key={item.id}
                            type="button"
                            role="option"
                            aria-selected={i === highlighted}
                            class={i === highlighted ? 'is-at' : ''}
                            onPointerDown={(event) => {
                                event.preventDefault();
                                pick(item.id);
                            }}
                        >
                            {item.body}
                        </button>
                    ))}
                    {props.items.length === 0 && <div class="menu-none">none</div>}
                </div>
            )}
        </span>
    );
}
