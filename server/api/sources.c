/* SPDX-License-Identifier: MIT */
/* sources.c: handlers that attach source files to runs and that merge runs. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "importers/kinds.h"
#include "importers/serving/job.h"
#include "server/api/state.h"
#include "server/jobs/merge.h"

/* --- Attaching one source --- */

/* Fails with PS_NOT_FOUND unless the profile of the run names a file with exactly this path. */
static enum ps_status check_named(struct ps_store *store, const char *id, const char *path,
                                  struct ps_err *err)
{
    bool named = false;

    if (ps_store_names_file(store, id, path, &named, err) != PS_OK || named)
        return err->code;
    return ps_fail(err, PS_NOT_FOUND,
                   "the profile of this run has no file %s" PS_HINT
                   "write the path as in the profile; GET /api/v1/runs/%s/sources lists the files "
                   "of a line profile",
                   path, id);
}

static enum ps_status attach_source(struct ps_request *req, const char *id, const char *path,
                                    struct ps_source *out, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int fd = open(req->files[0].path, O_RDONLY | O_CLOEXEC);
    const char *changed = ps_request_param(req, "changed");

    if (fd < 0)
        return ps_fail_errno(err, "cannot read", req->files[0].path);
    return ps_store_source_attach(ps_request_api(req)->store, id, path, fd,
                                  changed && strcmp(changed, "1") == 0, out, err);
}

enum ps_status ps_put_source(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    const char *id, *path = ps_request_param(req, "path");
    struct ps_source source = {.bytes = 0};
    struct ps_json out = ps_reply_json_writer(reply);

    if (ps_api_resolve_run(req, &id, err) != PS_OK)
        return err->code;
    if (!path || !path[0])
        return ps_fail(err, PS_BAD_REQUEST,
                       "the parameter path must be the path of a file of the profile");
    if (req->n_files != 1)
        return ps_fail(err, PS_BAD_REQUEST, "the body must be one source file, and not empty");
    if (check_named(ps_request_api(req)->store, id, path, err) != PS_OK ||
        attach_source(req, id, path, &source, err) != PS_OK)
        return err->code;
    ps_api_send_run_event(ps_request_api(req), id);
    ps_json_object(&out);
    ps_json_key_str(&out, "sha256", source.sha256);
    ps_json_key_str(&out, "state", source.is_changed ? "changed" : "attached");
    ps_json_end(&out);
    return PS_OK;
}

/* --- Merging runs --- */

struct merge_state {
    const char *ids[PS_MERGE_MAX];
    size_t n;
    const char *first_name;
    size_t n_serving, n_traces; /* runs of serving jobs; traces, also those of serving jobs */
};

/* Writes the kinds of runs that can be merged, in the form "A and B". */
static void list_mergeable_kinds(struct ps_buf *out)
{
    size_t n;
    const struct ps_kind *kinds = ps_kinds(&n);

    for (size_t i = 0; i < n; i++)
        if (kinds[i].merges)
            ps_buf_printf(out, "%s%s", out->len ? " and " : "", kinds[i].name);
}

static enum ps_status add_run(struct ps_request *req, const char *word, struct merge_state *out,
                              struct ps_err *err)
{
    struct ps_store *store = ps_request_api(req)->store;
    struct ps_run_brief brief = {.name = NULL};
    char id[PS_ID_SIZE];

    ps_store_resolve(store, word, id, err);
    ps_store_read_brief(store, id, &brief, err);
    if (err->code == PS_OK && !ps_merge_supports(brief.kind)) {
        PS_AUTO(ps_buf_free) struct ps_buf kinds = {0};

        list_mergeable_kinds(&kinds);
        ps_fail(err, PS_BAD_REQUEST, "%s is a %s run; only %.*s runs can be merged", brief.name,
                brief.kind, (int)kinds.len, kinds.ptr);
    }
    for (size_t i = 0; i < out->n && err->code == PS_OK; i++)
        if (strcmp(out->ids[i], id) == 0)
            ps_fail(err, PS_BAD_REQUEST, "run %s is listed twice", brief.name);
    if (err->code == PS_OK) {
        out->n_serving += (ps_kind_find(brief.kind)->has & PS_HAS_REQUESTS) != 0;
        out->n_traces += (ps_kind_find(brief.kind)->has & PS_HAS_TORCH) != 0;
    }
    if (err->code == PS_OK && out->n == 0)
        out->first_name = ps_arena_copy(&req->arena, ps_str_from_c(brief.name)).ptr;
    if (err->code == PS_OK)
        out->ids[out->n++] = ps_arena_copy(&req->arena, ps_str_from_c(id)).ptr;
    ps_run_brief_free(&brief);
    return err->code;
}

static enum ps_status read_ids(struct ps_request *req, struct merge_state *out, struct ps_err *err)
{
    const char *rest = ps_request_param(req, "ids");

    for (size_t len; rest && rest[0] && err->code == PS_OK; rest += len + (rest[len] == ',')) {
        len = strcspn(rest, ",");
        if (out->n == PS_MERGE_MAX)
            return ps_fail(err, PS_BAD_REQUEST, "more than %d runs", PS_MERGE_MAX);
        add_run(req, ps_arena_copy(&req->arena, (struct ps_str){rest, len}).ptr, out, err);
    }
    if (out->n < 2)
        return ps_fail(err, PS_BAD_REQUEST, "ids must name two or more runs, separated by commas");
    return err->code;
}

/* The folder of a serving job with these runs; NULL: none of them is of one. */
static const char *find_serving_folder(const struct merge_state *merging)
{
    if (!merging->n_serving)
        return NULL;
    return merging->n_traces ? PS_SERVING_TRACE_FOLDER : PS_SERVING_FOLDER;
}

static const char *merged_name(struct ps_request *req, const struct merge_state *merging)
{
    return ps_arena_printf(&req->arena, "%.300s and %zu more", merging->first_name, merging->n - 1);
}

enum ps_status ps_merge_runs(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct merge_state merging = {.n = 0};
    struct ps_labels labels;

    ps_labels_read_params(req, &labels, err);
    if (read_ids(req, &merging, err) != PS_OK)
        return err->code;
    return ps_api_queue_jobs(req,
                             &(struct ps_job_request){
                                 .merge_ids = merging.ids,
                                 .n_merge_ids = merging.n,
                                 .merge_folder = find_serving_folder(&merging),
                                 .name = labels.name[0] ? labels.name : merged_name(req, &merging),
                                 .series = labels.series,
                                 .user_name = labels.user_name,
                                 .note = labels.note,
                                 .tags = labels.tags,
                                 .n_tags = labels.n_tags,
                             },
                             1, reply, err);
}
