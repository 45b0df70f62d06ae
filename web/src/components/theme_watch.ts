/* SPDX-License-Identifier: MIT */

/** Calls `changed` when the user or the system changes the theme. Returns a function that stops the
 * calls. */
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
