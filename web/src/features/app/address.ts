/* SPDX-License-Identifier: MIT
 *
 * Keeps the route and the window's address bar and history equal.
 */
import { persistAddress, parseHash, route } from '../../base/router';
import { followViewLink } from '../../components/view_links';

function readAddress(): void {
    route.value = parseHash(location.hash);
}

function writeAddress(hash: string, replace: boolean): void {
    if (replace) history.replaceState(null, '', hash);
    else if (hash !== location.hash) history.pushState(null, '', hash);
    route.value = parseHash(hash);
}

/** Reads the URL and follows its changes. Called once at start, before the first render. A frame
 * whose content is part of the page around it, as in a notebook, has no URL: the router alone keeps
 * the route. */
export function followAddress(): void {
    if (location.protocol === 'about:') {
        document.addEventListener('click', followViewLink);
        return;
    }
    readAddress();
    persistAddress(writeAddress);
    addEventListener('popstate', readAddress);
    addEventListener('hashchange', readAddress);
}
