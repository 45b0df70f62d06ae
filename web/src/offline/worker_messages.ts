/* SPDX-License-Identifier: MIT
 *
 * Messages between the page and the worker of its engine.
 */

/** Messages to the worker. The files come first: the file `engine`, then the files of the shelf. Each
 * file is sent in parts, which are base64 of gzip. Requests follow. */
export type ToWorker =
    | { say: 'file'; name: string; bytes: number }
    | { say: 'part'; base64: string }
    | { say: 'open' }
    | { say: 'ask'; id: number; url: string };

export interface Answer {
    status: number;
    type: string;
    body: Uint8Array<ArrayBuffer>;
    /** to be saved as a file */
    attachment: boolean;
}

export type FromWorker =
    | { say: 'open' }
    | { say: 'answer'; id: number; answer: Answer }
    | { say: 'failed'; text: string };
