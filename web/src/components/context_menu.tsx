/* SPDX-License-Identifier: MIT
 *
 * The only context menu of the page: actions of what is under the pointer. Arrow keys move, a letter
 * runs the action with that key, Escape closes the menu and restores the focus.
 */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type Action, type ActionHead, keyText, runAction } from './actions';
import { copyText } from './copy_button';
import { hideTooltip } from './tooltip';

interface OpenMenu {
    head: ActionHead;
    actions: readonly Action[];
    x: number;
    y: number;
    /** Gets the focus back. */
    focused: Element | null;
}

const openMenu = signal<OpenMenu | null>(null);
const confirmation = signal<string | null>(null);
const EDGE = 8;
const CONFIRMATION_MS = 1500;
let confirmationTimer: ReturnType<typeof setTimeout> | undefined;

/** Opens the menu at a point of the window in px; without actions nothing happens. */
export function openContextMenu(
    head: ActionHead,
    actions: readonly Action[],
    x: number,
    y: number,
): void {
    if (!actions.length) return;
    hideTooltip();
    const focused = openMenu.peek()?.focused ?? document.activeElement;
    openMenu.value = { head, actions, x, y, focused };
}

function closeMenu(): void {
    const now = openMenu.peek();
    if (!now) return;
    openMenu.value = null;
    if (now.focused instanceof HTMLElement) now.focused.focus({ preventScroll: true });
}

/** Copies a text and says so, for actions without a button of their own. */
export function copyAndConfirm(text: string, what: string): void {
    void copyText(text).then((done) => confirm(done ? `${what} copied` : `${what} not copied`));
}

/** Shows a line for a moment. */
export function confirm(text: string): void {
    confirmation.value = text;
    clearTimeout(confirmationTimer);
    confirmationTimer = setTimeout(() => (confirmation.value = null), CONFIRMATION_MS);
}

/** Host of the menu; mounted once in each window. */
export function ContextMenuLayer() {
    const now = openMenu.value;
    return (
        <>
            {now && <MenuBox key={`${now.x} ${now.y} ${now.head.name}`} menu={now} />}
            <div class="confirmation" role="status">
                {confirmation.value && <span>{confirmation.value}</span>}
            </div>
        </>
    );
}

function useMenuBox(box: { current: HTMLDivElement | null }, menu: OpenMenu): void {
    useLayoutEffect(() => {
        const element = box.current;
        if (!element) return;
        const { width, height } = element.getBoundingClientRect();
        const left = menu.x + width + EDGE > innerWidth ? menu.x - width : menu.x;
        const top = Math.min(menu.y, innerHeight - height - EDGE);
        element.style.left = `${Math.max(EDGE, left)}px`;
        element.style.top = `${Math.max(EDGE, top)}px`;
        itemsOf(element)[0]?.focus({ preventScroll: true });
    }, [box, menu]);
    useEffect(() => {
        const closeOutside = (event: Event) => {
            if (!box.current?.contains(event.target as Node)) closeMenu();
        };
        addEventListener('pointerdown', closeOutside, true);
        addEventListener('wheel', closeOutside, { capture: true, passive: true });
        addEventListener('blur', closeMenu);
        addEventListener('resize', closeMenu);
        addEventListener('popstate', closeMenu);
        return () => {
            removeEventListener('pointerdown', closeOutside, true);
            removeEventListener('wheel', closeOutside, true);
            removeEventListener('blur', closeMenu);
            removeEventListener('resize', closeMenu);
            removeEventListener('popstate', closeMenu);
        };
    }, [box]);
}

const itemsOf = (box: HTMLElement): HTMLElement[] => [
    ...box.querySelectorAll<HTMLElement>('[role=menuitem]:not([aria-disabled])'),
];

function moveFocus(box: HTMLElement, key: string): boolean {
    const items = itemsOf(box);
    const focusedIndex = items.indexOf(document.activeElement as HTMLElement);
    const next: Record<string, number> = {
        ArrowDown: (focusedIndex + 1) % items.length,
        ArrowUp: focusedIndex > 0 ? focusedIndex - 1 : items.length - 1,
        Home: 0,
        End: items.length - 1,
    };
    if (next[key] === undefined) return false;
    items[next[key]]?.focus();
    return true;
}

/* The action of a pressed key; keys of the menu itself are not used by actions. */
function actionOfKey(actions: readonly Action[], event: KeyboardEvent): Action | undefined {
    if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const key = event.key.toLowerCase();
    const name = event.shiftKey && /^[a-z]$/.test(key) ? `shift+${key}` : key;
    return actions.find((action) => action.key === name && !action.disabled);
}

