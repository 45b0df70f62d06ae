/* SPDX-License-Identifier: MIT */
/* export.c: handlers that export runs and comparisons as files, and that list the private data in
 * exports. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/api/state.h"
#include "server/http/negotiate.h"
#include "server/share/selection.h"

/* Selects the run in the path, or, if the path has none, the runs of the comparison in the
 * parameters base and new. *out is allocated in the request's arena. */
static enum ps_status select_runs(struct ps_request *req, struct ps_share_selection **out,
                                  struct ps_err *err)
{
    const bool has_run = req->args[0] != NULL;

    *out = ps_arena_alloc(&req->arena, sizeof **out);
    return ps_share_select_runs(ps_request_api(req)->store, has_run ? req->args[0] : NULL,
                                has_run ? NULL : ps_request_param(req, "base"),
                                has_run ? NULL : ps_request_param(req, "new"), *out, err);
}

enum ps_status ps_get_reveals(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_share_selection *selection;
    struct ps_json json = ps_reply_json_writer(reply);

    reply->cache = PS_CACHE_CHECK; /* users may change the labels of a run */
    if (select_runs(req, &selection, err) != PS_OK)
        return err->code;
    return ps_share_write_reveals(ps_request_api(req)->store, selection->ids, selection->n, &json,
                                  err);
}

/* Reads the options of an export. Originals contain data that the views mask, so exports contain
 * originals only for admins, and run files for other users. */
static enum ps_status read_options(struct ps_request *req, struct ps_share_options *out,
                                   struct ps_err *err)
{
    const char *as = ps_request_param(req, "as"), *redact = ps_request_param(req, "redact");

    *out = (struct ps_share_options){.includes_originals = req->right >= PS_ACCESS_ADMIN,
                                     .is_html = as && strcmp(as, "html") == 0,
                                     .shell = ps_request_api(req)->config.shell};
    if (as && !out->is_html && strcmp(as, "bundle") != 0)
        return ps_fail(
            err, PS_BAD_REQUEST,
            "unknown export format '%s'" PS_HINT "the parameter as must be bundle or html", as);
    return redact ? ps_reveal_parse(redact, &out->redacted_categories, err) : PS_OK;
}

/* Writes the export to a temporary file without a name, which the reply then streams. */
static enum ps_status write_file(struct ps_request *req, const struct ps_share_selection *selection,
                                 const struct ps_share_options *options, struct ps_reply *reply,
                                 struct ps_err *err)
{
    struct ps_store *store = ps_request_api(req)->store;
    PS_AUTO(ps_close_fd) int to = -1;
    struct stat file_stat;

    if (ps_store_create_scratch_file(store, &to, &reply->stream_fd, err) == PS_OK &&
        ps_share_write_file(store, selection, options, to, err) == PS_OK &&
        fstat(reply->stream_fd, &file_stat) != 0)
        ps_fail_errno(err, "cannot read", "the spool");
    if (err->code != PS_OK) {
        ps_close_fd(&reply->stream_fd);
        return err->code;
    }
    reply->stream_bytes = (uint64_t)file_stat.st_size;
    reply->stream = ps_stream_from_fd(reply->stream_fd, reply->stream_bytes);
    return PS_OK;
}

static const char *list_ids(struct ps_arena *arena, const struct ps_share_selection *selection)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    for (size_t i = 0; i < selection->n; i++)
        ps_buf_printf(&text, "%s%s", i ? "," : "", selection->ids[i]);
    return ps_arena_copy(arena, ps_buf_slice(&text)).ptr;
}

enum ps_status ps_get_export(struct ps_request *req, struct ps_reply *reply, struct ps_err *err)
{
    struct ps_share_selection *selection;
    struct ps_share_options options;

    if (read_options(req, &options, err) != PS_OK || select_runs(req, &selection, err) != PS_OK ||
        write_file(req, selection, &options, reply, err) != PS_OK)
        return err->code;
    reply->type = options.is_html ? "text/html; charset=utf-8" : "application/octet-stream";
    ps_reply_add_header(
        reply, "Content-Disposition",
        ps_format_attachment(&req->arena,
                             ps_arena_printf(&req->arena, "%s%s",
                                             ps_share_choose_file_name(selection, &options),
                                             ps_share_file_ending(options.is_html))));
    ps_reply_add_header(reply, PS_SHARE_RUNS_HEADER, list_ids(&req->arena, selection));
    return PS_OK;
}
