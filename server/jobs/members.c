/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_CLOEXEC, memrchr */
#include "server/jobs/members.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/utf8.h"
#include "importers/importer.h"
#include "importers/measurements/asv.h"
#include "importers/measurements/criterion.h"
#include "importers/text/clean.h"
#include "server/jobs/bundle.h"
#include "server/jobs/merge.h"

static const struct ps_stream_limits limits = {(uint64_t)8 << 30, 1000};

enum {
    NAME_MAX_BYTES = 400,
    /* instead of the index of a part */
    ALONE = -1,
    LEFT_OUT = -2,
    COMPANION = -3, /* belongs to other files, and is not reported */
};

/* Files that are one run: those of a training job, or of the benchmarks of Criterion.rs. */
struct part {
    char *folder;
    size_t files, n_left; /* files: in the archive; left: not read yet */
    struct ps_merge *merge;
    int fd; /* output of the merge; -1: not started */
    bool is_criterion;
};

/* What a file describes of the results in its folder and below. */
struct descriptions {
    struct ps_str folder; /* with the slash at its end; a slice of the name of the member */
    cJSON *root;
};

struct member {
    char *name;
    bool is_torch_trace; /* a trace of the PyTorch profiler */
    bool is_asv_result, is_criterion;
    char *criterion_folder; /* of a benchmark.json of Criterion.rs: the folder that it states */
    struct ps_job_file file;
    int part;             /* index of its job, ALONE or LEFT_OUT */
    struct ps_err reason; /* reason if it is left out */
};

struct ps_members {
    int fd;
    struct member *items;
    size_t n, cap;
    struct part *parts;
    size_t n_parts, cap_parts;
    struct descriptions *descriptions;
    size_t n_descriptions, cap_descriptions;
    bool tar, bundle; /* bundle: the first member describes the others */
};

/* --- Grouping files into jobs --- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static size_t folder_len(const char *path)
{
    return (size_t)(base_name(path) - path);
}

bool ps_is_job_member(const char *path, size_t *len)
{
    static const char *const endings[] = {".pt.trace.json", ".pt.trace.json.gz"};
    size_t n = strlen(path);

    *len = folder_len(path);
    for (size_t i = 0; i < 2; i++) {
        size_t end = strlen(endings[i]);

        if (n > end && strcmp(path + n - end, endings[i]) == 0)
            return true;
    }
    return false;
}

struct ps_str ps_job_worker_of(const char *path)
{
    const char *dot = strchr(base_name(path), '.');
    bool has_time = dot && dot[1] >= '0' && dot[1] <= '9';

    return (struct ps_str){path, has_time ? (size_t)(dot - path) : strlen(path)};
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

/* Whether the archive looks like the output of a merge: a tar file of PyTorch traces only, with any
 * names, in one folder. */
static bool is_merged(const struct ps_members *members)
{
    for (size_t i = 0; i < members->n; i++)
        if (!members->items[i].is_torch_trace ||
            folder_len(members->items[i].name) != folder_len(members->items[0].name))
            return false;
    return members->tar && members->n > 1;
}

static int part_of(struct ps_members *members, struct ps_str folder)
{
    for (size_t i = 0; i < members->n_parts; i++)
        if (ps_str_eq_c(folder, members->parts[i].folder))
            return (int)i;
    PS_RESERVE_ONE(members->parts, members->n_parts, members->cap_parts);
    members->parts[members->n_parts] = (struct part){.folder = ps_strdup(folder), .fd = -1};
    return (int)members->n_parts++;
}

static bool is_of_job(const struct member *member, size_t *len)
{
    return member->part == ALONE && member->is_torch_trace && ps_is_job_member(member->name, len);
}