function MenuBox({ menu }: { menu: OpenMenu }) {
    const box = useRef<HTMLDivElement | null>(null);
    useMenuBox(box, menu);
    const { head, actions } = menu;
    const pick = (action: Action) => {
        closeMenu();
        runAction(action);
    };

    function onKeyDown(event: KeyboardEvent): void {
        event.stopPropagation();
        if (!box.current) return;
        const isPress = event.key === 'Enter' || event.key === ' ';
        const byKey = isPress ? undefined : actionOfKey(actions, event);
        if (event.key === 'Escape' || event.key === 'Tab') closeMenu();
        else if (byKey) pick(byKey);
        else if (isPress || !moveFocus(box.current, event.key)) return;
        event.preventDefault();
    }

    return (
        <div
            ref={box}
            class="context-menu"
            role="menu"
            aria-label={head.name}
            onKeyDown={onKeyDown}
            onContextMenu={(event) => event.preventDefault()}
        >
            <div class="context-head" role="presentation" title={head.name}>
                <b class="mono">{head.name}</b>
                {head.place && <span class="mono soft">{head.place}</span>}
            </div>
            {actions.map((action, i) => (
                <>
                    {i > 0 && action.group !== actions[i - 1].group && (
                        <div role="separator" key={`line ${i}`} />
                    )}
                    <MenuEntry key={i} action={action} onPick={() => pick(action)} />
                </>
            ))}
        </div>
    );
}

function MenuEntry({ action, onPick }: { action: Action; onPick: () => void }) {
    const { text, detail, key, href, disabled } = action;
    const body = (
        <>
            <span class="context-text">
                {text}
                {detail && <span class="mono"> {detail}</span>}
            </span>
            {key && <kbd>{keyText(key)}</kbd>}
        </>
    );
    const hover = (event: PointerEvent) =>
        (event.currentTarget as HTMLElement).focus({ preventScroll: true });
    if (disabled) {
        return (
            <div role="menuitem" aria-disabled title={disabled}>
                {body}
            </div>
        );
    }
    if (href && !action.run) {
        return (
            <a role="menuitem" href={href} onClick={closeMenu} onPointerMove={hover}>
                {body}
            </a>
        );
    }
    return (
        <button type="button" role="menuitem" onClick={onPick} onPointerMove={hover}>
            {body}
        </button>
    );
}

const LONG_PRESS_MS = 500;
const PRESS_MOVE_PX = 8;

/** Calls `open` for a right click or a long press on an element, with client px and what is under
 * them, and for the menu key on it, with null. The browser handles what `isOwn` refuses. Returns a
 * function that removes the listeners. */
export function listenContextMenu(
    element: HTMLElement,
    open: (point: { x: number; y: number } | null, target: Element) => void,
    isOwn: (target: Element) => boolean = () => true,
): () => void {
    const control = new AbortController();
    const { signal: stop } = control;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let start: { x: number; y: number } | null = null;
    let opened = false;
    const cancel = () => clearTimeout(timer);
    const onMove = (event: PointerEvent) => {
        if (!start) return;
        const moved = Math.hypot(event.clientX - start.x, event.clientY - start.y);
        if (moved > PRESS_MOVE_PX) cancel();
    };
    const onDown = (event: PointerEvent) => {
        cancel();
        opened = false;
        const target = event.target as Element;
        if (event.pointerType !== 'touch' || !event.isPrimary || !isOwn(target)) return;
        const point = { x: event.clientX, y: event.clientY };
        start = point;
        timer = setTimeout(() => {
            opened = true;
            open(point, target);
        }, LONG_PRESS_MS);
    };
    const onContextMenu = (event: MouseEvent) => {
        const target = event.target as Element;
        cancel();
        if (!isOwn(target)) return;
        event.preventDefault();
        const isByKey = event.button !== 2 && (event as PointerEvent).pointerType !== 'touch';
        if (!opened) open(isByKey ? null : { x: event.clientX, y: event.clientY }, target);
    };
    // The release after a long press is not a click on what is under the finger.
    const onUp = (event: Event) => {
        cancel();
        if (opened) event.stopImmediatePropagation();
    };
    element.addEventListener('pointerdown', onDown, { signal: stop });
    element.addEventListener('pointermove', onMove, { signal: stop });
    element.addEventListener('pointerup', onUp, { signal: stop, capture: true });
    element.addEventListener('click', onUp, { signal: stop, capture: true });
    element.addEventListener('pointercancel', cancel, { signal: stop });
    element.addEventListener('contextmenu', onContextMenu, { signal: stop });
    return () => {
        cancel();
        control.abort();
    };
}
