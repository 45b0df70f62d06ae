/* SPDX-License-Identifier: MIT */
/* members_serving.c: the files of serving jobs in an archive. */
#include "server/jobs/members_state.h"

void ps_members_find_serving(struct ps_members *members)
{
    PS_AUTO(ps_free_ptr)
    struct ps_serving_candidate *files = ps_alloc_array(members->n + 1, sizeof *files);
    const int first = (int)members->n_parts;
    size_t n_jobs;

    for (size_t i = 0; i < members->n; i++) {
        const struct ps_member *member = &members->items[i];
        size_t len;

        files[i] = (struct ps_serving_candidate){
            .folder = {member->name, ps_member_folder_len(member->name)},
            .is_of_handler = ps_is_job_member(member->name, &len),
            .facts = member->part == PS_MEMBER_ALONE ? member->serving : PS_SERVING_NO_FACTS};
    }
    n_jobs = ps_serving_find_jobs(files, members->n);
    for (size_t i = 0; i < n_jobs; i++) {
        PS_RESERVE_ONE(members->parts, members->n_parts, members->cap_parts);
        members->parts[members->n_parts++] = (struct ps_member_part){
            .fd = -1,
            .kind = PS_PART_SERVING,
            .archive_folder = ps_serving_archive_folder(files, members->n, (int)i)};
    }
    for (size_t i = 0; i < members->n; i++) {
        struct ps_member_part *part;

        if (files[i].job < 0)
            continue;
        members->items[i].part = first + files[i].job;
        part = &members->parts[members->items[i].part];
        if (!part->folder)
            part->folder = ps_strdup(files[i].folder);
        part->n_left = ++part->files;
    }
}
