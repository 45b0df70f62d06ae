/* SPDX-License-Identifier: MIT
 *
 * A term with an explanation: a dotted underline, and a tooltip on hover and on focus. Tab moves
 * from the term to the link in the tooltip, Esc closes it.
 */
import type { ComponentChildren } from 'preact';
import { offlineFile } from '../base/offline';
import { glossaryHref, type TermId, TERMS } from '../base/terms';
import { hideTooltip, pinTooltip, leaveTooltip } from './tooltip';

const OPEN_MS = 200;
let opening: ReturnType<typeof setTimeout> | undefined;

function show(term: TermId, anchor: Element, details: string | undefined): void {
    clearTimeout(opening);
    pinTooltip(
        <>
            <div>{TERMS[term].help}</div>
            {details && <div class="soft">{details}</div>}
            {!offlineFile() && (
                <a class="link" href={glossaryHref(term)} target="_blank" rel="noopener">
                    Read more
                </a>
            )}
        </>,
        anchor,
    );
}

/** Handlers for an element that contains the term; `details` is shown after the explanation. */
export function termHandlers(term: TermId, details?: string) {
    const leave = () => {
        clearTimeout(opening);
        leaveTooltip();
    };
    return {
        onPointerEnter: (event: PointerEvent) => {
            const anchor = event.currentTarget as Element;
            clearTimeout(opening);
            opening = setTimeout(() => show(term, anchor, details), OPEN_MS);
        },
        onPointerLeave: leave,
        onFocusIn: (event: FocusEvent) => {
            const target = event.target as Element;
            // A mouse click on a header sorts and must not open the explanation.
            if (target.matches(':focus-visible')) {
                show(term, event.currentTarget as Element, details);
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
    /** Replaces the term's own label, for another form of the word. */
    children?: ComponentChildren;
    details?: string;
}

export function Term({ of: term, children, details }: TermProps) {
    return (
        <span class="term" tabIndex={0} {...termHandlers(term, details)}>
            {children ?? TERMS[term].label}
        </span>
    );
}
