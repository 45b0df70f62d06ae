/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/client/remote_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "server/cli/cli.h"
#include "server/cli/client/remote_http.h"
#include "server/cli/commands/edit.h"
#include "server/cli/commands/sources.h"
#include "server/http/url.h"
#include "server/text/answer.h"

#define CHUNK_MAX   ((size_t)8 << 20) /* bytes; half of the maximum of the server for one request */
#define CHUNK_MIN   ((size_t)64 << 10)
#define UPLOADS_MAX 3 /* maximum number of uploads if the server has lost an upload */
#define POLL_MS_MAX 1000

struct remote_upload {
    struct ps_remote_http *http;
    const struct ps_label *label;
    const struct ps_import_profile *profile;
    struct ps_imported_runs *imported_runs;
    struct ps_progress progress;
    bool json, failed;
    uint64_t bytes, offset; /* size of the file; number of bytes that the server has */
    size_t chunk_size;
    char id[64];
};

static uint64_t count_of(const cJSON *object, const char *key)
{
    const cJSON *item = ps_member(object, key);

    return cJSON_IsNumber(item) && item->valuedouble > 0 ? (uint64_t)item->valuedouble : 0;
}

static enum ps_status send_request(struct remote_upload *upload, const char *method,
                                   const char *path, bool once, cJSON **out, struct ps_err *err)
{
    const struct ps_remote_request request = {.method = method, .path = path, .no_retry = once};

    return ps_remote_send(upload->http, &request, out, err);
}

/* --- Sending the file --- */

static enum ps_status begin_upload(struct remote_upload *upload, struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *answer = NULL;

    if (send_request(upload, "POST", "uploads", false, &answer, err) != PS_OK)
        return err->code;
    (void)snprintf(upload->id, sizeof upload->id, "%s", ps_member_text(answer, "id"));
    upload->offset = 0;
    if (strspn(upload->id, "0123456789abcdef") == strlen(upload->id) && upload->id[0])
        return PS_OK;
    return ps_fail(err, PS_IO,
                   "the answer is not that of a perfshelf server" PS_HINT
                   "check the URL of --server");
}

static enum ps_status read_chunk(const struct remote_upload *upload, char *to, size_t *n,
                                 struct ps_err *err)
{
    uint64_t left = upload->bytes - upload->offset;
    size_t want = left < upload->chunk_size ? (size_t)left : upload->chunk_size;

    *n = 0;
    while (*n < want) {
        ssize_t got = pread(upload->profile->fd, to + *n, want - *n, (off_t)(upload->offset + *n));

        if (got < 0)
            return ps_fail_errno(err, "cannot read", upload->profile->path);
        if (got == 0)
            return ps_fail(err, PS_IO,
                           "the file was truncated while it was uploaded" PS_HINT
                           "add it again when it is complete");
        *n += (size_t)got;
    }
    return PS_OK;
}

static enum ps_status put_chunk(struct remote_upload *upload, struct ps_str bytes,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    struct ps_remote_request request = {.method = "PUT",
                                        .body = bytes,
                                        .no_retry = true,
                                        .progress = &upload->progress,
                                        .bytes_before = upload->offset,
                                        .total = upload->bytes};

    ps_buf_printf(&path, "uploads/%s?offset=%llu", upload->id, (unsigned long long)upload->offset);
    request.path = path.ptr;
    return ps_remote_send(upload->http, &request, &answer, err);
}

/* Called if a chunk or its response was lost: asks the server how many bytes it has, and halves the
 * chunk size, because smaller chunks are more likely to arrive over bad connections. */
static enum ps_status find_offset(struct remote_upload *upload, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;

    upload->chunk_size = upload->chunk_size / 2 > CHUNK_MIN ? upload->chunk_size / 2 : CHUNK_MIN;
    ps_buf_printf(&path, "uploads/%s", upload->id);
    if (send_request(upload, "GET", path.ptr, false, &answer, err) != PS_OK)
        return err->code;
    upload->offset = count_of(answer, "bytes");
    if (upload->offset <= upload->bytes)
        return PS_OK;
    return ps_fail(err, PS_IO,
                   "the server has more bytes than the file" PS_HINT "add the file again");
}