/* Whether the files of training jobs in the folder of the member are one run. */
static bool is_folder_one_run(const struct ps_members *members, const struct member *member,
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

/* Groups the files of training jobs. A job with only one file is imported like any other file. */
static void find_jobs(struct ps_members *members)
{
    const struct member *before = NULL; /* of the same folder */
    size_t len, folder = 0;
    bool is_one = false;

    for (size_t i = 0; i < members->n; i++) {
        struct member *member = &members->items[i];

        if (!is_of_job(member, &len))
            continue;
        if (!before || len != folder || memcmp(before->name, member->name, len) != 0)
            is_one = is_folder_one_run(members, member, len);
        before = member;
        folder = len;
        member->part =
            part_of(members, is_one ? (struct ps_str){member->name, len} : member->file.worker);
        members->parts[member->part].files++;
    }
    for (size_t i = 0; i < members->n; i++)
        if (members->items[i].part >= 0 && members->parts[members->items[i].part].files == 1)
            members->items[i].part = ALONE;
    for (size_t i = 0; i < members->n_parts; i++)
        members->parts[i].n_left = members->parts[i].files;
}

/* --- Results of benchmarks --- */

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
        const struct member *member = &members->items[i];
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
                                    const struct member *member)
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
        struct member *member = &members->items[i];

        if (!member->is_criterion)
            continue;
        member->part = part_of(members, criterion_root(&folders, member));
        members->parts[member->part].is_criterion = true;
        members->parts[member->part].n_left = ++members->parts[member->part].files;
    }
    ps_intern_free(&folders.paths);
    free(folders.stated);
    for (size_t i = 0; i < members->n; i++)
        for (size_t k = first; members->items[i].part == LEFT_OUT && k < members->n_parts; k++)
            if (ps_str_starts_with(ps_str_from_c(members->items[i].name),
                                   ps_str_from_c(members->parts[k].folder)))
                members->items[i].part = COMPANION;
}

/* The descriptions for a result: those of the nearest folder above it. NULL: there are none. */
static const struct descriptions *descriptions_of(const struct ps_members *members,
                                                  const char *name)
{
    const struct descriptions *best = NULL;

    for (size_t i = 0; i < members->n_descriptions; i++) {
        const struct descriptions *one = &members->descriptions[i];

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
        struct member *member = &members->items[i];

        if (member->part == LEFT_OUT && strcmp(base_name(member->name), "machine.json") == 0 &&
            descriptions_of(members, member->name))
            member->part = COMPANION;
    }
}

/* Reads benchmarks.json of asv. Without it, results are read as they are. */
static void read_descriptions(struct ps_members *members, struct ps_stream *in,
                              const struct member *member)
{
    cJSON *root = ps_asv_read_benchmarks(in);

    if (!root)
        return;
    PS_RESERVE_ONE(members->descriptions, members->n_descriptions, members->cap_descriptions);
    members->descriptions[members->n_descriptions++] =
        (struct descriptions){{member->name, folder_len(member->name)}, root};
}

/* --- Reading the members --- */

/* Returns the name for display, which is never used as a path. */
static char *shown_name(struct ps_str name)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    for (size_t i = 0; i < name.len; i++)
        ps_buf_add(&text,
                   (unsigned char)name.ptr[i] < ' ' || name.ptr[i] == 127 ? "_" : &name.ptr[i], 1);
    while (text.len > NAME_MAX_BYTES || (text.len && !ps_utf8_is_valid(ps_buf_slice(&text))))
        text.len--;
    return ps_strdup(ps_buf_slice(&text));
}

/* Recognises the files that belong to others. Returns whether the member is one. */
static bool inspect_companion(struct ps_members *members, struct ps_stream *in,
                              struct member *member)
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
    if (strcmp(base_name(member->name), PS_ASV_BENCHMARKS) != 0 || !ps_asv_is_benchmarks(head))
        return false;
    member->part = COMPANION;
    read_descriptions(members, in, member);
    return true;
}

