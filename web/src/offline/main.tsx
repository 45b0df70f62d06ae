/* SPDX-License-Identifier: MIT
 *
 * Entry point of offline files: loads the embedded runs and shows the page for them. A panel uses
 * the engine of the page around it.
 */
import { render } from 'preact';
import { replaceFetch } from '../base/client';
import { showDirectionMarks } from '../base/direction_marks';
import { type OfflineFile, setOfflineFile } from '../base/offline';
import type { PanelHost } from '../base/panel';
import { Notice } from '../components/notice';
import { openApp } from '../features/app/app';
import { hostOfWindow, openPanel } from '../features/side/panel';
import { serveDownloads } from './downloads';
import { embeddedText } from './packed';
import { LocalShelf } from './wire';

const root = document.getElementById('app') as HTMLElement;

function showError(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    render(
        <main class="no-run">
            <Notice kind="error" title="This file cannot be opened here">
                <div>{message}</div>
                <div>
                    Use a browser of 2023 or later with WebAssembly. If that fails too, download the
                    file again: it may be incomplete.
                </div>
            </Notice>
        </main>,
        root,
    );
}

/* The window property through which panels find the engine. */
type WithShelf = Window & { shelf?: LocalShelf };

function connect(shelf: LocalShelf): void {
    setOfflineFile(JSON.parse(embeddedText('offline-file') ?? 'null') as OfflineFile);
    replaceFetch(shelf.wire);
    serveDownloads(shelf);
}

async function openPage(): Promise<void> {
    const shelf = new LocalShelf();
    await shelf.open(document);
    connect(shelf);
    (window as WithShelf).shelf = shelf;
    root.replaceChildren();
    render(openApp(), root);
}

function openInPanel(host: PanelHost): void {
    connect((window.parent as WithShelf).shelf as LocalShelf);
    render(openPanel(host), root);
}

showDirectionMarks(CanvasRenderingContext2D.prototype);
const host = hostOfWindow();
if (host) openInPanel(host);
else openPage().catch(showError);
