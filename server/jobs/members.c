/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_CLOEXEC */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/file.h"
#include "base/utf8.h"
#include "importers/importer.h"
#include "importers/measurements/asv.h"
#include "importers/measurements/criterion.h"
#include "importers/serving/job.h"
#include "importers/text/clean.h"
#include "importers/trace/xla_job.h"
#include "server/jobs/bundle.h"
#include "server/jobs/members_state.h"

enum { NAME_MAX_BYTES = 400 };

/* Whether the archive looks like the output of a merge: a tar file of PyTorch traces only, with any
 * names, in one folder. */
static bool is_merged(const struct ps_members *members)
{
    for (size_t i = 0; i < members->n; i++)
        if (!members->items[i].is_torch_trace || ps_member_folder_len(members->items[i].name) !=
                                                     ps_member_folder_len(members->items[0].name))
            return false;
    return members->tar && members->n > 1;
}

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

static void inspect_member(struct ps_members *members, struct ps_stream *in,
                           struct ps_member *member)
{
    const struct ps_importer *importer = NULL;

    if (ps_member_inspect_benchmark(members, in, member))
        return;
    if (ps_importer_pick(in, &importer, &member->reason) != PS_OK) {
        member->part = PS_MEMBER_LEFT_OUT;
    } else if (importer == &ps_trace_job) {
        member->part = PS_MEMBER_LEFT_OUT;
        ps_fail(&member->reason, PS_UNKNOWN_KIND,
                "archives inside archives are not read" PS_HINT "unpack it and add its files");
    }
    member->is_torch_trace = importer == &ps_torch_trace || importer == &ps_torch_perfetto;
    member->is_xplane = importer == &ps_xplane;
    member->serving = ps_serving_facts_of(importer);
    member->is_asv_result = importer == &ps_asv;
    member->file.worker = ps_job_worker_of(member->name);
    if (member->is_torch_trace)
        member->file =
            ps_job_file_of(member->name, ps_job_rank_of(ps_stream_peek(in, PS_JOB_HEAD_SIZE)));
}

static enum ps_status inspect_members(struct ps_members *members, struct ps_archive *archive,
                                      struct ps_err *err)
{
    struct ps_str name;

    while (ps_archive_next(archive, &name, NULL)) {
        struct ps_member member = {.name = shown_name(name),
                                   .serving = PS_SERVING_NO_FACTS,
                                   .part = PS_MEMBER_ALONE,
                                   .reason = PS_ERR_INIT};
        struct ps_stream *in;

        if (members->n == PS_MEMBERS_MAX) {
            free(member.name);
            return ps_fail(err, PS_LIMIT, "the archive contains more than %d files",
                           PS_MEMBERS_MAX);
        }
        in = ps_stream_to_utf8(ps_stream_decompress(ps_archive_member(archive), &ps_member_limits));
        if (members->n == 0 && strcmp(member.name, PS_BUNDLE_NAME) == 0)
            members->bundle = ps_is_bundle(ps_stream_peek(in, PS_BUNDLE_HEAD_SIZE));
        if (ps_archive_special(archive)) {
            member.part = PS_MEMBER_LEFT_OUT;
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
        n += members->items[i].part != PS_MEMBER_LEFT_OUT &&
             members->items[i].part != PS_MEMBER_COMPANION;
    return n;
}

/* Whether the archive is one that the files of one run were packed into. */
static bool is_packed(const struct ps_members *members)
{
    const struct ps_str first = ps_str_from_c(members->n ? members->items[0].name : NULL);

    return members->tar && (ps_str_starts_with(first, PS_STR(PS_CRITERION_FOLDER)) ||
                            ps_str_starts_with(first, PS_STR(PS_SERVING_FOLDER)) ||
                            ps_str_starts_with(first, PS_STR(PS_XLA_FOLDER)) ||
                            ps_str_starts_with(first, PS_STR(PS_SERVING_TRACE_FOLDER)) ||
                            ps_str_eq_c(first, PS_ASV_DESCRIPTIONS));
}

static bool one_run(const struct ps_members *members)
{
    size_t profiles = count_profiles(members);

    if (members->bundle)
        return false;
    return members->n < 2 || is_merged(members) || is_packed(members) ||
           (members->n_parts == 1 && members->parts[0].files == profiles && profiles > 1 &&
            members->parts[0].kind == PS_PART_RANKS);
}

/* PS_UNKNOWN_KIND if there is no profile. Damage is reported first: there may be profiles
 * after it. */
static enum ps_status check_any(const struct ps_members *members, struct ps_archive *archive,
                                struct ps_err *err)
{
    const struct ps_member *first = members->items;
    struct ps_str name;

    if (members->n == 0 || count_profiles(members) > 0)
        return PS_OK;
    if (ps_archive_status(archive, err) != PS_OK)
        return err->code;
    name = ps_truncate_text(ps_str_from_c(first->name), 120);
    return ps_fail(err, PS_UNKNOWN_KIND, "this archive contains no profile: %.*s: %s" PS_HINT "%s",
                   (int)name.len, name.ptr, first->reason.text, first->reason.hint);
}

enum ps_status ps_members_read(int fd, struct ps_members **out, struct ps_err *err)
{
    struct ps_stream *in = ps_members_open(fd, err);
    struct ps_str head = in ? ps_stream_peek(in, PS_ARCHIVE_HEAD_SIZE) : (struct ps_str){0};

    *out = NULL;
    if (in && ps_is_archive(head)) {
        struct ps_members *members = *out = ps_alloc(sizeof *members);
        struct ps_archive *archive;

        members->fd = fd;
        members->tar = !ps_str_starts_with(head, PS_STR("PK"));
        archive = ps_archive_open(in, &ps_member_limits);
        if (inspect_members(members, archive, err) == PS_OK && !is_packed(members))
            check_any(members, archive, err);
        ps_archive_free(archive);
        ps_members_find_serving(members);
        ps_members_find_ranks(members);
        ps_members_find_hosts(members);
        ps_members_find_benchmarks(members);
        if (err->code != PS_OK || one_run(members)) {
            ps_members_free(members);
            *out = NULL;
        }
    }
    ps_stream_free(in);
    return err->code;
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
