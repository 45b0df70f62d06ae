/* SPDX-License-Identifier: MIT */
declare module '*.h' {
    /** The text of a header in C. */
    const text: string;
    export default text;
}
