/* SPDX-License-Identifier: MIT
 *
 * Sentences of the server: conclusions of runs and of comparisons, see docs/api-views.md.
 */
export interface ReportLink {
    /** a tab, by its key in importers/kinds.c */
    tab: string;
    params: Record<string, string>;
}

/** Text, the name of code, or a number with a unit. */
export interface SentencePart {
    text?: string;
    code?: string;
    value?: number | null;
    /** like the unit of a headline; also `percent` (0..100) and `count` */
    unit?: string;
    link?: ReportLink;
}