static void inspect_member(struct ps_members *members, struct ps_stream *in, struct member *member)
{
    const struct ps_importer *importer = NULL;

    if (inspect_companion(members, in, member))
        return;
    if (ps_importer_pick(in, &importer, &member->reason) != PS_OK) {
        member->part = LEFT_OUT;
    } else if (importer == &ps_trace_job) {
        member->part = LEFT_OUT;
        ps_fail(&member->reason, PS_UNKNOWN_KIND,
                "archives inside archives are not read" PS_HINT "unpack it and add its files");
    }
    member->is_torch_trace = importer == &ps_torch_trace;
    member->is_asv_result = importer == &ps_asv;
    member->file.worker = ps_job_worker_of(member->name);
    if (member->is_torch_trace)
        member->file.rank = ps_job_rank_of(ps_stream_peek(in, PS_JOB_HEAD_SIZE));
}

static enum ps_status inspect_members(struct ps_members *members, struct ps_archive *archive,
                                      struct ps_err *err)
{
    struct ps_str name;

    while (ps_archive_next(archive, &name, NULL)) {
        struct member member = {.name = shown_name(name), .part = ALONE, .reason = PS_ERR_INIT};
        struct ps_stream *in;

        if (members->n == PS_MEMBERS_MAX) {
            free(member.name);
            return ps_fail(err, PS_LIMIT, "the archive contains more than %d files",
                           PS_MEMBERS_MAX);
        }
        in = ps_stream_to_utf8(ps_stream_decompress(ps_archive_member(archive), &limits));
        if (members->n == 0 && strcmp(member.name, PS_BUNDLE_NAME) == 0)
            members->bundle = ps_is_bundle(ps_stream_peek(in, PS_BUNDLE_HEAD_SIZE));
        if (ps_archive_special(archive)) {
            member.part = LEFT_OUT;
            ps_fail(&member.reason, PS_UNKNOWN_KIND,
                    "this is %s, not a file" PS_HINT "pack the file itself",
                    ps_archive_special(archive));
        } else if (!members->bundle) {
            inspect_member(members, in, &member);
        }
        ps_stream_free(in);
        PS_RESERVE_ONE(members->items, members->n, members->cap);
        members->items[members->n++] = member;
    }
    return PS_OK; /* damage is reported after the members before it were processed */
}

static size_t count_profiles(const struct ps_members *members)
{
    size_t n = 0;

    for (size_t i = 0; i < members->n; i++)
        n += members->items[i].part != LEFT_OUT && members->items[i].part != COMPANION;
    return n;
}

/* Whether the archive is one that the results of a benchmark were packed into. */
static bool is_packed(const struct ps_members *members)
{
    const struct ps_str first = ps_str_from_c(members->n ? members->items[0].name : NULL);

    return members->tar && (ps_str_starts_with(first, PS_STR(PS_CRITERION_FOLDER)) ||
                            ps_str_eq_c(first, PS_ASV_DESCRIPTIONS));
}

static bool one_run(const struct ps_members *members)
{
    size_t profiles = count_profiles(members);

    if (members->bundle)
        return false;
    return members->n < 2 || is_merged(members) || is_packed(members) ||
           (members->n_parts == 1 && members->parts[0].files == profiles && profiles > 1 &&
            !members->parts[0].is_criterion);
}

/* PS_UNKNOWN_KIND if there is no profile. Damage is reported first: there may be profiles
 * after it. */
static enum ps_status check_any(const struct ps_members *members, struct ps_archive *archive,
                                struct ps_err *err)
{
    const struct member *first = members->items;
    struct ps_str name;

    if (members->n == 0 || count_profiles(members) > 0)
        return PS_OK;
    if (ps_archive_status(archive, err) != PS_OK)
        return err->code;
    name = ps_truncate_text(ps_str_from_c(first->name), 120);
    return ps_fail(err, PS_UNKNOWN_KIND, "this archive contains no profile: %.*s: %s" PS_HINT "%s",
                   (int)name.len, name.ptr, first->reason.text, first->reason.hint);
}

