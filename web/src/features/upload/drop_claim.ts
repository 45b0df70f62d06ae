/* SPDX-License-Identifier: MIT
 *
 * Files dropped on the window are added to the shelf, unless the current tab claims them.
 */
export interface DropClaim {
    /** Whether the tab accepts all of these files. */
    wants: (names: string[]) => boolean;
    take: (files: File[]) => void;
}

let claim: DropClaim | null = null;

/** Registers a claim; the returned function removes it. */
export function claimDrops(next: DropClaim): () => void {
    claim = next;
    return () => {
        if (claim === next) claim = null;
    };
}

/** Passes the files to the tab; returns false if they are for the shelf. */
export function offerDrop(transfer: DataTransfer): boolean {
    const files = [...transfer.files];
    if (!claim || !files.length || !claim.wants(files.map(({ name }) => name))) return false;
    claim.take(files);
    return true;
}
