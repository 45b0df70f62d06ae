/* SPDX-License-Identifier: MIT */
declare module '*.sql' {
    /** The text that the build inserts: only the public views. */
    const text: string;
    export default text;
}
