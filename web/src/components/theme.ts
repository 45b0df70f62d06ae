/* SPDX-License-Identifier: MIT
 *
 * Light or dark theme: the system's choice until the user chooses one, which is stored in this
 * browser. Choosing the system's theme follows the system again.
 */
import { computed, signal } from '@preact/signals';

export type Theme = 'light' | 'dark';

const KEY = 'perfshelf.theme';
const system = matchMedia('(prefers-color-scheme: dark)');

function storedTheme(): Theme | null {
    try {
        const value = localStorage.getItem(KEY);
        return value === 'light' || value === 'dark' ? value : null;
    } catch {
        return null; // Storage is disabled: follow the system.
    }
}

const systemDark = signal(system.matches);
const chosen = signal<Theme | null>(storedTheme());

/** The current theme; canvas code redraws when it changes. */
export const theme = computed<Theme>(() => chosen.value ?? (systemDark.value ? 'dark' : 'light'));
export const followsSystem = computed(() => chosen.value === null);

system.addEventListener('change', (event) => {
    systemDark.value = event.matches;
});

// The theme was chosen in another window, such as the page around a panel.
addEventListener('storage', (event) => {
    if (event.key !== KEY) return;
    chosen.value = storedTheme();
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
        // Storage is disabled: the choice is lost when the page is closed.
    }
}

apply();
