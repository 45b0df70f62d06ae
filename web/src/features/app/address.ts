/* SPDX-License-Identifier: MIT
 *
 * Keeps the route and the window's address bar and history equal.
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

/** Reads the URL and follows its changes. Called once at start, before the first render. */
export function followAddress(): void {
    readAddress();
    persistAddress(writeAddress);
    addEventListener('popstate', readAddress);
    addEventListener('hashchange', readAddress);
}