static enum ps_status send_chunks(struct remote_upload *upload, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *block = ps_grow(NULL, CHUNK_MAX, 1);
    unsigned failures = 0;

    while (upload->offset < upload->bytes) {
        struct ps_err chunk_err = PS_ERR_INIT;
        uint64_t before = upload->offset;
        size_t n;

        if (read_chunk(upload, block, &n, err) != PS_OK)
            return err->code;
        if (put_chunk(upload, (struct ps_str){block, n}, &chunk_err) == PS_OK) {
            upload->offset += n;
            upload->chunk_size =
                upload->chunk_size * 2 < CHUNK_MAX ? upload->chunk_size * 2 : CHUNK_MAX;
            failures = 0;
            continue;
        }
        if ((chunk_err.code != PS_IO && chunk_err.code != PS_CONFLICT) ||
            !ps_remote_wait(upload->http, ++failures)) {
            *err = chunk_err;
            return chunk_err.code;
        }
        if (find_offset(upload, err) != PS_OK)
            return err->code;
        failures = upload->offset > before ? 0 : failures;
    }
    return PS_OK;
}

/* --- Following the import --- */

static void add_param(struct ps_buf *path, const char *key, const char *value)
{
    if (!value || !value[0])
        return;
    ps_buf_printf(path, "&%s=", key);
    ps_url_escape(path, value);
}

static enum ps_status end_upload(struct remote_upload *upload, cJSON **out, struct ps_err *err)
{
    const struct ps_label *label = upload->label;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf body = {0};
    struct ps_remote_request request = {.method = "POST"};

    ps_buf_printf(&path, "uploads/%s/end?bytes=%llu", upload->id,
                  (unsigned long long)upload->bytes);
    add_param(&path, "filename", upload->profile->filename);
    add_param(&path, "name", label->name);
    add_param(&path, "series", label->series);
    add_param(&path, "who", label->user_name);
    for (size_t i = 0; i < label->n_tags; i++) {
        add_param(&path, "tag", label->tags[i].key);
        if (label->tags[i].value[0])
            ps_buf_puts(&path, "=");
        ps_url_escape(&path, label->tags[i].value);
    }
    if (label->note && label->note[0])
        ps_edit_append_json(&(struct ps_edit){.note = label->note}, &body);
    request.path = path.ptr;
    request.body = ps_buf_slice(&body);
    return ps_remote_send(upload->http, &request, out, err);
}

/* Reads the job that `first` describes. PS_NOT_FOUND: the server was restarted, and another job has
 * the id now. */
static enum ps_status read_job(struct remote_upload *upload, const cJSON *first, cJSON **out,
                               struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "jobs/");
    ps_url_escape(&path, ps_member_text(first, "id"));
    if (send_request(upload, "GET", path.ptr, false, out, err) != PS_OK)
        return err->code;
    if (strcmp(ps_member_text(*out, "created_at"), ps_member_text(first, "created_at")) == 0)
        return PS_OK;
    return ps_fail(err, PS_NOT_FOUND,
                   "the server was restarted and lost the import" PS_HINT "add the file again");
}

static bool has_ended(const cJSON *job)
{
    const char *state = ps_member_text(job, "state");

    return strcmp(state, "queued") != 0 && strcmp(state, "running") != 0;
}

/* Waits until the job that `first` describes has ended; *out is its final state. */
static enum ps_status wait_for_job(struct remote_upload *upload, const cJSON *first, cJSON **out,
                                   struct ps_err *err)
{
    long wait_ms = 20;

    for (;;) {
        enum ps_status status = read_job(upload, first, out, err);

        if (status != PS_OK || has_ended(*out))
            return status;
        if (!ps_progress_step(&upload->progress, count_of(*out, "bytes_done"),
                              count_of(*out, "bytes_total"), count_of(*out, "records")))
            return ps_fail(err, PS_CANCELLED, "interrupted; the server continues the import");
        cJSON_Delete(*out);
        *out = NULL;
        ps_sleep_ms(wait_ms);
        wait_ms = wait_ms * 2 < POLL_MS_MAX ? wait_ms * 2 : POLL_MS_MAX;
    }
}

/* Deletes a refused upload, which the server would otherwise store for a day. */
static void delete_upload(struct remote_upload *upload)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    struct ps_err ignored = PS_ERR_INIT;

    ps_buf_printf(&path, "uploads/%s", upload->id);
    (void)send_request(upload, "DELETE", path.ptr, true, &answer, &ignored);
}

static bool is_refusal(enum ps_status status)
{
    return status != PS_OK && status != PS_IO && status != PS_NOT_FOUND && status != PS_CANCELLED;
}

/* Uploads and imports the file once. */
static enum ps_status upload_and_import(struct remote_upload *upload, cJSON **job,
                                        struct ps_err *err)
{
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    enum ps_status status = begin_upload(upload, err);

