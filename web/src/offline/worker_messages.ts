/* SPDX-License-Identifier: MIT
 *
 * Messages between the page and the worker of its engine.
 */

/** Messages to the worker: first the files in parts, each gzip in base64, `engine` before the files
 * of the shelf, then requests. */
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
