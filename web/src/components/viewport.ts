/* SPDX-License-Identifier: MIT */
import { signal } from '@preact/signals';

/** Width of the window in px; it decides which columns and labels are shown. */
export const viewportWidth = signal(window.innerWidth);

addEventListener('resize', () => {
    viewportWidth.value = window.innerWidth;
});

/** Windows that are narrower than this, in px, are taken for phones; see `hide-below-600`. */
export const PHONE_PX = 600;
