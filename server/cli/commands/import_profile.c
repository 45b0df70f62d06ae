/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/commands/import_profile.h"
#include "importers/importer.h"

#include "base/format.h"
#include "server/cli/cli.h"
#include "server/cli/progress.h"

#include "base/json_out.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *ps_cli_login_name(void)
{
    const struct passwd *entry = getpwuid(geteuid());
    return entry && entry->pw_name ? entry->pw_name : "";
}

static void add_json_line(const char *url, const struct ps_import_result *result,
                          struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf shown = {0};
    struct ps_json json = ps_json_writer(out);
    ps_json_object(&json);
    ps_json_key_str(&json, "id", result->id);
    ps_json_key_str(&json, "kind", result->kind);
    ps_json_key_str(&json, "name", result->name);
    ps_json_key_str(&json, "sha256", result->sha256);
    ps_json_key_int(&json, "bytes", (int64_t)result->bytes);
    ps_json_key_int(&json, "rows", (int64_t)result->rows);
    ps_json_key_int(&json, "repaired", (int64_t)result->repaired);
    ps_json_key_int(&json, "rejected", (int64_t)result->rejected);
    ps_json_key_bool(&json, "already", result->already_existed);
    if (url) {
        ps_buf_printf(&shown, "%s#/run/%s", url, result->id);
        ps_json_key(&json, "url");
        ps_json_str(&json, ps_buf_slice(&shown));
    }
    ps_json_end(&json);
}

static void add_plain_line(const char *path, const struct ps_import_result *result,
                           struct ps_buf *out)
{
    char size[48], rows[64];
    ps_buf_printf(out, "%s  %-10s  ", result->id, result->kind);
    ps_append_escaped(out, ps_str_from_c(result->name));
    ps_buf_puts(out, "  (");
    ps_append_escaped(out, ps_str_from_c(path));
    ps_buf_printf(out, ", %s, %s", ps_format_bytes((double)result->bytes, size),
                  ps_format_count(result->rows, "row", rows));
    if (result->repaired || result->rejected)
        ps_buf_printf(out, ", %llu repaired, %llu rejected", (unsigned long long)result->repaired,
                      (unsigned long long)result->rejected);
    if (result->already_existed)
        ps_buf_printf(out, ", already on the shelf: `perfshelf show %s`", result->id);
    ps_buf_puts(out, ")");
}

static void print_run(const char *path, bool json, const char *url,
                      const struct ps_import_result *result)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    if (json)
        add_json_line(url, result, &line);
    else
        add_plain_line(path, result, &line);
    ps_buf_puts(&line, "\n");
    ps_print(&line);
    fflush(stdout);
}

int ps_imported_runs_add(struct ps_imported_runs *imported_runs, const char *path, bool json,
                         const struct ps_import_result *result)
{
    PS_AUTO(ps_free_ptr) char *name = NULL;
    struct ps_import_result labeled = *result;
    int failed = result->already_existed && imported_runs->label_known
                     ? imported_runs->label_known(imported_runs->user, path, result->id, &name)
                     : 0;
    labeled.name = name ? name : result->name;
    if (!imported_runs->is_quiet)
        print_run(path, json, imported_runs->url, &labeled);
    imported_runs->n++;
    memcpy(imported_runs->id, result->id, PS_ID_SIZE);
    return failed;
}

/* State of the report about the profiles of one file. */
struct import_report {
    struct ps_store *store;
    const struct ps_import_profile *profile;
    struct ps_progress progress;
    bool json, failed;
    struct ps_imported_runs *imported_runs;
};

static void print_failure_result(struct import_report *output, const char *path,
                                 const struct ps_err *err)
{
    if (err->code == PS_UNKNOWN_KIND) {
        ps_print_skipped(path, err);
        return;
    }
    ps_print_failure(path, err);
    output->failed = true;
}

static void on_outcome(void *user, const char *name, const struct ps_import_result *result,
                       const struct ps_err *err)
{
    struct import_report *output = user;
    const struct ps_import_profile *profile = output->profile;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    if (err->code != PS_OK && !name[0])
        return; /* ps_import_all returns the same error, and its caller reports it */
    ps_buf_printf(&path, "%s%s%s", profile->path, name[0] ? "/" : "", name);
    ps_progress_end(&output->progress);
    if (err->code != PS_OK) {
        print_failure_result(output, path.ptr, err);
    } else {
        output->failed |=
            ps_imported_runs_add(output->imported_runs, path.ptr, output->json, result) != 0;
        if (!profile->is_reimport)
            ps_cli_attach_sources(output->store, result->id, &profile->provenance);
    }
    if (name[0])
        ps_progress_start(&output->progress, profile->path);
}

int ps_cli_import_profile(struct ps_store *store, const struct ps_label *label,
                          const struct ps_import_profile *profile, bool json,
                          struct ps_imported_runs *out)
{
    struct ps_imported_runs unused = {.n = 0};
    struct import_report output = {
        .store = store, .profile = profile, .json = json, .imported_runs = out ? out : &unused};
    struct ps_err err = PS_ERR_INIT;
    struct ps_import_request request = {
        .fd = profile->fd,
        .filename = profile->filename,
        .name = label->name,
        .series = label->series,
        .user_name = label->user_name,
        .note = label->note,
        .tags = label->tags,
        .n_tags = label->n_tags,
        .is_reimport = profile->is_reimport,
        .progress = ps_progress_step,
        .user = &output.progress,
        .limits = profile->limits,
    };
    ps_progress_start(&output.progress, profile->path);
    enum ps_status status = ps_import_all(store, &request, on_outcome, &output, &err);
    ps_progress_end(&output.progress);
    if (status == PS_UNKNOWN_KIND && profile->is_from_folder)
        ps_print_skipped(profile->path, &err);
    else if (status != PS_OK)
        return ps_print_failure(profile->path, &err);
    return output.failed ? 1 : 0;
}
