/* SPDX-License-Identifier: MIT
 *
 * Source of a panel's iframe: the shelf's page with `?panel`. An offline file has no URL to load,
 * so there it is the head of this page, which contains the complete program.
 */
import { offlineFile } from '../../base/offline';

export function panelPage(): { src: string } | { srcdoc: string } {
    if (!offlineFile()) return { src: '/?panel' };
    const head = document.head.innerHTML;
    return {
        srcdoc: `<!doctype html><html lang="en"><head>${head}</head><body><div id="app"></div></body></html>`,
    };
}
