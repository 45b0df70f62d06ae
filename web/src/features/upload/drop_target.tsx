/* SPDX-License-Identifier: MIT
 *
 * Adds files in any view: by drag and drop, and by pasting outside of text fields.
 */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { clock, int } from '../../base/units';
import { inField } from '../../components/window_keys';
import { shelf } from '../shared/shelf_state';
import { addBlob, addDroppedFiles, addFiles } from './uploads';

const draggedCount = signal<number | null>(null);

export function carriesFiles(event: DragEvent): boolean {
    return event.dataTransfer?.types.includes('Files') ?? false;
}

function onDragOver(event: DragEvent): void {
    if (!carriesFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    const count = [...event.dataTransfer.items].filter((item) => item.kind === 'file').length;
    if (draggedCount.value !== count) draggedCount.value = count;
}

/** Shows the drop overlay when files are dragged over a panel; the overlay then handles the drop. */
export function showDrop(): void {
    draggedCount.value ??= 0;
}

function onDragLeave(event: DragEvent): void {
    // Drags between elements of the window have a related target; a drag out of the window has
    // none.
    if (event.relatedTarget === null) draggedCount.value = null;
}

function onDrop(event: DragEvent): void {
    draggedCount.value = null;
    if (!carriesFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    if (!dispatchDrop(event.dataTransfer)) void addDroppedFiles(event.dataTransfer);
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

export function DropTarget() {
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
    if (draggedCount.value === null) return null;
    return <DropOverlay count={draggedCount.value} listen={shelf.value?.listen ?? location.host} />;
}

function refuseFiles(event: DragEvent): void {
    if (!carriesFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'none';
}

/** Used instead of DropTarget for users who may not add runs: the browser must not open a dropped
 * file instead of the page. */
export function NoDropTarget() {
    useEffect(() => {
        addEventListener('dragover', refuseFiles);
        addEventListener('drop', refuseFiles);
        return () => {
            removeEventListener('dragover', refuseFiles);
            removeEventListener('drop', refuseFiles);
        };
    }, []);
    return null;
}

/** A tab that accepts dropped files. All other files that are dropped on the window are added to
 * the shelf. */
interface DropHandler {
    /** Whether the tab accepts all of these files. */
    accepts: (names: string[]) => boolean;
    addFiles: (files: File[]) => void;
}

let dropHandler: DropHandler | null = null;

/** Registers the handler of the current tab; the returned function removes it. */
export function registerDropHandler(next: DropHandler): () => void {
    dropHandler = next;
    return () => {
        if (dropHandler === next) dropHandler = null;
    };
}

/** Passes the files to the current tab; returns false if the tab does not accept them. */
function dispatchDrop(transfer: DataTransfer): boolean {
    const files = [...transfer.files];
    if (!dropHandler || !files.length || !dropHandler.accepts(files.map(({ name }) => name)))
        return false;
    dropHandler.addFiles(files);
    return true;
}

interface DropOverlayProps {
    /** number of files, 0 if the browser does not report it; names of files are not available
     * before the drop */
    count: number;
    listen: string;
}

function DropOverlay({ count, listen }: DropOverlayProps) {
    const what = count === 1 ? 'the file' : count > 1 ? `${int(count)} files` : 'the files';
    return (
        <div class="drop-overlay">
            <b>
                Drop {what} to add {count === 1 ? 'it' : 'them'} to the shelf
            </b>
            <span class="soft">
                The content decides the format; file names do not matter. Files are sent only to{' '}
                {listen}.
            </span>
        </div>
    );
}
