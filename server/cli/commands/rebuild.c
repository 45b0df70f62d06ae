/* SPDX-License-Identifier: MIT */
/* rebuild.c: rebuilds the catalog, and imports again the runs whose files are damaged. */
#include "base/format.h"
#include "server/cli/cli.h"
#include "server/cli/commands/import_profile.h"
#include "server/cli/progress.h"
#include "server/maintenance/maintenance.h"

#include "base/json_out.h"

#include <stdlib.h>

struct rebuild_state {
    struct ps_progress progress;
};

static bool on_progress(void *user, uint64_t done, uint64_t total, uint64_t files)
{
    struct rebuild_state *rebuild_state = user;
    return ps_progress_step(&rebuild_state->progress, done, total, files);
}

static void on_report(void *user, const char *file, const char *text)
{
    struct rebuild_state *rebuild_state = user;
    struct ps_err note = PS_ERR_INIT;
    ps_fail(&note, PS_IO, "%s", text);
    ps_progress_end(&rebuild_state->progress);
    ps_print_note(file, &note);
}

/* Decompresses an original into a nameless temporary file and imports it. A run that was deleted
 * remains deleted. */
static int import_original(const struct ps_options *options, struct ps_store *store,
                           const char *sha256)
{
    PS_AUTO(ps_close_fd) int original_fd = -1;
    PS_AUTO(ps_close_fd) int to = -1;
    PS_AUTO(ps_close_fd) int fd = -1;
    struct ps_stream *in = NULL;
    struct ps_err err = PS_ERR_INIT;
    const struct ps_label label = {.name = NULL, .user_name = ps_cli_login_name()};
    enum ps_status status = ps_store_open_original_by_hash(store, sha256, &in, &original_fd, &err);
    if (status == PS_OK)
        status = ps_store_create_scratch_file(store, &to, &fd, &err);
    if (status == PS_OK)
        status = ps_stream_spool(in, to, &err);
    ps_stream_free(in);
    if (status != PS_OK)
        return ps_print_failure(sha256, &err);
    return ps_cli_import_profile(
        store, &label,
        &(struct ps_import_profile){.fd = fd, .path = sha256, .filename = "", .is_reimport = true},
        options->json, NULL);
}

static int import_originals(const struct ps_options *options, const struct ps_buf *originals)
{
    PS_AUTO(ps_store_close_ptr) struct ps_store *store = ps_cli_open_store(options);
    int status = store ? 0 : 1;
    for (size_t at = 0; store && at < originals->len && !ps_progress_interrupted();
         at += PS_SHA256_SIZE)
        status |= import_original(options, store, originals->ptr + at);
    return status;
}

static void print_summary(const struct ps_options *options, const struct ps_rebuild_result *sum)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    char runs[64], again[64], aside[64];
    unsigned long long originals = sum->originals.len / PS_SHA256_SIZE;
    if (options->json) {
        struct ps_json json = ps_json_writer(&line);
        ps_json_object(&json);
        ps_json_key_int(&json, "runs", (int64_t)sum->runs);
        ps_json_key_int(&json, "imported_again", (int64_t)originals);
        ps_json_key_int(&json, "set_aside", (int64_t)sum->moved_to_lost);
        ps_json_end(&json);
    } else {
        ps_buf_printf(&line, "%s in the catalog, %s imported again, %s moved to lost/",
                      ps_format_count(sum->runs, "run", runs),
                      ps_format_count(originals, "original", again),
                      ps_format_count(sum->moved_to_lost, "file", aside));
    }
    ps_buf_puts(&line, "\n");
    ps_print(&line);
}

int ps_cli_rebuild(const struct ps_options *options)
{
    struct rebuild_state rebuild_state = {.progress = {.drawn_s = 0}};
    const struct ps_rebuild_options how = {on_report, on_progress, &rebuild_state};
    struct ps_rebuild_result sum;
    struct ps_err err = PS_ERR_INIT;
    ps_progress_catch_interrupts();
    ps_progress_start(&rebuild_state.progress, "rebuild");
    enum ps_status status = ps_check_shelf(options->data, &err);
    if (status == PS_OK)
        status = ps_store_rebuild(options->data, &how, &sum, &err);
    ps_progress_end(&rebuild_state.progress);
    if (status != PS_OK)
        return ps_print_failure(options->data, &err);
    int failed = import_originals(options, &sum.originals);
    print_summary(options, &sum);
    ps_buf_free(&sum.originals);
    return failed;
}
