/* SPDX-License-Identifier: MIT */
/* members_benchmarks.c: results of benchmarks that are several files: those of Criterion.rs and of
 * asv. */
#define _GNU_SOURCE /* memrchr */
#include <stdlib.h>

#include "base/intern.h"
#include "importers/measurements/asv.h"
#include "importers/measurements/criterion.h"
#include "server/jobs/members_state.h"

/* The folders of benchmarks of Criterion.rs, and for each the folder that its benchmark.json
 * states. */
struct criterion_folders {
    struct ps_intern paths; /* id: index in stated */
    const char **stated;
    size_t n, cap;
};

static void list_criterion_folders(const struct ps_members *members,
                                   struct criterion_folders *folders)
{
    for (size_t i = 0; i < members->n; i++) {
        const struct ps_member *member = &members->items[i];
        size_t len;

        if (!member->criterion_folder || !ps_criterion_is_part(member->name, &len) ||
            ps_intern_add(&folders->paths, (struct ps_str){member->name, len}) < folders->n)
            continue;
        PS_RESERVE_ONE(folders->stated, folders->n, folders->cap);
        folders->stated[folders->n++] = member->criterion_folder;
    }
}

/* The folder of the run to which a file of Criterion.rs belongs: what is before the folder that
 * benchmark.json states, else the folder of the benchmark's folder. */
static struct ps_str criterion_root(const struct criterion_folders *folders,
                                    const struct ps_member *member)
{
    struct ps_str folder = {member->name, 0}, stated;
    const char *slash;
    uint32_t id;

    if (!ps_criterion_is_part(member->name, &folder.len))
        return folder;
    id = ps_intern_find(&folders->paths, folder);
    if (id != PS_INTERN_NONE) {
        stated = ps_str_from_c(folders->stated[id]);
        folder.len -= ps_str_ends_with(folder, stated) ? stated.len : 0;
        return folder;
    }
    slash = folder.len ? memrchr(folder.ptr, '/', folder.len) : NULL;
    return (struct ps_str){folder.ptr, slash ? (size_t)(slash + 1 - folder.ptr) : 0};
}

/* Groups the files of Criterion.rs into runs. Other files of their folders, such as its reports and
 * the samples of the run before, belong to them. */
static void find_criterion_runs(struct ps_members *members)
{
    const size_t first = members->n_parts;
    struct criterion_folders folders = {.n = 0};

    list_criterion_folders(members, &folders);
    for (size_t i = 0; i < members->n; i++) {
        struct ps_member *member = &members->items[i];

        if (!member->is_criterion)
            continue;
        member->part = ps_member_part_of(members, criterion_root(&folders, member));
        members->parts[member->part].kind = PS_PART_CRITERION;
        members->parts[member->part].n_left = ++members->parts[member->part].files;
    }
    ps_intern_free(&folders.paths);
    free(folders.stated);
    for (size_t i = 0; i < members->n; i++)
        for (size_t k = first; members->items[i].part == PS_MEMBER_LEFT_OUT && k < members->n_parts;
             k++)
            if (ps_str_starts_with(ps_str_from_c(members->items[i].name),
                                   ps_str_from_c(members->parts[k].folder)))
                members->items[i].part = PS_MEMBER_COMPANION;
}

const struct ps_member_descriptions *ps_member_descriptions_of(const struct ps_members *members,
                                                               const char *name)
{
    const struct ps_member_descriptions *best = NULL;

    for (size_t i = 0; i < members->n_descriptions; i++) {
        const struct ps_member_descriptions *one = &members->descriptions[i];

        if (ps_str_starts_with(ps_str_from_c(name), one->folder) &&
            (!best || one->folder.len > best->folder.len))
            best = one;
    }
    return best;
}

/* asv stores machine.json beside the results of the machine, which repeat what it says. */
static void find_machines(struct ps_members *members)
{
    for (size_t i = 0; i < members->n; i++) {
        struct ps_member *member = &members->items[i];

        if (member->part == PS_MEMBER_LEFT_OUT &&
            strcmp(ps_member_base_name(member->name), "machine.json") == 0 &&
            ps_member_descriptions_of(members, member->name))
            member->part = PS_MEMBER_COMPANION;
    }
}

/* Reads benchmarks.json of asv. Without it, results are read as they are. */
static void read_descriptions(struct ps_members *members, struct ps_stream *in,
                              const struct ps_member *member)
{
    cJSON *root = ps_asv_read_benchmarks(in);

    if (!root)
        return;
    PS_RESERVE_ONE(members->descriptions, members->n_descriptions, members->cap_descriptions);
    members->descriptions[members->n_descriptions++] =
        (struct ps_member_descriptions){{member->name, ps_member_folder_len(member->name)}, root};
}

bool ps_member_inspect_benchmark(struct ps_members *members, struct ps_stream *in,
                                 struct ps_member *member)
{
    const struct ps_str head = ps_stream_peek(in, PS_JOB_HEAD_SIZE);
    struct ps_str folder;
    size_t len;

    if (ps_criterion_is_part(member->name, &len) && ps_criterion_is_content(head)) {
        member->is_criterion = true;
        if (ps_criterion_read_folder(head, &folder))
            member->criterion_folder = ps_strdup(folder);
        return true;
    }
    if (strcmp(ps_member_base_name(member->name), PS_ASV_BENCHMARKS) != 0 ||
        !ps_asv_is_benchmarks(head))
        return false;
    member->part = PS_MEMBER_COMPANION;
    read_descriptions(members, in, member);
    return true;
}

void ps_members_find_benchmarks(struct ps_members *members)
{
    find_criterion_runs(members);
    find_machines(members);
}
