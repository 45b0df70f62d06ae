/* SPDX-License-Identifier: MIT */
#include "base/format.h"
#include "server/cli/cli.h"
#include "server/cli/progress.h"
#include "server/maintenance/maintenance.h"

#include "base/json_out.h"

static void print_summary(const struct ps_options *options, const struct ps_backup_result *sum)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    char size[48], runs[64], files[64], removed[64];
    if (options->json) {
        struct ps_json json = ps_json_writer(&line);
        ps_json_object(&json);
        ps_json_key_int(&json, "runs", (int64_t)sum->runs);
        ps_json_key_int(&json, "files", (int64_t)sum->files);
        ps_json_key_int(&json, "bytes", (int64_t)sum->bytes);
        ps_json_key_int(&json, "removed", (int64_t)sum->removed_files);
        ps_json_end(&json);
    } else {
        ps_buf_printf(&line, "%s in the backup: %s copied (%s), %s deleted",
                      ps_format_count(sum->runs, "run", runs),
                      ps_format_count(sum->files, "file", files),
                      ps_format_bytes((double)sum->bytes, size),
                      ps_format_count(sum->removed_files, "file", removed));
    }
    ps_buf_puts(&line, "\n");
    ps_print(&line);
}

int ps_cli_backup(const struct ps_options *options)
{
    struct ps_progress progress;
    const struct ps_backup_options how = {ps_progress_step, &progress};
    struct ps_backup_result sum;
    struct ps_err err = PS_ERR_INIT;
    ps_progress_catch_interrupts();
    ps_progress_start(&progress, "backup");
    enum ps_status status = ps_store_backup(options->data, options->operands[0], &how, &sum, &err);
    ps_progress_end(&progress);
    if (status != PS_OK)
        return ps_print_failure(options->data, &err);
    print_summary(options, &sum);
    return 0;
}
