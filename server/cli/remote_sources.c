/* SPDX-License-Identifier: MIT */
#include "server/cli/remote_sources.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "server/cli/cli.h"
#include "server/cli/sources.h"
#include "server/http/url.h"

struct remote_run {
    struct ps_remote_http *http;
    const char *run;
};

static const char *text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

    return text ? text : "";
}

static void delete_json(cJSON **json)
{
    cJSON_Delete(*json);
}

static enum ps_status read_whole(int fd, const char *path, struct ps_buf *out, struct ps_err *err)
{
    struct stat about;
    ssize_t got = 1;

    if (fstat(fd, &about) != 0)
        return ps_fail_errno(err, "cannot read", path);
    ps_buf_reserve(out, (size_t)about.st_size);
    while (got > 0 && out->len < (size_t)about.st_size) {
        got = pread(fd, out->ptr + out->len, (size_t)about.st_size - out->len, (off_t)out->len);
        out->len += got > 0 ? (size_t)got : 0;
    }
    if (got < 0)
        return ps_fail_errno(err, "cannot read", path);
    if (out->len < (size_t)about.st_size)
        return ps_fail(err, PS_IO, "cannot read %s: it became shorter meanwhile", path);
    return PS_OK;
}

static enum ps_status attach_there(void *user, const char *path, int fd, bool changed,
                                   struct ps_err *err)
{
    const struct remote_run *there = user;
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    PS_AUTO(ps_buf_free) struct ps_buf where = {0};
    PS_AUTO(delete_json) cJSON *answer = NULL;
    struct ps_remote_request request = {.method = "PUT"};

    if (read_whole(fd, path, &bytes, err) != PS_OK)
        return err->code;
    if (bytes.len == 0)
        return PS_OK; /* an empty file has no lines to show */
    ps_buf_printf(&where, "runs/%s/sources?changed=%d&path=", there->run, changed);
    ps_url_escape(&where, path);
    request.path = where.ptr;
    request.body = ps_buf_slice(&bytes);
    return ps_remote_send(there->http, &request, &answer, err);
}

void ps_remote_upload_sources(struct ps_remote_http *http, const char *run,
                              const struct ps_provenance *from)
{
    struct remote_run there = {http, run};
    PS_AUTO(ps_buf_free) struct ps_buf where = {0};
    PS_AUTO(delete_json) cJSON *answer = NULL;
    PS_AUTO(ps_free_ptr) struct ps_wanted_source *wanted = NULL;
    const cJSON *rows, *row;
    struct ps_err err = PS_ERR_INIT;
    size_t n = 0;
    struct ps_remote_request request = {.method = "GET"};

    ps_buf_printf(&where, "runs/%s/sources", run);
    request.path = where.ptr;
    if (ps_remote_send(http, &request, &answer, &err) != PS_OK) {
        if (err.code !=
            PS_NOT_FOUND) /* PS_NOT_FOUND: this kind of run has no lines, so no sources */
            ps_print_note(run, &err);
        return;
    }
    rows = cJSON_GetObjectItemCaseSensitive(answer, "rows");
    wanted = ps_alloc_array((size_t)cJSON_GetArraySize(rows) + 1, sizeof *wanted);
    cJSON_ArrayForEach(row, rows)
    {
        const char *state = text_of(row, "state");

        if (strcmp(state, "carried") != 0)
            wanted[n++] =
                (struct ps_wanted_source){text_of(row, "path"), strcmp(state, "missing") != 0};
    }
    ps_cli_attach_files(from, wanted, n, attach_there, &there);
}
