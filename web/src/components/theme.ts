/* SPDX-License-Identifier: MIT
 *
 * Light or dark: the system's choice until the reader makes one, which is kept in this browser.
 * Choosing what the system has anyway goes back to following it.
 */
import { computed, signal } from '@preact/signals';

export type Theme = 'light' | 'dark';

const KEY = 'perfshelf.theme';
const system = matchMedia('(prefers-color-scheme: dark)');

function stored(): Theme | null {
    try {
        const value = localStorage.getItem(KEY);
        return value === 'light' || value === 'dark' ? value : null;
    } catch {
        return null; // Storage is switched off; the theme then follows the system.
    }
}

const systemDark = signal(system.matches);
const chosen = signal<Theme | null>(stored());

/** What is on screen; canvas code redraws when it changes. */
export const theme = computed<Theme>(() => chosen.value ?? (systemDark.value ? 'dark' : 'light'));
export const followsSystem = computed(() => chosen.value === null);

system.addEventListener('change', (event) => {
    systemDark.value = event.matches;
});

// Chosen in another window, such as the page around a panel.
addEventListener('storage', (event) => {
    if (event.key !== KEY) return;
    chosen.value = stored();
    apply();
});

function apply(): void {
    const root = document.documentElement;
    if (chosen.value) root.dataset.theme = chosen.value;
    else delete root.dataset.theme;
}

export function toggleTheme(): void {
    const next: Theme = theme.value === 'dark' ? 'light' : 'dark';
    chosen.value = next === (systemDark.value ? 'dark' : 'light') ? null : next;
    apply();
    try {
        if (chosen.value) localStorage.setItem(KEY, chosen.value);
        else localStorage.removeItem(KEY);
    } catch {
        // As above: the choice then lasts as long as the page.
    }
}

apply();