    if (status != PS_OK)
        return status;
    status = send_chunks(upload, err);
    if (status == PS_OK)
        status = end_upload(upload, &answer, err);
    if (is_refusal(status))
        delete_upload(upload);
    if (status == PS_OK)
        status = wait_for_job(upload, ps_member(answer, "job"), job, err);
    return status;
}

/* --- Sources of a line-level profile --- */

struct remote_run {
    struct ps_remote_http *http;
    const char *run;
};

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

static enum ps_status attach_remote_source(void *user, const char *path, int fd, bool changed,
                                           struct ps_err *err)
{
    const struct remote_run *remote = user;
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    PS_AUTO(ps_buf_free) struct ps_buf where = {0};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    struct ps_remote_request request = {.method = "PUT"};

    if (read_whole(fd, path, &bytes, err) != PS_OK)
        return err->code;
    if (bytes.len == 0)
        return PS_OK; /* an empty file has no lines to show */
    ps_buf_printf(&where, "runs/%s/sources?changed=%d&path=", remote->run, changed);
    ps_url_escape(&where, path);
    request.path = where.ptr;
    request.body = ps_buf_slice(&bytes);
    return ps_remote_send(remote->http, &request, &answer, err);
}

/* Like ps_cli_attach_sources, for a run of the remote server; `run` is its id. */
static void upload_sources(struct ps_remote_http *http, const char *run,
                           const struct ps_provenance *from)
{
    struct remote_run remote = {http, run};
    PS_AUTO(ps_buf_free) struct ps_buf where = {0};
    PS_AUTO(ps_json_free) cJSON *answer = NULL;
    PS_AUTO(ps_free_ptr) struct ps_wanted_source *wanted = NULL;
    const cJSON *rows, *row;
    struct ps_err err = PS_ERR_INIT;
    size_t n = 0;
    struct ps_remote_request request = {.method = "GET"};

    ps_buf_printf(&where, "runs/%s/sources", run);
    request.path = where.ptr;
    if (ps_remote_send(http, &request, &answer, &err) != PS_OK) {
        if (err.code != PS_NOT_FOUND) /* PS_NOT_FOUND: runs of this kind have no lines */
            ps_print_note(run, &err);
        return;
    }
    rows = ps_member(answer, "rows");
    wanted = ps_alloc_array((size_t)cJSON_GetArraySize(rows) + 1, sizeof *wanted);
    cJSON_ArrayForEach(row, rows)
    {
        const char *state = ps_member_text(row, "state");

        if (strcmp(state, "carried") != 0)
            wanted[n++] = (struct ps_wanted_source){ps_member_text(row, "path"),
                                                    strcmp(state, "missing") != 0};
    }
    ps_cli_attach_files(from, wanted, n, attach_remote_source, &remote);
}

/* --- Output --- */

static void print_run(struct remote_upload *upload, const char *path, const cJSON *run,
                      bool already)
{
    const cJSON *ledger = ps_member(run, "ledger");
    struct ps_import_result result = {
        .kind = ps_member_text(run, "kind"),
        .already_existed = already,
        .bytes = count_of(run, "bytes"),
        .rows = count_of(run, "rows"),
        .repaired = count_of(ledger, "repaired"),
        .rejected = count_of(ledger, "rejected"),
        .name = (char *)(uintptr_t)ps_member_text(run, "name"),
    };

    (void)snprintf(result.id, sizeof result.id, "%s", ps_member_text(run, "id"));
    (void)snprintf(result.sha256, sizeof result.sha256, "%s", ps_member_text(run, "sha256"));
    upload->failed |= ps_imported_runs_add(upload->imported_runs, path, upload->json, &result) != 0;
}

static void report_failure(struct remote_upload *upload, const char *path, const struct ps_err *err,
                           bool skip)
{
    if (skip && err->code == PS_UNKNOWN_KIND)
        ps_print_skipped(path, err);
    else
        upload->failed = ps_print_failure(path, err) != 0;
}

/* Prints the run or the error of a job, or of one member of an archive. `skip`: a file that is not
 * a profile is no failure. */
static void print_outcome(struct remote_upload *upload, const char *path, const cJSON *outcome,
                          bool skip)
{
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_buf_free) struct ps_buf where = {0};
    PS_AUTO(ps_json_free) cJSON *run = NULL;

    ps_buf_puts(&where, "runs/");
    ps_url_escape(&where, ps_member_text(outcome, "run"));
    if (!ps_member_text(outcome, "run")[0]) {
        ps_remote_read_error(ps_member(outcome, "error"), 0, &err);
    } else if (send_request(upload, "GET", where.ptr, false, &run, &err) == PS_OK) {
        print_run(upload, path, run, cJSON_IsTrue(ps_member(outcome, "already")));
        upload_sources(upload->http, ps_member_text(run, "id"), &upload->profile->provenance);
    }
    if (err.code != PS_OK)
        report_failure(upload, path, &err, skip);
}

