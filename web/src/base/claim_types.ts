/* SPDX-License-Identifier: MIT
 *
 * Claims of conclusions, of runs and of comparisons: what a sentence says, as data. See
 * docs/api-views.md.
 */
import type { ReportLink } from './sentence_types';

/** What a claim is about. Without a name it is a place, or a thing with a name of perfshelf's (`part`). */
export interface ClaimSubject {
    kind:
        | 'function'
        | 'line'
        | 'module'
        | 'package'
        | 'annotation'
        | 'operator'
        | 'row'
        | 'process'
        | 'part';
    name: string | null;
    file: string | null;
    line: number | null;
    /** of several lines */
    last_line: number | null;
    package: string | null;
    link?: ReportLink;
}

/** A subject, and what it spends most of its share in, with the calls of that. */
export interface ClaimSubjectShare {
    subject: ClaimSubject;
    share: number | null;
    via: ClaimSubject | null;
    calls: number | null;
}

/** Who repeats a subject. */
export interface ClaimLoop {
    subject: ClaimSubject;
    through: ClaimSubject | null;
    times: number;
    /** of the loop, with `times` calls in each */
    passes: number | null;
    is_each: boolean;
}

export interface ClaimFact {
    code: string;
    subject: ClaimSubject | null;
    /** a second subject */
    other: ClaimSubject | null;
    /** shares are 0 to 1, times in s, memory in bytes; null: unknown */
    values: (number | null)[];
    /** of values whose unit depends on the profile */
    unit: string | null;
    /** a noun, such as `call`: of what a value counts, or of what a share is a part */
    word: string | null;
}

/** What the conclusion says, as data; see docs/api-views.md. Shares are 0 to 1 of its base. */
export interface Claim {
    rule: string | null;
    verb: string;
    subjects: ClaimSubjectShare[];
    share: number | null;
    share_low: number | null;
    share_high: number | null;
    waits: number | null;
    waits_for: string | null;
    loop: ClaimLoop | null;
    facts: ClaimFact[];
    saving: number | null;
    condition: string | null;
    no_saving: string | null;
    blind: string | null;
    advice: string | null;
    /** index of the claim that it is a part of */
    parent: number | null;
}
