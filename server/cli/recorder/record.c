/* SPDX-License-Identifier: MIT */
/* record.c: runs a program with a recorder and adds the profile to the shelf. */
#define _POSIX_C_SOURCE 200809L
#include "server/cli/cli.h"
#include "server/cli/client/client.h"
#include "server/cli/client/runs.h"
#include "server/cli/client/server_record.h"
#include "server/cli/commands/conclusion.h"
#include "server/cli/commands/open.h"
#include "server/cli/options/option_values.h"
#include "server/cli/out_file.h"
#include "server/cli/progress.h"
#include "server/cli/recorder/child.h"
#include "server/cli/recorder/record_ab.h"
#include "server/cli/recorder/recording.h"

#include <stdio.h>

struct record_command {
    const struct ps_options *options;
    struct ps_recording recording;
    char *subject; /* subject of messages: "record cprofile" */
    unsigned repeat;
    struct ps_client *client;
    struct ps_imported_runs imported_runs;
    struct ps_arena arena;
};

/* --- Preparation --- */

/* The file name of recording `i` (from 1) for -o: "out.prof", or "out.3.prof" for the third of
 * several recordings. */
static const char *output_name(struct record_command *r, unsigned i)
{
    const char *out = r->options->output, *slash = strrchr(out, '/');
    const char *dot = strrchr(slash ? slash + 1 : out, '.');
    size_t len = dot && dot > out && dot[-1] != '/' ? (size_t)(dot - out) : strlen(out);
    if (r->repeat == 1)
        return out;
    return ps_arena_printf(&r->arena, "%.*s.%u%s", (int)len, out, i, out + len);
}

/* Checks -o before the program runs, which may take hours. */
static enum ps_status check_output(struct record_command *r, struct ps_err *err)
{
    if (!r->options->output)
        return PS_OK;
    if (strcmp(r->options->output, "-") == 0)
        return ps_fail(err, PS_BAD_REQUEST,
                       "-o - is not possible: standard output belongs to the program" PS_HINT
                       "name a file");
    for (unsigned i = 1; err->code == PS_OK && i <= r->repeat; i++)
        ps_out_file_check(output_name(r, i), r->options->force, err);
    return err->code;
}

static enum ps_status prepare(struct record_command *r, struct ps_err *err)
{
    const struct ps_options *options = r->options;
    int64_t repeat;
    r->subject = ps_arena_printf(&r->arena, "record %s", options->operands[0]);
    if (ps_options_parse_count("--repeat", options->repeat, PS_REPEAT_MAX, &repeat, err) != PS_OK)
        return err->code;
    r->repeat = repeat ? (unsigned)repeat : 1;
    r->recording = (struct ps_recording){.options = options,
                                         .recorder_name = options->operands[0],
                                         .words = options->operands + 1,
                                         .n_words = options->n_operands - 1,
                                         .in_series = r->repeat > 1,
                                         .out_to_stderr = options->json};
    if (check_output(r, err) != PS_OK)
        return err->code;
    return ps_recording_prepare(&r->recording, err);
}

/* --- One recording --- */

/* Copies the profile to the file of -o. */
static enum ps_status copy_to_output(struct record_command *r, unsigned i, struct ps_err *err)
{
    if (!r->options->output)
        return PS_OK;
    PS_AUTO(ps_out_file_close) struct ps_out_file out = PS_OUT_FILE_INIT;
    if (ps_out_file_open(output_name(r, i), r->options->force, &out, err) != PS_OK ||
        ps_recording_copy(&r->recording, out.fd, out.path, err) != PS_OK)
        return err->code;
    return ps_out_file_commit(&out, err);
}

static int fail_no_profile(const struct record_command *r, int exit_status)
{
    struct ps_err err = PS_ERR_INIT;
    ps_recording_print_exit(r->subject, exit_status, "it wrote no profile");
    if (exit_status != 0)
        return exit_status;
    ps_fail(&err, PS_NOT_FOUND,
            "the command wrote no profile" PS_HINT
            "a program that calls os._exit() or exec ends before its profile is written");
    return ps_print_failure(r->subject, &err);
}

static int store_profile(struct record_command *r, unsigned i, int exit_status)
{
    struct ps_record_tags *tags = &r->recording.tags;
    struct ps_err err = PS_ERR_INIT;
    if (!ps_recording_has_profile(&r->recording))
        return fail_no_profile(r, exit_status);
    int status = copy_to_output(r, i, &err) == PS_OK ? 0 : ps_print_failure(r->subject, &err);
    const char *copy = r->options->output && status == 0 ? output_name(r, i) : NULL;
    ps_progress_catch_interrupts();
    size_t n_tags = tags->n;
    if (r->repeat > 1)
        ps_record_tags_set(tags, "repeat", ps_arena_printf(&r->arena, "%u/%u", i, r->repeat));
    bool is_stored = ps_recording_add(&r->recording, r->client, &r->imported_runs) == 0;
    tags->n = n_tags;
    if (!is_stored)
        ps_recording_keep(&r->recording, copy);
    ps_recording_print_exit(r->subject, exit_status,
                            is_stored ? "its profile is on the shelf"
                                      : "its profile was not added");
    return exit_status ? exit_status : is_stored ? status : 1;
}

