/* SPDX-License-Identifier: MIT
 *
 * What the page and its engine's worker say to each other.
 */

/** The files, part by part, each base64 of gzip; `engine` first, then those of the shelf. Then questions. */
export type ToWorker =
    | { say: 'file'; name: string; bytes: number }
    | { say: 'part'; base64: string }
    | { say: 'open' }
    | { say: 'ask'; id: number; url: string };

export interface Answer {
    status: number;
    type: string;
    body: Uint8Array<ArrayBuffer>;
    /** meant to be saved as a file */
    attachment: boolean;
}

export type FromWorker =
    | { say: 'open' }
    | { say: 'answer'; id: number; answer: Answer }
    | { say: 'failed'; text: string };
