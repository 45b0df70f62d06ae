/* SPDX-License-Identifier: MIT */
import { signal } from '@preact/signals';

/** Width of the window in px; columns and labels come and go with it. */
export const viewportWidth = signal(window.innerWidth);

addEventListener('resize', () => {
    viewportWidth.value = window.innerWidth;
});
