/* SPDX-License-Identifier: MIT
 *
 * What the file carries, in script elements that no browser runs: gzip in base64, in parts, since one text
 * of hundreds of megabytes is more than browsers hold.
 *
 *     <script type="application/gzip;base64" data-file="/runs/ab12.db" data-bytes="368640">…</script>
 *
 * Parts of a file have its name and follow each other; the first says how many bytes it inflates to.
 */

export interface PackedFile {
    name: string;
    bytes: number;
    parts: HTMLScriptElement[];
}

/** In the order of the page. */
export function packedFiles(root: ParentNode): PackedFile[] {
    const files = new Map<string, PackedFile>();
    for (const part of root.querySelectorAll<HTMLScriptElement>('script[data-file]')) {
        const name = part.dataset.file ?? '';
        const file = files.get(name) ?? { name, bytes: Number(part.dataset.bytes), parts: [] };
        file.parts.push(part);
        files.set(name, file);
    }
    return [...files.values()];
}

/** The text of an element that is data, or null when the file has none. A panel asks the page around it. */
export function carried(id: string): string | null {
    const page = window.frameElement ? window.parent.document : document;
    return page.getElementById(id)?.textContent ?? null;
}

/** A script of the file as a worker. */
export function workerOf(code: string): Worker {
    const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    const worker = new Worker(url);
    URL.revokeObjectURL(url);
    return worker;
}
