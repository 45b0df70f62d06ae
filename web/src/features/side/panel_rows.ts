/* SPDX-License-Identifier: MIT
 *
 * Links the tables and graphs of two panels: the row under the pointer is marked in both panels, by
 * its name, and both panels scroll together. This works on the DOM of any table, so views need no
 * code for it.
 */
import { onPanelMessage, postToPanels } from '../../base/panel';

const ROWS = '.grid-row, .source-row, .graph-node';
const SCROLLERS = '.grid-scroll, .source-scroll, .frame-scroll';
const MARK_CLASS = 'is-beside';

/* Name of a row: the text of its first cell that is not a number, or the name in a box of a
 * graph. */
function nameOf(row: Element): string {
    const name = row.querySelector('.grid-cell:not(.is-right), .source-text, .graph-name');
    return (name ?? row).textContent?.trim() ?? '';
}

function markRows(name: string): void {
    for (const row of document.querySelectorAll(ROWS)) {
        row.classList.toggle(MARK_CLASS, name !== '' && nameOf(row) === name);
    }
}

/* Index among the scrolling boxes of the window. The other panel has the same boxes in the same
 * order. */
function indexOf(box: Element): number {
    return [...document.querySelectorAll(SCROLLERS)].indexOf(box);
}

/** Starts the link; returns a function that stops it. */
export function linkRows(): () => void {
    const control = new AbortController();
    const { signal } = control;
    let postedName = '';
    let markedName = '';
    let scrolledByLink: Element | null = null;

    const postName = (name: string): void => {
        if (name === postedName) return;
        postedName = name;
        postToPanels('row', name);
    };
    const onOver = (event: PointerEvent): void => {
        const row = event.target instanceof Element ? event.target.closest(ROWS) : null;
        postName(row ? nameOf(row) : '');
    };
    const onScroll = (event: Event): void => {
        const box = event.target;
        if (!(box instanceof HTMLElement) || !box.matches(SCROLLERS)) return;
        if (scrolledByLink === box) scrolledByLink = null;
        else postToPanels('scroll', `${indexOf(box)} ${box.scrollTop}`);
    };
    document.addEventListener('pointerover', onOver, { signal, passive: true });
    document.documentElement.addEventListener('pointerleave', () => postName(''), { signal });
    document.addEventListener('scroll', onScroll, { signal, capture: true, passive: true });

    const observer = new MutationObserver(() => markedName && markRows(markedName));
    observer.observe(document.body, { childList: true, characterData: true, subtree: true });
    onPanelMessage('row', (name) => {
        markedName = name;
        markRows(name);
    });
    onPanelMessage('scroll', (text) => {
        const [index, top] = text.split(' ').map(Number);
        const box = document.querySelectorAll(SCROLLERS)[index];
        if (!box || box.scrollTop === top) return;
        scrolledByLink = box;
        const before = box.scrollTop;
        box.scrollTop = top;
        // There is no scroll event, because the box was already at the end of its range.
        if (box.scrollTop === before) scrolledByLink = null;
    });
    return () => {
        control.abort();
        observer.disconnect();
    };
}