static void print_outcomes(struct remote_upload *upload, const cJSON *job)
{
    const cJSON *members = ps_member(job, "members"), *member;
    const struct ps_import_profile *profile = upload->profile;

    if (!cJSON_GetArraySize(members) || !ps_member_text(job, "run")[0]) {
        print_outcome(upload, profile->path, job, profile->is_from_folder);
        return;
    }
    cJSON_ArrayForEach(member, members)
    {
        PS_AUTO(ps_buf_free) struct ps_buf path = {0};

        ps_buf_printf(&path, "%s/%s", profile->path, ps_member_text(member, "name"));
        print_outcome(upload, path.ptr, member, true);
    }
}

/*
 * Like ps_cli_import_profile, with the shelf of `http`: uploads the file in chunks, continues after
 * dropped connections, waits for the import, prints a line for each run and attaches its sources.
 * Returns 0, or 1 after reporting the failure.
 */
static int import_remote(struct ps_remote_http *http, const struct ps_label *label,
                         const struct ps_import_profile *profile, bool json,
                         struct ps_imported_runs *out)
{
    struct remote_upload upload = {.http = http,
                                   .label = label,
                                   .profile = profile,
                                   .imported_runs = out,
                                   .json = json,
                                   .chunk_size = CHUNK_MAX / 2};
    struct ps_err err = PS_ERR_INIT;
    PS_AUTO(ps_json_free) cJSON *job = NULL;
    struct stat about;
    enum ps_status status = PS_NOT_FOUND;

    if (fstat(profile->fd, &about) != 0) {
        ps_fail_errno(&err, "cannot read", profile->path);
        return ps_print_failure(profile->path, &err);
    }
    upload.bytes = (uint64_t)about.st_size;
    ps_progress_start(&upload.progress, profile->path);
    for (unsigned n = 0; n < UPLOADS_MAX && status == PS_NOT_FOUND; n++) {
        cJSON_Delete(job);
        job = NULL;
        err = (struct ps_err)PS_ERR_INIT;
        status = upload_and_import(&upload, &job, &err);
    }
    ps_progress_end(&upload.progress);
    if (status != PS_OK)
        return ps_print_failure(profile->path, &err);
    print_outcomes(&upload, job);
    return upload.failed ? 1 : 0;
}

struct label_change {
    struct ps_client *client;
    const struct ps_label *label;
};

/* Callback for a run that existed before. If its labels differ from the options, changes them if
 * --update is set, and prints a note otherwise. */
static int label_known(void *user, const char *path, const char *id, char **name)
{
    const struct label_change *relabeling = user;
    const struct ps_label *label = relabeling->label;
    const struct ps_edit edit = {.name = label->name && label->name[0] ? label->name : NULL,
                                 .series = label->series && label->series[0] ? label->series : NULL,
                                 .note = label->note && label->note[0] ? label->note : NULL,
                                 .tags = label->tags,
                                 .n_tags = label->n_tags};
    PS_AUTO(ps_buf_free) struct ps_buf answer = {0};
    PS_AUTO(ps_json_free) cJSON *run = NULL;
    struct ps_err err = PS_ERR_INIT;

    if (ps_client_read_run(relabeling->client, id, &run, &err) != PS_OK)
        return ps_print_failure(path, &err);
    if (!ps_edit_changes(&edit, run))
        return 0;
    if (!label->update) {
        ps_fail(&err, PS_CONFLICT,
                "run %s is already on the shelf and keeps its labels" PS_HINT
                "--update replaces them",
                id);
        ps_print_note(path, &err);
        return 0;
    }
    if (ps_edit_run(relabeling->client, id, &edit, &answer, &err) != PS_OK)
        return ps_print_failure(path, &err);
    if (edit.name)
        *name = ps_strdup(ps_str_from_c(edit.name));
    return 0;
}

int ps_client_import(struct ps_client *client, const struct ps_label *label,
                     const struct ps_import_profile *profile, bool json,
                     struct ps_imported_runs *out)
{
    struct ps_remote_http *http = ps_client_http(client);
    struct label_change relabeling = {client, label};

    out->label_known = label_known;
    out->user = &relabeling;
    int failed = http ? import_remote(http, label, profile, json, out)
                      : ps_cli_import_profile(ps_client_store(client), label, profile, json, out);
    out->label_known = NULL;
    out->user = NULL;
    return failed;
}
