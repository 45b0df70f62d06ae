/* SPDX-License-Identifier: MIT
 *
 * Notifications after an archive was read: one row for each failed or already known file, and one
 * row for all files that were left out.
 */
import type { Job, JobMember } from '../../base/types';
import { int, plural } from '../../base/units';
import type { News } from './shelf_state';

const MOST_ROWS = 20;

function memberNews(job: Job, member: JobMember, key: string): News {
    const name = member.name === job.name ? job.name : `${job.name}: ${member.name}`;
    const { error, run } = member;
    return error
        ? { key, kind: 'failed', name, error, run: null }
        : { key, kind: 'already', name, error: null, run };
}

function leftOutNews(job: Job, files: JobMember[]): News[] {
    const untold = job.members_untold ?? 0;
    if (!files.length && !untold) return [];
    const reasons = files.map(({ name, error }) => `${name}: ${error?.text ?? ''}`);
    if (untold) reasons.push(`and ${int(untold)} more`);
    const count = files.length + untold;
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

export function membersNews(job: Job): News[] {
    const members = job.members ?? [];
    const rows = members
        .filter((member) => !member.left_out && (member.error || member.already))
        .slice(0, MOST_ROWS)
        .map((member, i) => memberNews(job, member, `${job.id} ${i}`));
    const own = job.state === 'failed' ? job.error : null;
    if (own) rows.push({ key: job.id, kind: 'failed', name: job.name, error: own, run: null });
    return [
        ...leftOutNews(
            job,
            members.filter((member) => member.left_out),
        ),
        ...rows,
    ];
}
