/* SPDX-License-Identifier: MIT
 *
 * Adds files in any view: by drag and drop, and by pasting outside of text fields.
 */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { clock } from '../../base/units';
import { inField } from '../../components/window_keys';
import { shelf } from '../shared/shelf_state';
import { offerDrop } from './drop_claim';
import { DropOverlay } from './drop_overlay';
import { addBlob, addDropped, addFiles } from './uploads';

const dragged = signal<number | null>(null);

export function carriesFiles(event: DragEvent): boolean {
    return event.dataTransfer?.types.includes('Files') ?? false;
}

function onDragOver(event: DragEvent): void {
    if (!carriesFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    const count = [...event.dataTransfer.items].filter((item) => item.kind === 'file').length;
    if (dragged.value !== count) dragged.value = count;
}

/** Shows the drop overlay when files are dragged over a panel; the overlay then handles the drop. */
export function showDrop(): void {
    dragged.value ??= 0;
}

function onDragLeave(event: DragEvent): void {
    // A drag also leaves elements inside the window; only leaving the window has no related target.
    if (event.relatedTarget === null) dragged.value = null;
}

function onDrop(event: DragEvent): void {
    dragged.value = null;
    if (!carriesFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    if (!offerDrop(event.dataTransfer)) void addDropped(event.dataTransfer);
}

function onPaste(event: ClipboardEvent): void {
    if (inField(event.target) || !event.clipboardData) return;
    const files = [...event.clipboardData.files];
    const text = event.clipboardData.getData('text/plain');
    if (!files.length && !text.trim()) return;
    event.preventDefault();
    if (files.length) addFiles(files);
    else addBlob(new Blob([text]), `pasted at ${clock(new Date())}`);
}

export function Intake() {
    useEffect(() => {
        addEventListener('dragenter', onDragOver);
        addEventListener('dragover', onDragOver);
        addEventListener('dragleave', onDragLeave);
        addEventListener('drop', onDrop);
        document.addEventListener('paste', onPaste);
        return () => {
            removeEventListener('dragenter', onDragOver);
            removeEventListener('dragover', onDragOver);
            removeEventListener('dragleave', onDragLeave);
            removeEventListener('drop', onDrop);
            document.removeEventListener('paste', onPaste);
        };
    }, []);
    if (dragged.value === null) return null;
    return <DropOverlay count={dragged.value} listen={shelf.value?.listen ?? location.host} />;
}

function refuse(event: DragEvent): void {
    if (!carriesFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'none';
}

/** For users who may not add runs: prevents the browser from opening a dropped file instead of the
 * page. */
export function NoIntake() {
    useEffect(() => {
        addEventListener('dragover', refuse);
        addEventListener('drop', refuse);
        return () => {
            removeEventListener('dragover', refuse);
            removeEventListener('drop', refuse);
        };
    }, []);
    return null;
}