/* Opens the file from its start; NULL: err is filled. */
static struct ps_stream *open_file(int fd, struct ps_err *err)
{
    if (lseek(fd, 0, SEEK_SET) == 0)
        return ps_stream_decompress(ps_stream_from_fd(fd, 0), &limits);
    (void)ps_fail_errno(err, "cannot read", "the archive");
    return NULL;
}

enum ps_status ps_members_read(int fd, struct ps_members **out, struct ps_err *err)
{
    struct ps_stream *in = open_file(fd, err);
    struct ps_str head = in ? ps_stream_peek(in, PS_ARCHIVE_HEAD_SIZE) : (struct ps_str){0};

    *out = NULL;
    if (in && ps_is_archive(head)) {
        struct ps_members *members = *out = ps_alloc(sizeof *members);
        struct ps_archive *archive;

        members->fd = fd;
        members->tar = !ps_str_starts_with(head, PS_STR("PK"));
        archive = ps_archive_open(in, &limits);
        if (inspect_members(members, archive, err) == PS_OK && !is_packed(members))
            check_any(members, archive, err);
        ps_archive_free(archive);
        find_jobs(members);
        find_criterion_runs(members);
        find_machines(members);
        if (err->code != PS_OK || one_run(members)) {
            ps_members_free(members);
            *out = NULL;
        }
    }
    ps_stream_free(in);
    return err->code;
}

/* --- Importing members --- */

struct member_import {
    struct ps_members *members;
    ps_member_scratch *scratch;
    ps_member_visit *visit;
    void *user;
    bool may_continue;
};

static enum ps_status visit_single_file(struct member_import *t, const struct member *member,
                                        struct ps_stream *in, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = t->scratch(t->user, err);
    enum ps_status status = fd < 0 ? err->code : ps_stream_spool(in, fd, err);

    ps_stream_free(in);
    if (status == PS_OK)
        t->may_continue = t->visit(t->user, member->name, fd, NULL);
    return status;
}

/* Packs a result of asv with what describes its benchmarks, and imports the archive. Frees `in`. */
static enum ps_status visit_asv_result(struct member_import *t, const struct member *member,
                                       const struct descriptions *descriptions,
                                       struct ps_stream *in, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = t->scratch(t->user, err);
    enum ps_status status =
        fd < 0 ? err->code : ps_asv_pack(in, base_name(member->name), descriptions->root, fd, err);

    ps_stream_free(in);
    if (status == PS_OK)
        t->may_continue = t->visit(t->user, member->name, fd, NULL);
    return status;
}

/* The name of a run of Criterion.rs: that of its folder. */
static const char *criterion_name(const char *folder, struct ps_buf *out)
{
    const size_t len = strlen(folder);

    ps_buf_add(out, folder, len ? len - 1 : 0);
    if (!len)
        ps_buf_puts(out, "criterion");
    return out->ptr;
}

/* The name of a member in the archive of its run. */
static const char *packed_name(const struct part *part, const char *name, struct ps_buf *out)
{
    if (!part->is_criterion)
        return base_name(name);
    ps_buf_printf(out, "%s%s", PS_CRITERION_FOLDER, name + strlen(part->folder));
    return out->ptr;
}

/* Imports the merged job, under the name of its folder, or of its last file (`name`) if the job has
 * no folder. */
static enum ps_status end_part(struct member_import *t, struct part *part, const char *name,
                               struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    enum ps_status status = ps_merge_end(part->merge, err);

    part->merge = NULL;
    if (status == PS_OK && part->is_criterion)
        t->may_continue = t->visit(t->user, criterion_name(part->folder, &text), part->fd, NULL);
    else if (status == PS_OK)
        t->may_continue = t->visit(t->user, part->folder[0] ? part->folder : name, part->fd, NULL);
    ps_close_fd(&part->fd);
    return status;
}

/* Copies the member to a temporary file first: in a zip file the size may follow the content, and a
 * damaged member must not be truncated in the middle of a job. */
