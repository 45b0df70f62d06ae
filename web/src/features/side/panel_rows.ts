/* SPDX-License-Identifier: MIT
 *
 * Tables and graphs of two panels: the row under the pointer is marked in both, by what it is called, and they
 * scroll together. Both work on any table, so no view knows of it.
 */
import { onPanelMessage, postToPanels } from '../../base/panel';

const ROWS = '.grid-row, .source-row, .graph-node';
const SCROLLERS = '.grid-scroll, .source-scroll, .frame-scroll';
const MARK = 'is-beside';

/* What a row is called: its first cell that is no number, the name in a box of a graph. */
function nameOf(row: Element): string {
    const name = row.querySelector('.grid-cell:not(.is-right), .source-text, .graph-name');
    return (name ?? row).textContent?.trim() ?? '';
}

function markRows(name: string): void {
    for (const row of document.querySelectorAll(ROWS)) {
        row.classList.toggle(MARK, name !== '' && nameOf(row) === name);
    }
}

/* Which of the scrolling boxes of the window: the other panel has them in the same order. */
function indexOf(box: Element): number {
    return [...document.querySelectorAll(SCROLLERS)].indexOf(box);
}

/** From now on; returns what ends it. */
export function followRows(): () => void {
    const control = new AbortController();
    const { signal } = control;
    let said = '';
    let marked = '';
    let moved: Element | null = null;

    const say = (name: string): void => {
        if (name === said) return;
        said = name;
        postToPanels('row', name);
    };
    const onOver = (event: PointerEvent): void => {
        const row = event.target instanceof Element ? event.target.closest(ROWS) : null;
        say(row ? nameOf(row) : '');
    };
    const onScroll = (event: Event): void => {
        const box = event.target;
        if (!(box instanceof HTMLElement) || !box.matches(SCROLLERS)) return;
        if (moved === box) moved = null;
        else postToPanels('scroll', `${indexOf(box)} ${box.scrollTop}`);
    };
    document.addEventListener('pointerover', onOver, { signal, passive: true });
    document.documentElement.addEventListener('pointerleave', () => say(''), { signal });
    document.addEventListener('scroll', onScroll, { signal, capture: true, passive: true });

    const drawn = new MutationObserver(() => marked && markRows(marked));
    drawn.observe(document.body, { childList: true, characterData: true, subtree: true });
    onPanelMessage('row', (name) => {
        marked = name;
        markRows(name);
    });
    onPanelMessage('scroll', (text) => {
        const [index, top] = text.split(' ').map(Number);
        const box = document.querySelectorAll(SCROLLERS)[index];
        if (!box || box.scrollTop === top) return;
        moved = box;
        const before = box.scrollTop;
        box.scrollTop = top;
        // At its end it stays where it is, and no event comes.
        if (box.scrollTop === before) moved = null;
    });
    return () => {
        control.abort();
        drawn.disconnect();
    };
}
