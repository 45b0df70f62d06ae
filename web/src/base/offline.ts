/* SPDX-License-Identifier: MIT
 *
 * Whether this page is a file that somebody was sent: it holds the runs itself, and has no shelf.
 */

export interface OfflineFile {
    /** the address that it opens with */
    start: string;
    /** ISO 8601 */
    made_at: string;
    /** "perfshelf 0.2.0" */
    made_by: string;
    /** what was left out of it, in the words of the command line */
    redacted: string[];
}

let file: OfflineFile | null = null;

/** Before anything is drawn. */
export function openOffline(opened: OfflineFile): void {
    file = opened;
}

/** Null on the page of a shelf. */
export function offlineFile(): OfflineFile | null {
    return file;
}
