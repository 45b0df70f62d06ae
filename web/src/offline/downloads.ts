/* SPDX-License-Identifier: MIT
 *
 * Download links to API files, such as a table as CSV. In an offline file the engine creates the
 * downloaded files instead of a server.
 */
import { API } from '../base/client';
import type { LocalShelf } from './wire';

/** File name of a download: "comparison-functions.csv", "3fa9c1d2e4b5a697-kernels.json". */
export function fileName(url: string, type: string): string {
    const path = url.slice(API.length + 1).split('?')[0];
    const name = path
        .replace(/^runs\//, '')
        .replace(/^compare/, 'comparison')
        .replaceAll('/', '-');
    return `${decodeURIComponent(name)}.${type.startsWith('text/csv') ? 'csv' : 'json'}`;
}

export function saveBlob(blob: Blob, name: string): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** From now on, clicks on download links of the API save the file. */
export function serveDownloads(shelf: LocalShelf): void {
    document.addEventListener('click', (event) => {
        const link = (event.target as Element).closest?.<HTMLAnchorElement>('a[download]');
        const url = link?.getAttribute('href') ?? '';
        if (!url.startsWith(`${API}/`)) return;
        event.preventDefault();
        void shelf
            .request(url)
            .then(({ body, type }) => saveBlob(new Blob([body], { type }), fileName(url, type)));
    });
}
