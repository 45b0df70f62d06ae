/* SPDX-License-Identifier: MIT */
/* members_ranks.c: the traces of the workers and spans of one training job, and the profiles of XLA
 * of the hosts of one recording. */
#include <stdlib.h>

#include "importers/importer.h"
#include "server/jobs/copies.h"
#include "server/jobs/members_state.h"

/* --- Traces of a training job --- */

/* The number after "rank" in the name of a .pftrace, such as rank0.pftrace and
 * run.rank-12.pftrace.gz; -1: there is none. */
static int64_t rank_in_name(const char *path)
{
    struct ps_str name = ps_str_from_c(ps_member_base_name(path));
    const char *at = ps_str_find(name, PS_STR("rank"));
    int64_t rank = 0;

    if (!at || !(ps_str_ends_with(name, PS_STR(".pftrace")) ||
                 ps_str_ends_with(name, PS_STR(".pftrace.gz"))))
        return -1;
    at += strlen("rank");
    at += *at == '_' || *at == '-';
    if (*at < '0' || *at > '9')
        return -1;
    for (; *at >= '0' && *at <= '9' && rank < INT32_MAX; at++)
        rank = rank * 10 + (*at - '0');
    return rank;
}

bool ps_is_job_member(const char *path, size_t *len)
{
    static const char *const endings[] = {".pt.trace.json", ".pt.trace.json.gz"};
    size_t n = strlen(path);

    *len = ps_member_folder_len(path);
    for (size_t i = 0; i < 2; i++) {
        size_t end = strlen(endings[i]);

        if (n > end && strcmp(path + n - end, endings[i]) == 0)
            return true;
    }
    return rank_in_name(path) >= 0;
}

struct ps_str ps_job_worker_of(const char *path)
{
    const char *dot = strchr(ps_member_base_name(path), '.');
    bool has_time = dot && dot[1] >= '0' && dot[1] <= '9';

    return (struct ps_str){path, has_time ? (size_t)(dot - path) : strlen(path)};
}

struct ps_job_file ps_job_file_of(const char *path, struct ps_job_rank rank)
{
    if (rank.rank < 0 && rank.may_be_old)
        rank.rank = rank_in_name(path);
    return (struct ps_job_file){ps_job_worker_of(path), rank};
}

static bool may_be_of_one_job(const struct ps_job_file *a, const struct ps_job_file *b)
{
    if (ps_str_eq(a->worker, b->worker))
        return true;
    return a->rank.rank < 0 && b->rank.rank < 0
               ? a->rank.may_be_old && b->rank.may_be_old
               : a->rank.rank >= 0 && b->rank.rank >= 0 && a->rank.rank != b->rank.rank;
}

static bool are_one_run(const struct ps_job_file *files, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (!may_be_of_one_job(&files[i], &files[k]))
                return false;
    return true;
}

size_t ps_job_count_files(const struct ps_job_file *files, size_t n)
{
    size_t of_worker = n > 0;

    if (are_one_run(files, n))
        return n;
    while (of_worker < n && ps_str_eq(files[of_worker].worker, files[0].worker))
        of_worker++;
    return of_worker;
}

static bool is_of_job(const struct ps_member *member, size_t *len)
{
    return member->part == PS_MEMBER_ALONE && member->is_torch_trace &&
           ps_is_job_member(member->name, len);
}

/* Whether the files of training jobs in the folder of the member are one run. */
static bool is_folder_one_run(const struct ps_members *members, const struct ps_member *member,
                              size_t folder)
{
    PS_AUTO(ps_free_ptr)
    struct ps_job_file *files = ps_alloc_array(members->n, sizeof *files);
    size_t n = 0, len;

    for (size_t i = 0; i < members->n; i++)
        if (is_of_job(&members->items[i], &len) && len == folder &&
            memcmp(members->items[i].name, member->name, len) == 0)
            files[n++] = members->items[i].file;
    return are_one_run(files, n);
}

void ps_members_find_ranks(struct ps_members *members)
{
    const struct ps_member *before = NULL; /* of the same folder */
    size_t len, folder = 0;
    bool is_one = false;

    for (size_t i = 0; i < members->n; i++) {
        struct ps_member *member = &members->items[i];

        if (!is_of_job(member, &len))
            continue;
        if (!before || len != folder || memcmp(before->name, member->name, len) != 0)
            is_one = is_folder_one_run(members, member, len);
        before = member;
        folder = len;
        member->part = ps_member_part_of(members, is_one ? (struct ps_str){member->name, len}
                                                         : member->file.worker);
        members->parts[member->part].files++;
    }
    for (size_t i = 0; i < members->n; i++)
        if (members->items[i].part >= 0 && members->parts[members->items[i].part].files == 1)
            members->items[i].part = PS_MEMBER_ALONE;
    for (size_t i = 0; i < members->n_parts; i++)
        members->parts[i].n_left = members->parts[i].files;
}

/* --- Profiles of XLA --- */

static void leave_out_copies(struct ps_members *members)
{
    PS_AUTO(ps_free_ptr) const char **names = ps_alloc_array(members->n + 1, sizeof *names);

    for (size_t i = 0; i < members->n; i++)
        names[i] = members->items[i].name;
    for (size_t i = 0; i < members->n; i++) {
        struct ps_member *member = &members->items[i];

        if (ps_is_xprof_cache(ps_str_from_c(ps_member_base_name(member->name)), PS_ERR_IGNORED))
            member->part = PS_MEMBER_COMPANION;
        else if (member->part == PS_MEMBER_ALONE &&
                 ps_is_copy_of_recording(names, members->n, i, &member->reason))
            member->part = PS_MEMBER_LEFT_OUT;
    }
}

/* Whether the member is a profile of XLA in the folder, and belongs to no part yet. */
static bool is_free_host(const struct ps_member *member, struct ps_str folder)
{
    return member->is_xplane && member->part == PS_MEMBER_ALONE &&
           ps_member_folder_len(member->name) == folder.len &&
           strncmp(member->name, folder.ptr, folder.len) == 0;
}

static struct ps_str folder_of(const struct ps_member *member)
{
    return (struct ps_str){member->name, ps_member_folder_len(member->name)};
}

static size_t count_free_hosts(const struct ps_members *members, struct ps_str folder)
{
    size_t n = 0;

    for (size_t i = 0; i < members->n; i++)
        n += is_free_host(&members->items[i], folder);
    return n;
}

static void add_host_part(struct ps_members *members, size_t first)
{
    const struct ps_str folder = folder_of(&members->items[first]);
    int part = (int)members->n_parts;

    PS_RESERVE_ONE(members->parts, members->n_parts, members->cap_parts);
    members->parts[members->n_parts++] =
        (struct ps_member_part){.folder = ps_strdup(folder), .fd = -1, .kind = PS_PART_XLA};
    for (size_t i = first; i < members->n; i++) {
        struct ps_member *member = &members->items[i];

        if (!is_free_host(member, folder))
            continue;
        member->part = part;
        members->parts[part].files++;
    }
    members->parts[part].n_left = members->parts[part].files;
}

void ps_members_find_hosts(struct ps_members *members)
{
    leave_out_copies(members);
    for (size_t i = 0; i < members->n; i++)
        if (members->items[i].is_xplane && members->items[i].part == PS_MEMBER_ALONE &&
            count_free_hosts(members, folder_of(&members->items[i])) > 1)
            add_host_part(members, i);
}
