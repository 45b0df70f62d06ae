/* SPDX-License-Identifier: MIT
 *
 * A button that opens a list of choices or downloads. Arrow keys move the focus, Escape closes the
 * list and restores the focus, and typing filters a long list.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useEffectOn } from '../base/hooks';

export interface MenuItem {
    text: string;
    /** Grey text at the right: a count, a unit. */
    note?: ComponentChildren;
    tip?: string;
    /** Link (a download if `download` is set); without it onPick is called. */
    href?: string;
    download?: boolean;
    onPick?: () => void;
    checked?: boolean;
    /** Grey: there is nothing behind it. */
    isFaint?: boolean;
    isDisabled?: boolean;
    /** The list stays open, so that several items can be picked. */
    keepsOpen?: boolean;
}

interface MenuProps {
    label: ComponentChildren;
    ariaLabel?: string;
    items: MenuItem[];
    class?: string;
    align?: 'left' | 'right';
    /** Shows a field that filters a long list. */
    filter?: boolean;
    tip?: string;
}

/** Closes the list on a press outside of `box`. */
function useOutside(box: { current: HTMLElement | null }, open: boolean, close: () => void): void {
    useEffectOn(() => {
        if (!open) return undefined;
        const onDown = (event: Event) => {
            if (!box.current?.contains(event.target as Node)) close();
        };
        document.addEventListener('pointerdown', onDown, true);
        return () => document.removeEventListener('pointerdown', onDown, true);
    }, [open]);
}

function moveFocus(box: HTMLElement, by: 1 | -1): void {
    const items = [...box.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)')];
    const focusedIndex = items.indexOf(document.activeElement as HTMLElement);
    const next = focusedIndex < 0 ? (by > 0 ? 0 : items.length - 1) : focusedIndex + by;
    items[Math.max(0, Math.min(items.length - 1, next))]?.focus();
}

export function Menu(props: MenuProps) {
    const [open, setOpen] = useState(false);
    const [filter, setFilter] = useState('');
    const box = useRef<HTMLDivElement | null>(null);
    const button = useRef<HTMLButtonElement | null>(null);
    const close = () => {
        setOpen(false);
        setFilter('');
    };
    useOutside(box, open, close);
    useEffect(() => {
        if (!open || !box.current) return;
        const first = box.current.querySelector<HTMLElement>('input, [role=menuitem]');
        first?.focus();
    }, [open]);

    function onKeyDown(event: KeyboardEvent): void {
        if (!open || !box.current) return;
        if (event.key === 'Escape') {
            close();
            button.current?.focus();
        } else if (event.key === 'ArrowDown') moveFocus(box.current, 1);
        else if (event.key === 'ArrowUp') moveFocus(box.current, -1);
        else return;
        event.preventDefault();
        event.stopPropagation();
    }

    const shown = props.items.filter((item) =>
        item.text.toLowerCase().includes(filter.trim().toLowerCase()),
    );
    return (
        <div class="menu" ref={box} onKeyDown={onKeyDown}>
            <button
                ref={button}
                type="button"
                class={props.class ?? 'quiet'}
                aria-haspopup="menu"
                aria-expanded={open}
                aria-label={props.ariaLabel}
                title={props.tip}
                onClick={() => (open ? close() : setOpen(true))}
            >
                {props.label}
            </button>
            {open && (
                <div class={`menu-list is-${props.align ?? 'left'}`} role="menu">
                    {props.filter && (
                        <input
                            class="menu-filter"
                            type="text"
                            placeholder="narrow"
                            aria-label="filter the list"
                            value={filter}
                            onInput={(event) => setFilter(event.currentTarget.value)}
                        />
                    )}
                    {shown.map((item, i) => (
                        <MenuEntry
                            key={item.href ?? `${item.text} ${i}`}
                            item={item}
                            close={close}
                        />
                    ))}
                    {shown.length === 0 && <div class="menu-none">none</div>}
                </div>
            )}
        </div>
    );
}

function MenuEntry({ item, close }: { item: MenuItem; close: () => void }) {
    const body = (
        <>
            <span class="menu-check">{item.checked ? '✓' : ''}</span>
            <span class="menu-text">{item.text}</span>
            {item.note !== undefined && <span class="menu-note">{item.note}</span>}
        </>
    );
    const pick = () => {
        item.onPick?.();
        if (!item.keepsOpen) close();
    };
    if (item.href) {
        return (
            // An empty `download` lets the server choose the file name; `true` would become a name.
            <a
                role="menuitem"
                href={item.href}
                download={item.download ? '' : undefined}
                onClick={pick}
            >
                {body}
            </a>
        );
    }
    return (
        <button
            type="button"
            role="menuitem"
            class={item.isFaint ? 'is-faint' : undefined}
            title={item.tip}
            disabled={item.isDisabled}
            onClick={pick}
        >
            {body}
        </button>
    );
}

/** Menu to download the table with its current filters and sort order, as CSV or JSON. */
export function ExportMenu({ csv, json }: { csv: string; json: string }) {
    return (
        <Menu
            label="Export"
            align="right"
            tip="the table as it is filtered and sorted now"
            items={[
                { text: 'CSV', note: 'all rows, unrounded', href: csv, download: true },
                { text: 'JSON', note: 'an array of objects', href: json, download: true },
            ]}
        />
    );
}
