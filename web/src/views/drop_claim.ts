/* SPDX-License-Identifier: MIT
 *
 * Files dropped on the window go to the shelf, unless the tab that is shown wants them.
 */
export interface DropClaim {
    /** All of the files are for the tab. */
    wants: (names: string[]) => boolean;
    take: (files: File[]) => void;
}

let claim: DropClaim | null = null;

/** Until the answered function is called. */
export function claimDrops(next: DropClaim): () => void {
    claim = next;
    return () => {
        if (claim === next) claim = null;
    };
}

/** Gives the files to the tab; false when they are for the shelf. */
export function offerDrop(transfer: DataTransfer): boolean {
    const files = [...transfer.files];
    if (!claim || !files.length || !claim.wants(files.map(({ name }) => name))) return false;
    claim.take(files);
    return true;
}
