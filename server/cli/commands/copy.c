/* SPDX-License-Identifier: MIT */
/* copy.c: copies a shelf into another shelf, and prints a line for each difference. */
#include "base/format.h"
#include "server/cli/cli.h"
#include "server/maintenance/transfer.h"
#include "server/replica/url.h"

#include "base/json_out.h"

static void add_json(struct ps_buf *line, const struct ps_transfer_result *sum)
{
    const struct {
        const char *key;
        uint64_t value;
    } figures[] = {{"runs", sum->runs},
                   {"already", sum->existing_runs},
                   {"removed", sum->removed_runs},
                   {"updated", sum->updated_items},
                   {"files", sum->files},
                   {"bytes", sum->bytes},
                   {"rows", sum->rows},
                   {"waiting", sum->waiting_uploads},
                   {"findings", sum->findings}};
    struct ps_json json = ps_json_writer(line);
    ps_json_object(&json);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        ps_json_key_int(&json, figures[i].key, (int64_t)figures[i].value);
    ps_json_end(&json);
}

static void add_plain(struct ps_buf *line, const struct ps_transfer_result *sum)
{
    char size[48], count[2][64];
    ps_buf_printf(
        line, "%s copied (%s, %s), %llu already there", ps_format_count(sum->runs, "run", count[0]),
        ps_format_count(sum->files, "file", count[1]), ps_format_bytes((double)sum->bytes, size),
        (unsigned long long)sum->existing_runs);
    if (sum->removed_runs)
        ps_buf_printf(line, ", %llu deleted meanwhile", (unsigned long long)sum->removed_runs);
    if (sum->updated_items)
        ps_buf_printf(line, ", %s updated", ps_format_count(sum->updated_items, "item", count[0]));
    if (sum->waiting_uploads)
        ps_buf_printf(line, "; %s not copied",
                      ps_format_count(sum->waiting_uploads, "waiting upload", count[0]));
    if (sum->findings)
        ps_buf_printf(line, ": %s", ps_format_count(sum->findings, "difference", count[0]));
    else
        ps_buf_puts(line, ": the copy is complete");
}

static void print_summary(const struct ps_options *options, const struct ps_transfer_result *sum)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    if (options->json)
        add_json(&line, sum);
    else
        add_plain(&line, sum);
    ps_buf_puts(&line, "\n");
    ps_print(&line);
}

/* The folder of a shelf, or the host and database of a store without user and password. malloc'ed.
 */
static char *display_name(const char *shelf)
{
    return ps_pg_is_url(shelf) ? ps_pg_place(shelf) : ps_strdup(ps_str_from_c(shelf));
}

int ps_cli_copy(const struct ps_options *options)
{
    struct ps_check_output output = {.json = options->json};
    const struct ps_transfer_options transfer_options = {.overwrites = options->update,
                                                         .on_finding = ps_check_output_finding,
                                                         .progress = ps_check_output_progress,
                                                         .user = &output};
    struct ps_transfer_result sum;
    struct ps_err err = PS_ERR_INIT;
    const bool created = !ps_pg_is_url(options->to) && !ps_store_exists(options->to);
    ps_progress_catch_interrupts();
    ps_progress_start(&output.progress, "copy");
    enum ps_status status =
        ps_store_transfer(options->from, options->to, &transfer_options, &sum, &err);
    ps_progress_end(&output.progress);
    if (created && ps_store_exists(options->to))
        ps_print_created(options->to);
    if (status == PS_OK) {
        print_summary(options, &sum);
        return sum.findings ? 1 : 0;
    }
    PS_AUTO(ps_free_ptr) char *from = display_name(options->from);
    PS_AUTO(ps_free_ptr) char *to = display_name(options->to);
    PS_AUTO(ps_buf_free) struct ps_buf subject = {0};
    ps_buf_printf(&subject, "%s to %s", from, to);
    return ps_print_failure(subject.ptr, &err);
}
