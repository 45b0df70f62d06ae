/* SPDX-License-Identifier: MIT
 *
 * The conclusion of a run, as the server sends it (docs/api-views.md), and which of its causes are
 * shown.
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

export interface Cause {
    rule: string;
    /** 0: a cause; 1: a part of the last cause of level 0 */
    level: number;
    title: SentencePart[];
    /** in the unit of the conclusion */
    amount: number | null;
    /** 0..1 */
    share: number | null;
    save_min: number | null;
    save_max: number | null;
    evidence: SentencePart[];
    advice: string | null;
}

export interface Conclusion {
    /** unit of amounts; times are in s */
    unit: string | null;
    /** `step`: amounts are of one step */
    per: string | null;
    /** what shares are of: `of total` */
    base: string | null;
    verdict: SentencePart[];
    sentence: SentencePart[];
    causes: Cause[];
    notes: string[];
    /** titles of the checks that found nothing */
    checked: string[];
}

/** A cause with its parts. `index` counts the causes of level 0 from 1. */
export interface CauseGroup {
    index: number;
    cause: Cause;
    parts: Cause[];
}

export function groupCauses(causes: Cause[]): CauseGroup[] {
    const groups: CauseGroup[] = [];
    for (const cause of causes) {
        const last = groups[groups.length - 1];
        if (cause.level > 0 && last) last.parts.push(cause);
        else groups.push({ index: groups.length + 1, cause, parts: [] });
    }
    return groups;
}

/** causes that are shown before the user asks for more */
export const CAUSES_SHOWN = 4;
/** rows of causes and parts that fit above the tabs */
const ROWS_SHOWN = 5;

/** Returns the index of the cause that is expanded initially: the first one if its parts and all
 * causes fit into ROWS_SHOWN rows; 0: none. */
export function initiallyOpen(groups: CauseGroup[]): number {
    const first = groups[0];
    if (!first || first.parts.length === 0) return 0;
    return groups.length + first.parts.length <= ROWS_SHOWN ? first.index : 0;
}

const FRAME_PLACE = /^.*[\\/]([^\\/]+\(\d+\): .*)$/;

/** A Python frame of a trace without the folders of its file; other names are unchanged. */
export function shortFrame(name: string): string {
    return FRAME_PLACE.exec(name)?.[1] ?? name;
}
