/* SPDX-License-Identifier: MIT
 *
 * The context menu of the rows of a DataGrid: right click, long press, the menu key at the cursor, or
 * the button of a row. The button is in the rows that the user picked; with a finger, in all rows.
 */
import { useRef } from 'preact/hooks';
import { useLayoutEffectOn } from '../base/hooks';
import { listenContextMenu, openContextMenu } from './context_menu';
import type { DataGridProps } from './grid_types';

const isCoarse = matchMedia('(any-pointer: coarse)');

/** Whether the row shows its button. */
export function showsMenuButton(isPicked: boolean): boolean {
    return isPicked || isCoarse.matches;
}

/* Links have the menu of the browser, the header that of its columns. */
const isOfRow = (target: Element): boolean => !target.closest('a, input, .grid-head');

interface MenuOf<R> {
    props: DataGridProps<R>;
    cursor: number;
    /** moves the cursor to a row and selects it */
    moveTo: (index: number) => void;
}

/** Opens the menu of a row. Returns what a click on the button of a row calls. */
export function useGridMenu<R>(scroller: { current: HTMLDivElement | null }, menu: MenuOf<R>) {
    const latest = useRef(menu);
    latest.current = menu;

    function open(index: number, point: { x: number; y: number } | null): void {
        const { props, cursor, moveTo } = latest.current;
        const row = props.source.rowAt(index);
        const found = row === undefined || props.band?.(row) ? null : props.actions?.(row);
        if (!found) return;
        const element = scroller.current?.querySelector(`[data-index="${index}"]`);
        const { left, bottom } = (element ?? document.body).getBoundingClientRect();
        if (index !== cursor) moveTo(index);
        openContextMenu(found.head, found.actions, point?.x ?? left, point?.y ?? bottom);
    }

    const hasActions = menu.props.actions !== undefined;
    useLayoutEffectOn(() => {
        if (!scroller.current || !hasActions) return undefined;
        return listenContextMenu(
            scroller.current,
            (point, target) => {
                const index = target.closest('[data-index]')?.getAttribute('data-index');
                open(index ? Number(index) : latest.current.cursor, point);
            },
            isOfRow,
        );
    }, [hasActions]);

    return (index: number, button: Element) => {
        const { left, bottom } = button.getBoundingClientRect();
        open(index, { x: left, y: bottom });
    };
}

/** The button; the keyboard has the menu key instead. */
export function RowMenuButton() {
    return (
        <button
            type="button"
            class="row-menu"
            data-menu
            tabIndex={-1}
            aria-label="Actions"
            aria-haspopup="menu"
            title="Actions (right click, Shift F10)"
        />
    );
}
