/* SPDX-License-Identifier: MIT
 *
 * Data embedded in an offline file, as script elements that browsers do not run: gzip in base64,
 * split into parts, because browsers cannot hold one string of hundreds of megabytes.
 *
 *     <script type="application/gzip;base64" data-file="/runs/ab12.db" data-bytes="368640">…</script>
 *
 * All parts of a file have its name and are in order; the first part has the uncompressed size of
 * the file in bytes.
 */

export interface PackedFile {
    name: string;
    bytes: number;
    parts: HTMLScriptElement[];
}

/** Embedded files, in document order. */
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

/** Text of an embedded data element; null if there is none. A panel reads it from the page around it. */
export function embeddedText(id: string): string | null {
    const page = window.frameElement ? window.parent.document : document;
    return page.getElementById(id)?.textContent ?? null;
}

/** Starts a worker from embedded script code. */
export function workerOf(code: string): Worker {
    const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    const worker = new Worker(url);
    URL.revokeObjectURL(url);
    return worker;
}
