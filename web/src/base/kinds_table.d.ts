/* SPDX-License-Identifier: MIT */
declare module '*/importers/kinds.c' {
    /** As the build gives it (web/kinds.mjs): a row for each kind. */
    const kinds: { name: string; mark: string; has: string[]; tabs: string[] }[];
    export default kinds;
}
