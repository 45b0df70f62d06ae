/* SPDX-License-Identifier: MIT */
/* verify.c: checks the files of a shelf and prints a line for each problem. */
#include "base/format.h"
#include "server/cli/cli.h"
#include "server/maintenance/maintenance.h"

#include "base/json_out.h"

#include <stdio.h>

static void print_finding(const struct ps_finding *finding, bool json_lines)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    if (json_lines) {
        struct ps_json json = ps_json_writer(&line);
        ps_json_object(&json);
        ps_json_key_str(&json, "what", finding->object_type);
        ps_json_key_str(&json, "file", finding->file);
        ps_json_key_str(&json, "text", finding->text);
        ps_json_key_str(&json, "hint", finding->hint);
        ps_json_end(&json);
    } else {
        ps_append_escaped(&line, ps_str_from_c(finding->file));
        ps_buf_printf(&line, ": %s: ", finding->object_type);
        ps_append_escaped(&line, ps_str_from_c(finding->text));
        if (finding->hint[0])
            ps_buf_printf(&line, "; %s", finding->hint);
    }
    ps_buf_puts(&line, "\n");
    ps_print(&line);
}

void ps_check_output_finding(void *user, const struct ps_finding *finding)
{
    struct ps_check_output *looking = user;
    ps_progress_end(&looking->progress);
    print_finding(finding, looking->json);
}

bool ps_check_output_progress(void *user, uint64_t done, uint64_t total, uint64_t files)
{
    struct ps_check_output *looking = user;
    return ps_progress_step(&looking->progress, done, total, files);
}

static void print_summary(const struct ps_options *options, const struct ps_verify_result *sum)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    char size[48], count[2][64];
    if (options->json) {
        struct ps_json json = ps_json_writer(&line);
        ps_json_object(&json);
        ps_json_key_int(&json, "runs", (int64_t)sum->runs);
        ps_json_key_int(&json, "files", (int64_t)sum->files);
        ps_json_key_int(&json, "bytes", (int64_t)sum->bytes);
        ps_json_key_int(&json, "findings", (int64_t)sum->findings);
        ps_json_key_int(&json, "hashed", (int64_t)sum->n_recorded_hashes);
        ps_json_key_bool(&json, "quick", options->quick);
        ps_json_end(&json);
        ps_buf_puts(&line, "\n");
    } else {
        ps_buf_printf(&line, "%s, %s, %s: ", ps_format_count(sum->runs, "run", count[0]),
                      ps_format_count(sum->files, "file", count[1]),
                      ps_format_bytes((double)sum->bytes, size));
        if (sum->findings)
            ps_buf_puts(&line, ps_format_count(sum->findings, "problem", count[0]));
        else
            ps_buf_puts(&line, options->quick ? "all files exist" : "no problem found");
        if (sum->n_recorded_hashes)
            ps_buf_printf(&line, "; recorded the missing hashes of %s",
                          ps_format_count(sum->n_recorded_hashes, "run file", count[0]));
        ps_buf_puts(&line, "\n");
    }
    ps_print(&line);
}

int ps_cli_verify(const struct ps_options *options)
{
    struct ps_check_output output = {.json = options->json};
    const struct ps_verify_options how = {options->quick, ps_check_output_finding,
                                          ps_check_output_progress, &output};
    struct ps_verify_result sum;
    struct ps_err err = PS_ERR_INIT;
    ps_progress_catch_interrupts();
    ps_progress_start(&output.progress, "verify");
    enum ps_status status = ps_store_verify(options->store, options->data, &how, &sum, &err);
    ps_progress_end(&output.progress);
    if (status != PS_OK) {
        ps_print_shelf_failure(options, &err);
        return 2;
    }
    print_summary(options, &sum);
    return sum.findings ? 1 : 0;
}
