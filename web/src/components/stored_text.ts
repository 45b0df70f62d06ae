/* SPDX-License-Identifier: MIT
 *
 * Small texts that this browser remembers. Where storage is disabled, nothing is remembered.
 */
const PREFIX = 'perfshelf.';

export function readStored(name: string): string | null {
    try {
        return localStorage.getItem(PREFIX + name);
    } catch {
        return null; // Storage is disabled.
    }
}

/** null removes the text. */
export function storeText(name: string, text: string | null): void {
    try {
        if (text === null) localStorage.removeItem(PREFIX + name);
        else localStorage.setItem(PREFIX + name, text);
    } catch {
        // Storage is disabled: the text is lost when the page is closed.
    }
}
