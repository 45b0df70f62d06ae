/* SPDX-License-Identifier: MIT */
/* members_import.c: imports the files of an archive, those of one job as one run. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/buf.h"
#include "base/file.h"
#include "importers/measurements/asv.h"
#include "importers/measurements/criterion.h"
#include "importers/serving/job.h"
#include "server/jobs/members_state.h"

struct member_import {
    struct ps_members *members;
    ps_member_scratch *scratch;
    ps_member_visit *visit;
    void *user;
    bool may_continue;
};

static enum ps_status visit_single_file(struct member_import *t, const struct ps_member *member,
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
static enum ps_status visit_asv_result(struct member_import *t, const struct ps_member *member,
                                       const struct ps_member_descriptions *descriptions,
                                       struct ps_stream *in, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = t->scratch(t->user, err);
    enum ps_status status =
        fd < 0 ? err->code
               : ps_asv_pack(in, ps_member_base_name(member->name), descriptions->root, fd, err);

    ps_stream_free(in);
    if (status == PS_OK)
        t->may_continue = t->visit(t->user, member->name, fd, NULL);
    return status;
}

/* The name of a run: that of its folder, or else of its last file (`file`). A folder of
 * Criterion.rs keeps its path. */
static const char *run_name(const struct ps_member_part *part, const char *file, struct ps_buf *out)
{
    const size_t len = strlen(part->folder);

    if (part->kind == PS_PART_RANKS)
        return len ? part->folder : file;
    if (part->kind == PS_PART_XLA && !len)
        return file;
    ps_buf_add(out, part->folder, len ? len - 1 : 0);
    if (!len)
        ps_buf_puts(out, part->kind == PS_PART_CRITERION ? "criterion" : "serving");
    return out->ptr;
}

/* The name of a member in the archive of its run. */
static const char *packed_name(const struct ps_member_part *part, const char *name,
                               struct ps_buf *out)
{
    if (part->kind == PS_PART_RANKS || part->kind == PS_PART_XLA)
        return ps_member_base_name(name);
    ps_buf_printf(out, "%s%s", part->kind == PS_PART_CRITERION ? PS_CRITERION_FOLDER : "",
                  name + strlen(part->folder));
    return out->ptr;
}

/* Imports the merged job. `name`: its last file. */
static enum ps_status end_part(struct member_import *t, struct ps_member_part *part,
                               const char *name, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    enum ps_status status = ps_merge_end(part->merge, err);

    part->merge = NULL;
    if (status == PS_OK)
        t->may_continue = t->visit(t->user, run_name(part, name, &text), part->fd, NULL);
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

static enum ps_status collect_job_file(struct member_import *t, const struct ps_member *member,
                                       struct ps_stream *in, struct ps_err *err)
{
    struct ps_member_part *part = &t->members->parts[member->part];
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    enum ps_status status = PS_OK, end = PS_OK;

    if (!part->merge) {
        part->fd = t->scratch(t->user, err);
        status = part->fd < 0 ? err->code : PS_OK;
        part->merge = part->kind == PS_PART_SERVING
                          ? ps_merge_new_serving(part->fd, part->archive_folder)
                          : ps_merge_new(part->fd);
    }
    if (status == PS_OK)
        status = add_to_job(t, part->merge, in, packed_name(part, member->name, &name), err);
    else
        ps_stream_free(in);
    if (--part->n_left == 0)
        end = end_part(t, part, member->name, err);
    return status == PS_OK ? end : status;
}

static enum ps_status read_member(struct member_import *t, const struct ps_member *member,
                                  struct ps_archive *archive, struct ps_err *err)
{
    const struct ps_member_descriptions *descriptions =
        ps_member_descriptions_of(t->members, member->name);

    if (member->part == PS_MEMBER_LEFT_OUT) {
        t->may_continue = t->visit(t->user, member->name, -1, &member->reason);
        return PS_OK;
    }
    if (member->part == PS_MEMBER_COMPANION)
        return PS_OK;
    if (member->is_asv_result && descriptions)
        return visit_asv_result(t, member, descriptions, ps_archive_member(archive), err);
    if (member->part == PS_MEMBER_ALONE)
        return visit_single_file(t, member, ps_archive_member(archive), err);
    return collect_job_file(t, member, ps_archive_member(archive), err);
}

enum ps_status ps_members_each(struct ps_members *members, ps_member_scratch *scratch,
                               ps_member_visit *visit, void *user, struct ps_err *err)
{
    struct member_import t = {members, scratch, visit, user, true};
    struct ps_stream *in = ps_members_open(members->fd, err);
    struct ps_archive *archive = in ? ps_archive_open(in, &ps_member_limits) : NULL;
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
