/* SPDX-License-Identifier: MIT
 *
 * The address bar and history of the window, which store the route.
 */
import { persistAddress, parseHash, route } from '../../base/router';

function readAddress(): void {
    route.value = parseHash(location.hash);
}

function writeAddress(hash: string, replace: boolean): void {
    if (replace) history.replaceState(null, '', hash);
    else if (hash !== location.hash) history.pushState(null, '', hash);
    route.value = parseHash(hash);
}

/** Called once, before anything is drawn. */
export function followAddress(): void {
    readAddress();
    persistAddress(writeAddress);
    addEventListener('popstate', readAddress);
    addEventListener('hashchange', readAddress);
}