static enum ps_status add_to_job(struct member_import *t, struct ps_merge *merge,
                                 struct ps_stream *in, const char *name, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = t->scratch(t->user, err);
    enum ps_status status = fd < 0 ? err->code : ps_stream_spool(in, fd, err);
    uint64_t bytes = ps_stream_offset(in);

    ps_stream_free(in);
    if (status == PS_OK && lseek(fd, 0, SEEK_SET) != 0)
        status = ps_fail_errno(err, "cannot read", name);
    return status == PS_OK ? ps_merge_add(merge, ps_stream_from_fd(fd, bytes), bytes, name, err)
                           : status;
}

static enum ps_status collect_job_file(struct member_import *t, const struct member *member,
                                       struct ps_stream *in, struct ps_err *err)
{
    struct part *part = &t->members->parts[member->part];
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    enum ps_status status = PS_OK, end = PS_OK;

    if (!part->merge) {
        part->fd = t->scratch(t->user, err);
        status = part->fd < 0 ? err->code : PS_OK;
        part->merge = ps_merge_new(part->fd);
    }
    if (status == PS_OK)
        status = add_to_job(t, part->merge, in, packed_name(part, member->name, &name), err);
    else
        ps_stream_free(in);
    if (--part->n_left == 0)
        end = end_part(t, part, member->name, err);
    return status == PS_OK ? end : status;
}

static enum ps_status read_member(struct member_import *t, const struct member *member,
                                  struct ps_archive *archive, struct ps_err *err)
{
    const struct descriptions *descriptions = descriptions_of(t->members, member->name);

    if (member->part == LEFT_OUT) {
        t->may_continue = t->visit(t->user, member->name, -1, &member->reason);
        return PS_OK;
    }
    if (member->part == COMPANION)
        return PS_OK;
    if (member->is_asv_result && descriptions)
        return visit_asv_result(t, member, descriptions, ps_archive_member(archive), err);
    if (member->part == ALONE)
        return visit_single_file(t, member, ps_archive_member(archive), err);
    return collect_job_file(t, member, ps_archive_member(archive), err);
}

enum ps_status ps_members_each(struct ps_members *members, ps_member_scratch *scratch,
                               ps_member_visit *visit, void *user, struct ps_err *err)
{
    struct member_import t = {members, scratch, visit, user, true};
    struct ps_stream *in = open_file(members->fd, err);
    struct ps_archive *archive = in ? ps_archive_open(in, &limits) : NULL;
    enum ps_status status = err->code;
    struct ps_str name;

    for (size_t i = 0; status == PS_OK && t.may_continue && i < members->n; i++) {
        struct ps_err why = PS_ERR_INIT;

        if (!ps_archive_next(archive, &name, NULL))
            break;
        status = read_member(&t, &members->items[i], archive, &why);
        if (status == PS_BAD_INPUT && ps_archive_status(archive, err) == PS_OK) {
            t.may_continue = t.may_continue && visit(user, members->items[i].name, -1, &why);
            status = PS_OK;
        } else if (status != PS_OK) {
            *err = why;
        }
    }
    if (status == PS_OK && t.may_continue && !ps_archive_next(archive, &name, NULL))
        status = ps_archive_status(archive, err);
    ps_archive_free(archive);
    ps_stream_free(in);
    return status;
}

void ps_members_free(struct ps_members *members)
{
    if (!members)
        return;
    for (size_t i = 0; i < members->n_descriptions; i++)
        cJSON_Delete(members->descriptions[i].root);
    free(members->descriptions);
    for (size_t i = 0; i < members->n; i++) {
        free(members->items[i].criterion_folder);
        free(members->items[i].name);
    }
    for (size_t i = 0; i < members->n_parts; i++) {
        struct ps_err ignored = PS_ERR_INIT; /* the job is abandoned */

        (void)ps_merge_end(members->parts[i].merge, &ignored);
        ps_close_fd(&members->parts[i].fd);
        free(members->parts[i].folder);
    }
    free(members->items);
    free(members->parts);
    free(members);
}
