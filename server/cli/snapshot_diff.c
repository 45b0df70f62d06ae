/* SPDX-License-Identifier: MIT */
#include "server/cli/snapshot_diff.h"

#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "base/json_span.h"
#include "base/python_path.h"

#define ROWS_MAX "10000" /* maximum of the API */

/* What the rows of one direction add up to. */
struct sum {
    double bytes;
    uint64_t stacks;
};

bool ps_cli_compares_snapshots(const struct ps_cli_comparison *compared)
{
    const cJSON *picture;

    cJSON_ArrayForEach(picture, cJSON_GetObjectItemCaseSensitive(compared->response, "pictures"))
    {
        if (cJSON_IsString(picture) && strcmp(picture->valuestring, "snapshot") == 0)
            return true;
    }
    return false;
}

/* Reads the response of GET /compare/snapshot, of frames of the program where a stack has some. */
static enum ps_status read_response(const struct ps_cli_comparison *compared, struct ps_buf *text,
                                    struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_buf_puts(&path, "compare/snapshot");
    ps_path_add_param(&path, "base", compared->base_runs);
    ps_path_add_param(&path, "new", compared->new_runs);
    ps_path_add_param(&path, "frames", "own");
    ps_path_add_param(&path, "limit", ROWS_MAX);
    return ps_client_get(compared->client, path.ptr, text, err);
}

static bool has_stack(const cJSON *row)
{
    return cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(row, "base_stack")) ||
           cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(row, "new_stack"));
}

/* Appends "forward model.py:12". */
static void add_frame(const cJSON *frame, struct ps_buf *out)
{
    struct ps_str file = ps_path_file_name(ps_str_from_c(ps_run_text(frame, "file")));
    const char *name = ps_run_text(frame, "name");
    double line = ps_run_number(frame, "line");

    ps_append_escaped(out, ps_str_from_c(name));
    ps_buf_puts(out, name[0] && file.len ? " " : "");
    ps_append_escaped(out, file);
    if (line > 0)
        ps_buf_printf(out, ":%.0f", line);
}

static void add_stack(const cJSON *row, struct ps_buf *out)
{
    if (has_stack(row))
        add_frame(row, out);
    else
        ps_buf_puts(out, "memory without a Python stack");
}

/* --- The sentence --- */

/* Appends "GPU 0 → GPU 1: " if a run has several GPUs: the headline is then the sum of all, but the
 * stacks are those of one. */
static void add_devices(const cJSON *compare, const cJSON *base, const cJSON *new_side,
                        struct ps_buf *out)
{
    const cJSON *headline = cJSON_GetObjectItemCaseSensitive(compare, "headline");
    double devices[] = {ps_run_number(base, "device"), ps_run_number(new_side, "device")};

    if (ps_run_number(cJSON_GetObjectItemCaseSensitive(headline, "base"), "median") ==
            ps_run_number(base, "peak_live") &&
        ps_run_number(cJSON_GetObjectItemCaseSensitive(headline, "new"), "median") ==
            ps_run_number(new_side, "peak_live"))
        return;
    ps_buf_printf(out, "GPU %.0f", devices[0]);
    if (devices[0] != devices[1])
        ps_buf_printf(out, " → GPU %.0f", devices[1]);
    ps_buf_puts(out, ": ");
}

/* Appends "+1.66 GiB in 10 stacks". */
static void add_sum(const struct sum *sum, const char *before, struct ps_buf *out)
{
    char change[64], count[64];

    if (sum->stacks)
        ps_buf_printf(out, "%s%s in %s", before, ps_format_change(sum->bytes, "B", change),
                      ps_format_count(sum->stacks, "stack", count));
}

/* Appends "; 1.2 GiB → 1.1 GiB without a Python stack". */
static void add_without_stack(const cJSON *row, struct ps_buf *out)
{
    double base = ps_run_number(row, "base"), now = ps_run_number(row, "new");
    char text[2][48];

    if (base <= 0 && now <= 0)
        return;
    ps_buf_puts(out, "; ");
    if (base != now)
        ps_buf_printf(out, "%s → ", ps_format_bytes(base, text[0]));
    ps_buf_printf(out, "%s without a Python stack", ps_format_bytes(now, text[1]));
}

static void add_sentence(const cJSON *compare, const cJSON *response, struct ps_buf *out)
{
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(response, "base"),
                *new_side = cJSON_GetObjectItemCaseSensitive(response, "new"),
                *rows = cJSON_GetObjectItemCaseSensitive(response, "rows"),
                *largest = cJSON_GetArrayItem(rows, 0), *without = NULL, *row;
    double change = ps_run_number(new_side, "live") - ps_run_number(base, "live");
    struct sum more = {0, 0}, less = {0, 0};
    char text[64];

    cJSON_ArrayForEach(row, rows)
    {
        double delta = ps_run_number(row, "change");
        struct sum *sum = delta > 0 ? &more : &less;

        if (!has_stack(row)) {
            without = row;
        } else if (delta != 0) {
            sum->bytes += delta;
            sum->stacks++;
        }
    }
    add_devices(compare, base, new_side, out);
    ps_buf_puts(out, change > 0   ? "The peak is higher. "
                     : change < 0 ? "The peak is lower. "
                                  : "The peaks are equal. ");
    add_sum(&more, "", out);
    add_sum(&less, more.stacks ? ", " : "", out);
    if (!more.stacks && !less.stacks)
        ps_buf_puts(out, "No stack changed");
    add_without_stack(without, out);
    ps_buf_puts(out, ".");
    if (ps_run_number(largest, "change") != 0) {
        const char *verdict = ps_run_text(largest, "verdict");

        ps_buf_puts(out, " Largest change: ");
        add_stack(largest, out);
        ps_buf_printf(out, " %s", ps_format_change(ps_run_number(largest, "change"), "B", text));
        if (strcmp(verdict, "new") == 0 || strcmp(verdict, "gone") == 0)
            ps_buf_printf(out, ", %s", verdict);
        ps_buf_puts(out, ".");
    }
    ps_buf_puts(out, "\n");
}

