/* SPDX-License-Identifier: MIT */

/** Calls back when the colours change, by the reader's choice or the system's. */
export function watchTheme(changed: () => void): () => void {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const chosen = new MutationObserver(changed);
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    system.addEventListener('change', changed);
    return () => {
        chosen.disconnect();
        system.removeEventListener('change', changed);
    };
}
