/* SPDX-License-Identifier: MIT
 *
 * The list of the columns of a table: shows, hides, moves and resizes them, also by keyboard.
 */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isDefaultLayout, mayHide, moveKey } from '../model/columns';
import type { StoredLayout } from './grid_columns';
import type { GridColumn } from './grid_types';

const EDGE = 8;
const STEP_PX = 16;

export interface MenuPoint {
    x: number;
    y: number;
}

interface ColumnMenuProps<R> {
    /** all columns of the table, in their original order */
    columns: readonly GridColumn<R>[];
    /** the same columns in the order of the user */
    ordered: readonly GridColumn<R>[];
    isShown: (column: GridColumn<R>) => boolean;
    /** px of a shown column */
    widthOf: (key: string) => number;
    stored: StoredLayout;
    point: MenuPoint;
    onClose: () => void;
}

const itemsOf = (box: HTMLElement) => [...box.querySelectorAll<HTMLElement>('[role^=menuitem]')];

function usePlace(
    box: { current: HTMLDivElement | null },
    { x, y }: MenuPoint,
    onClose: () => void,
) {
    useLayoutEffect(() => {
        const element = box.current;
        if (!element) return;
        const { width, height } = element.getBoundingClientRect();
        element.style.left = `${Math.max(EDGE, Math.min(x, innerWidth - width - EDGE))}px`;
        element.style.top = `${Math.max(EDGE, Math.min(y, innerHeight - height - EDGE))}px`;
        itemsOf(element)[0]?.focus({ preventScroll: true });
    }, [box, x, y]);
    useEffect(() => {
        const closeOutside = (event: Event) => {
            if (!box.current?.contains(event.target as Node)) onClose();
        };
        addEventListener('pointerdown', closeOutside, true);
        addEventListener('resize', onClose);
        return () => {
            removeEventListener('pointerdown', closeOutside, true);
            removeEventListener('resize', onClose);
        };
    }, [box, onClose]);
}

export function ColumnMenu<R>(props: ColumnMenuProps<R>) {
    const { columns, ordered, isShown, widthOf, stored, point, onClose } = props;
    const box = useRef<HTMLDivElement | null>(null);
    usePlace(box, point, onClose);
    const titled = ordered.filter(({ title }) => title !== '');

    // A button that is moved in the page loses the focus.
    const moved = useRef<string | null>(null);
    useLayoutEffect(() => {
        if (!box.current || moved.current === null) return;
        itemsOf(box.current)
            .find((item) => item.dataset.key === moved.current)
            ?.focus();
        moved.current = null;
    });

    function moveBy(key: string, by: -1 | 1): void {
        const keys = ordered.map((column) => column.key);
        const next = titled.findIndex((column) => column.key === key) + by;
        if (next < 0 || next >= titled.length) return;
        const before = by < 0 ? titled[next].key : (titled[next + 1]?.key ?? null);
        moved.current = key;
        stored.setOrder(moveKey(keys, key, before));
    }

    function changeColumn(event: KeyboardEvent, key: string): boolean {
        if (event.altKey && event.key === 'ArrowUp') moveBy(key, -1);
        else if (event.altKey && event.key === 'ArrowDown') moveBy(key, 1);
        else if (event.key === 'ArrowLeft') stored.setWidth(key, widthOf(key) - STEP_PX);
        else if (event.key === 'ArrowRight') stored.setWidth(key, widthOf(key) + STEP_PX);
        else return false;
        return true;
    }

    function onKeyDown(event: KeyboardEvent): void {
        event.stopPropagation();
        const items = box.current ? itemsOf(box.current) : [];
        const focused = document.activeElement as HTMLElement;
        const index = items.indexOf(focused);
        if (event.key === 'Escape' || event.key === 'Tab') onClose();
        else if (focused.dataset.key && changeColumn(event, focused.dataset.key)) {
            /* changed */
        } else if (event.key === 'ArrowDown') items[(index + 1) % items.length]?.focus();
        else if (event.key === 'ArrowUp') items.at(index - 1)?.focus();
        else return;
        event.preventDefault();
    }

    return (
        <div
            ref={box}
            class="context-menu column-menu"
            role="menu"
            aria-label="Columns"
            onKeyDown={onKeyDown}
            onContextMenu={(event) => event.preventDefault()}
        >
            {titled.map((column) => (
                <button
                    key={column.key}
                    type="button"
                    role="menuitemcheckbox"
                    data-key={column.key}
                    aria-checked={isShown(column)}
                    aria-disabled={!mayHide(columns, column)}
                    onClick={() => {
                        if (mayHide(columns, column)) stored.setShown(column.key, !isShown(column));
                    }}
                >
                    <span class="menu-check">{isShown(column) ? '✓' : ''}</span>
                    <span class="context-text">
                        {column.title}
                        {column.unit && <span class="unit"> {column.unit}</span>}
                    </span>
                </button>
            ))}
            <div role="separator" />
            <button
                type="button"
                role="menuitem"
                aria-disabled={isDefaultLayout(stored.layout)}
                onClick={stored.reset}
            >
                Reset columns
            </button>
            <p class="column-keys">
                <kbd>←</kbd> <kbd>→</kbd> width · <kbd>Alt</kbd> <kbd>↑</kbd> <kbd>↓</kbd> order
            </p>
        </div>
    );
}
