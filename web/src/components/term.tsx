/* SPDX-License-Identifier: MIT
 *
 * A word with its explanation: a dotted underline, and a tooltip on hover and on focus. Tab goes
 * from the word to the link of the tooltip, Esc closes it.
 */
import type { ComponentChildren } from 'preact';
import { offlineFile } from '../base/offline';
import { glossaryHref, type TermId, TERMS } from '../base/terms';
import { hideTooltip, holdTooltip, leaveTooltip } from './tooltip';

const OPEN_MS = 200;
let opening: ReturnType<typeof setTimeout> | undefined;

function show(term: TermId, anchor: Element, more: string | undefined): void {
    clearTimeout(opening);
    holdTooltip(
        <>
            <div>{TERMS[term].help}</div>
            {more && <div class="soft">{more}</div>}
            {!offlineFile() && (
                <a class="link" href={glossaryHref(term)} target="_blank" rel="noopener">
                    Read more
                </a>
            )}
        </>,
        anchor,
    );
}

/** For an element that contains the word; `more` follows the sentence. */
export function termHandlers(term: TermId, more?: string) {
    const leave = () => {
        clearTimeout(opening);
        leaveTooltip();
    };
    return {
        onPointerEnter: (event: PointerEvent) => {
            const anchor = event.currentTarget as Element;
            clearTimeout(opening);
            opening = setTimeout(() => show(term, anchor, more), OPEN_MS);
        },
        onPointerLeave: leave,
        onFocusIn: (event: FocusEvent) => {
            const target = event.target as Element;
            // A click on a header sorts: that is no question.
            if (target.matches(':focus-visible')) {
                show(term, event.currentTarget as Element, more);
            }
        },
        onFocusOut: leave,
        onKeyDown: (event: KeyboardEvent) => {
            if (event.key === 'Escape' && hideTooltip()) {
                event.stopPropagation();
            } else if (event.key === 'Tab' && !event.shiftKey) {
                const link = document.querySelector<HTMLElement>('.tooltip.is-held a');
                if (!link) return;
                event.preventDefault();
                link.focus();
            }
        },
    };
}

interface TermProps {
    of: TermId;
    /** Instead of the word of the term: the same in another form. */
    children?: ComponentChildren;
    more?: string;
}

export function Term({ of: term, children, more }: TermProps) {
    return (
        <span class="term" tabIndex={0} {...termHandlers(term, more)}>
            {children ?? TERMS[term].word}
        </span>
    );
}
