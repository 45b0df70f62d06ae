/* SPDX-License-Identifier: MIT
 *
 * Links to views where the window has no address of its own to hold them.
 */
import { goTo } from '../base/router';

/** Handles a plain click on a link to a view with the router instead of the browser. */
export function followViewLink(event: MouseEvent): void {
    const link = (event.target as Element).closest('a');
    const href = link?.getAttribute('href') ?? '';
    const isPlainClick = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (event.defaultPrevented || !isPlainClick || !href.startsWith('#/') || link?.target) return;
    event.preventDefault();
    goTo(href);
}
