/* SPDX-License-Identifier: MIT
 *
 * The same page, from a file: it opens what the file carries, then shows what it was made of.
 */
import { render } from 'preact';
import { answerFrom } from '../base/client';
import { type OfflineFile, openOffline } from '../base/offline';
import { Notice } from '../components/notice';
import { App } from '../views/app';
import { serveDownloads } from './downloads';
import { carried } from './packed';
import { LocalShelf } from './wire';

const place = document.getElementById('app') as HTMLElement;

function failed(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    render(
        <main class="no-run">
            <Notice kind="error" title="This file cannot be opened here">
                <div>{words}</div>
                <div>
                    It needs a browser of 2023 or later, with WebAssembly; or it did not arrive
                    whole.
                </div>
            </Notice>
        </main>,
        place,
    );
}

async function open(): Promise<void> {
    openOffline(JSON.parse(carried('offline-file') ?? 'null') as OfflineFile);
    const shelf = new LocalShelf();
    await shelf.open(document);
    answerFrom(shelf.wire);
    serveDownloads(shelf);
    place.replaceChildren();
    render(<App />, place);
}

open().catch(failed);
