/* SPDX-License-Identifier: MIT
 *
 * Metadata of an offline file: a page that contains its runs and has no server.
 */

export interface OfflineFile {
    /** URL hash of the view that is shown first */
    start: string;
    /** ISO 8601 */
    made_at: string;
    /** "perfshelf 0.2.0" */
    made_by: string;
    /** what was redacted, as described on the command line */
    redacted: string[];
}

let file: OfflineFile | null = null;

/** Makes this page an offline file. Call it once, before anything is drawn. */
export function setOfflineFile(opened: OfflineFile): void {
    file = opened;
}

/** Metadata of the offline file; null on a page that a server delivers. */
export function offlineFile(): OfflineFile | null {
    return file;
}
