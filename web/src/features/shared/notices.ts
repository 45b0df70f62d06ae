/* SPDX-License-Identifier: MIT
 *
 * Notices above the shelf: files that failed, were already on the shelf or were left out, and runs
 * that were just deleted.
 */
import { signal } from '@preact/signals';
import type { ErrorBody, Job, JobMember } from '../../base/answers';
import { int, plural } from '../../base/units';

export interface ShelfNotice {
    key: string;
    kind: 'failed' | 'already' | 'left_out' | 'deleted';
    name: string;
    error: ErrorBody | null;
    run: string | null;
    /** Files that were left out, each with its reason. */
    files?: string[];
    /** Ids of the deleted runs, for Undo. */
    deleted?: string[];
}

export const notices = signal<ShelfNotice[]>([]);

export function addNotice(item: ShelfNotice): void {
    notices.value = [item, ...notices.value.filter((other) => other.key !== item.key)];
}

export function removeNotice(key: string): void {
    notices.value = notices.value.filter((item) => item.key !== key);
}

const MAX_FILES = 20;

function memberNotice(job: Job, member: JobMember, key: string): ShelfNotice {
    const name = member.name === job.name ? job.name : `${job.name}: ${member.name}`;
    const { error, run } = member;
    return error
        ? { key, kind: 'failed', name, error, run: null }
        : { key, kind: 'already', name, error: null, run };
}

function leftOutNotices(job: Job, files: JobMember[]): ShelfNotice[] {
    const omittedCount = job.members_untold ?? 0;
    if (!files.length && !omittedCount) return [];
    const reasons = files.map(({ name, error }) => `${name}: ${error?.text ?? ''}`);
    if (omittedCount) reasons.push(`and ${int(omittedCount)} more`);
    const count = files.length + omittedCount;
    const name = `${plural(count, 'file')} in ${job.name}`;
    return [
        {
            key: `${job.id} left out`,
            kind: 'left_out',
            name,
            error: null,
            run: null,
            files: reasons,
        },
    ];
}

/** One notice for each failed or already known file of an archive (at most MAX_FILES), one for the
 * files that were left out, and one if the job failed. */
export function archiveNotices(job: Job): ShelfNotice[] {
    const members = job.members ?? [];
    const rows = members
        .filter((member) => !member.left_out && (member.error || member.already))
        .slice(0, MAX_FILES)
        .map((member, i) => memberNotice(job, member, `${job.id} ${i}`));
    const ownError = job.state === 'failed' ? job.error : null;
    if (ownError)
        rows.push({ key: job.id, kind: 'failed', name: job.name, error: ownError, run: null });
    return [
        ...leftOutNotices(
            job,
            members.filter((member) => member.left_out),
        ),
        ...rows,
    ];
}