/* --- The table --- */

/* Adds the cells of a row before its name. */
static void add_values(struct ps_table *table, const double bytes[2], const double count[2],
                       const char *verdict)
{
    char text[64];

    for (int i = 0; i < 2; i++)
        ps_table_cell(table, ps_format_bytes(bytes[i], text));
    ps_table_cell(table, ps_format_change(bytes[1] - bytes[0], "B", text));
    ps_table_cell(table, ps_format_percent(bytes[1] - bytes[0], bytes[0], text));
    if (count[0] == count[1])
        ps_table_printf(table, "%.0f", count[0]);
    else
        ps_table_printf(table, "%.0f → %.0f", count[0], count[1]);
    ps_table_cell(table, verdict);
}

static void add_row(struct ps_table *table, const cJSON *row)
{
    const cJSON *caller = cJSON_GetObjectItemCaseSensitive(row, "caller");
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    add_values(table, (double[]){ps_run_number(row, "base"), ps_run_number(row, "new")},
               (double[]){ps_run_number(row, "base_count"), ps_run_number(row, "new_count")},
               ps_run_text(row, "verdict"));
    add_stack(row, &name);
    if (cJSON_IsObject(caller)) {
        ps_buf_puts(&name, "  from ");
        add_frame(caller, &name);
    }
    ps_table_cell(table, name.ptr);
}

static void add_to_rest(double bytes[2], double count[2], const cJSON *row)
{
    bytes[0] += ps_run_number(row, "base");
    bytes[1] += ps_run_number(row, "new");
    count[0] += ps_run_number(row, "base_count");
    count[1] += ps_run_number(row, "new_count");
}

/* Adds the rows after the first ones as one, so that all changes add up to that of the peaks. */
static void add_rest(struct ps_table *table, const cJSON *response, const cJSON *first)
{
    const cJSON *omitted = cJSON_GetObjectItemCaseSensitive(response, "omitted");
    double bytes[2] = {0, 0}, count[2] = {0, 0};
    uint64_t n = (uint64_t)ps_run_number(omitted, "rows");
    char text[64];

    add_to_rest(bytes, count, omitted);
    for (const cJSON *row = first; row; row = row->next, n++)
        add_to_rest(bytes, count, row);
    if (!n)
        return;
    add_values(table, bytes, count, "");
    ps_table_cell(table, ps_format_count(n, "more row", text));
}

static void add_table(const cJSON *response, int limit, struct ps_buf *out)
{
    static const char *const titles[] = {"base", "new", "change", "", "count", "verdict", "stack"};
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(response, "base"),
                *new_side = cJSON_GetObjectItemCaseSensitive(response, "new");
    const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(response, "rows"), 0);
    struct ps_table table = {.columns = 7, .right = 31, .width = ps_terminal_width()};
    char text[64];
    int n = 0;

    if (!row || ps_run_number(row, "change") == 0)
        return;
    ps_buf_puts(out, "\nstacks by live bytes at the peaks, largest change first\n");
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ps_table_cell(&table, titles[i]);
    for (; row && n < limit && ps_run_number(row, "change") != 0; row = row->next, n++)
        add_row(&table, row);
    add_rest(&table, response, row);
    ps_table_cell(&table, ps_format_bytes(ps_run_number(base, "live"), text));
    ps_table_cell(&table, ps_format_bytes(ps_run_number(new_side, "live"), text));
    ps_table_cell(
        &table,
        ps_format_change(ps_run_number(new_side, "live") - ps_run_number(base, "live"), "B", text));
    ps_table_cell(&table,
                  ps_format_percent(ps_run_number(new_side, "live") - ps_run_number(base, "live"),
                                    ps_run_number(base, "live"), text));
    ps_table_cell(&table, "");
    ps_table_cell(&table, "");
    ps_table_cell(&table, "all, live at the peaks");
    ps_table_print(&table, out);
    ps_table_free(&table);
}

enum ps_status ps_cli_add_snapshot_stacks(const struct ps_cli_comparison *compared, int limit,
                                          struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_run_free) cJSON *response = NULL;

    if (read_response(compared, &text, err) != PS_OK ||
        ps_client_parse(ps_buf_slice(&text), &response, err) != PS_OK)
        return err->code;
    add_sentence(compared->response, response, out);
    add_table(response, limit, out);
    return PS_OK;
}

enum ps_status ps_cli_append_snapshot_json(const struct ps_cli_comparison *compared,
                                           struct ps_buf *out, struct ps_err *err)
{
    static const char *const of_runs[] = {"base", "new", "headline"}, *const of_stacks[] = {
                                                                          "begins_at", "rows",
                                                                          "omitted"};
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json json = ps_json_writer(out);

    if (read_response(compared, &text, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; i++) {
        ps_json_key(&json, of_runs[i]);
        ps_json_raw(&json, ps_json_member(ps_buf_slice(&compared->text), of_runs[i]));
    }
    ps_json_key_str(&json, "of", PS_CLI_STACKS);
    ps_json_key_str(&json, "metric", "live");
    ps_json_key_str(&json, "per", "run");
    ps_json_key_str(&json, "unit", "B");
    for (size_t i = 0; i < sizeof of_stacks / sizeof *of_stacks; i++) {
        ps_json_key(&json, of_stacks[i]);
        ps_json_raw(&json, ps_json_member(ps_buf_slice(&text), of_stacks[i]));
    }
    ps_json_end(&json);
    ps_buf_puts(out, "\n");
    return PS_OK;
}
