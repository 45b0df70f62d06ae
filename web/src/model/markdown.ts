/* SPDX-License-Identifier: MIT
 *
 * Markdown that people wrote: parsed to tokens, never to HTML. HTML in the text stays text, images
 * are links, and only harmless addresses are links.
 */
import { lexer, type Token } from 'marked';

/** The tokens of a text; null if its nesting is too deep to parse. */
export function parseMarkdown(text: string): Token[] | null {
    try {
        return lexer(text, { gfm: true, breaks: true });
    } catch (reason) {
        // The parser recurses for each level of quotes and lists.
        if (reason instanceof RangeError) return null;
        throw reason;
    }
}

/** An address that a link may have: a web page, a mail address, or a place in this page; else
 * null. */
export function safeAddress(href: string): string | null {
    if (/^#\//.test(href)) return href;
    if (!/^(?:https?|mailto):/i.test(href)) return null;
    try {
        return new URL(href).href;
    } catch {
        return null;
    }
}
