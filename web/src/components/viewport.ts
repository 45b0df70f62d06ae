/* SPDX-License-Identifier: MIT */
import { signal } from '@preact/signals';

/** Width of the window in px; columns and labels are shown or hidden by it. */
export const viewportWidth = signal(window.innerWidth);

addEventListener('resize', () => {
    viewportWidth.value = window.innerWidth;
});
