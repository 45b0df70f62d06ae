/* SPDX-License-Identifier: MIT */
declare module '*/importers/kinds.c' {
    /** The module that web/kinds.mjs generates: a row for each kind. */
    const kinds: { name: string; mark: string; has: string[]; tabs: string[] }[];
    export default kinds;
}
