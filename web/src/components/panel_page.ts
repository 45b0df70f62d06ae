/* SPDX-License-Identifier: MIT
 *
 * What the frame of a panel loads: the shelf's page again, or in a file, where there is no address to
 * load from, the head of this page, which is all of the program.
 */
import { offlineFile } from '../base/offline';

export function panelPage(): { src: string } | { srcdoc: string } {
    if (!offlineFile()) return { src: '/?panel' };
    const head = document.head.innerHTML;
    return {
        srcdoc: `<!doctype html><html lang="en"><head>${head}</head><body><div id="app"></div></body></html>`,
    };
}