/* Records once. Returns the exit status of the command or, if the command succeeded, the status of
 * the import. */
static int record_once(struct record_command *r, unsigned i)
{
    struct ps_err err = PS_ERR_INIT;
    int exit_status = 0;
    if (ps_recording_run(&r->recording, i == 1, &exit_status, &err) != PS_OK) {
        ps_print_failure(r->subject, &err);
        return exit_status ? exit_status : 1;
    }
    return store_profile(r, i, exit_status);
}

/* --- All recordings --- */

static int record_all(struct record_command *r)
{
    int status = 0;
    for (unsigned i = 1; i <= r->repeat && status == 0 && !ps_child_interrupted(); i++)
        status = record_once(r, i);
    return status;
}

/* If no function was measured, prints a note on how to mark one. */
static void report_no_functions(const struct record_command *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_json_free) cJSON *sources = NULL;
    struct ps_err note = PS_ERR_INIT, none = PS_ERR_INIT;
    if (!r->recording.recorder->empty_hint || !r->imported_runs.n)
        return;
    ps_buf_printf(&path, "runs/%s/sources", r->imported_runs.id);
    if (ps_client_read(r->client, path.ptr, &sources, &none) != PS_OK ||
        cJSON_GetArraySize(ps_member(sources, "rows")) > 0)
        return;
    ps_fail(&note, PS_NOT_FOUND, "no function was measured" PS_HINT "%s",
            r->recording.recorder->empty_hint);
    ps_print_note(r->subject, &note);
}

static int record_to(struct record_command *r)
{
    struct ps_err err = PS_ERR_INIT, note = PS_ERR_INIT;
    PS_AUTO(ps_client_close) struct ps_client *client = ps_client_open(r->options);
    if (!client)
        return 1;
    PS_AUTO(ps_buf_free) struct ps_buf url = {0};
    r->client = client;
    r->imported_runs.url =
        r->options->json && ps_server_find_url(r->options, &url) ? url.ptr : NULL;
    if (ps_recording_open(&r->recording, &err) != PS_OK)
        return ps_print_failure(r->subject, &err);
    int status = record_all(r);
    ps_recording_report_left();
    if (ps_recording_close(&r->recording, &note) != PS_OK)
        ps_print_note(r->subject, &note);
    report_no_functions(r);
    ps_cli_print_verdict(client, r->options, &r->imported_runs);
    ps_server_print_url(r->options, &r->imported_runs);
    return status;
}

/* Fails if an option was given that only `record ab` has, or if the command is missing. */
static enum ps_status check_options(const struct ps_options *options, struct ps_err *err)
{
    const struct {
        const char *name;
        bool is_given;
    } of_ab[] = {{"--base", options->base},         {"--new", options->new_runs},
                 {"--base-dir", options->base_dir}, {"--new-dir", options->new_dir},
                 {"--pairs", options->pairs},       {"--warmup", options->warmup},
                 {"--recorder", options->recorder}, {"--metric", options->metric},
                 {"--fail-on", options->fail_on},   {"--seed", options->seed},
                 {"--markdown", options->markdown}, {"--show-output", options->show_output}};
    for (size_t i = 0; i < sizeof of_ab / sizeof *of_ab; i++)
        if (of_ab[i].is_given)
            return ps_fail(err, PS_BAD_REQUEST,
                           "%s is an option of `perfshelf record ab`" PS_HINT
                           "see `perfshelf help record`",
                           of_ab[i].name);
    if (options->n_operands < 2)
        return ps_fail(err, PS_BAD_REQUEST,
                       "missing argument" PS_HINT
                       "usage: perfshelf record [OPTIONS] RECORDER -- COMMAND...");
    return PS_OK;
}

int ps_cli_record(const struct ps_options *options)
{
    struct record_command r = {.options = options};
    struct ps_err err = PS_ERR_INIT;
    int status;
    if (strcmp(options->operands[0], "ab") == 0)
        return ps_cli_record_ab(options);
    if (check_options(options, &err) != PS_OK)
        return ps_print_failure("record", &err) + 1;
    if (prepare(&r, &err) == PS_OK)
        status = record_to(&r);
    else
        status = ps_print_failure(r.subject, &err) + (err.code == PS_BAD_REQUEST);
    if (options->open && r.imported_runs.n && ps_cli_show_page(options, r.imported_runs.id) != 0 &&
        status == 0)
        status = 1;
    ps_recording_free(&r.recording);
    ps_arena_free(&r.arena);
    return status;
}
