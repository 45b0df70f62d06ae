/* SPDX-License-Identifier: MIT */
declare module '*.sql' {
    /** As the build gives it: the public views alone. */
    const text: string;
    export default text;
}
