/* SPDX-License-Identifier: MIT */
/* What a run lacks because an older version imported it: absent, not zero. */
import type { Run } from '../base/answers';

/** Whether the run lacks a part, such as 'steps of ranks' ([lacks] in schema/run.sql). */
export function lacksPart({ lacks }: Run, part: string): boolean {
    return lacks?.includes(part) ?? false;
}

/** Why the run lacks parts, and what to do. */
export function lacksHint({ id, summary }: Run): string {
    return Array.isArray(summary.redacted)
        ? 'An older perfshelf imported this run, and the copy came without its original.'
        : `An older perfshelf imported this run. \`perfshelf renew ${id}\` reads its original again.`;
}
