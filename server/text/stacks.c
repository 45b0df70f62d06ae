/* SPDX-License-Identifier: MIT */
/* stacks.c: the stacks of two memory snapshots. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/python_path.h"
#include "server/text/text.h"

/* What the rows of one direction add up to. */
struct sum {
    double bytes;
    uint64_t stacks;
};

static bool has_stack(const cJSON *row)
{
    return cJSON_IsNumber(ps_member(row, "base_stack")) ||
           cJSON_IsNumber(ps_member(row, "new_stack"));
}

/* Appends "forward model.py:12". */
static void add_frame(const cJSON *frame, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf place = {0};
    const struct ps_str file = ps_path_file_name(ps_str_from_c(ps_member_text(frame, "file")));
    const char *name = ps_member_text(frame, "name");
    double line = ps_member_or_0(frame, "line");

    ps_buf_add_str(&place, file);
    ps_buf_puts(&place, "");
    if (line > 0)
        ps_buf_printf(&place, ":%.0f", line);
    if (name[0])
        ps_output_quote(out, name);
    ps_buf_puts(out, name[0] && place.len ? " " : "");
    if (place.len)
        ps_output_quote(out, place.ptr);
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
    const cJSON *headline = ps_member(compare, "headline");
    double devices[] = {ps_member_or_0(base, "device"), ps_member_or_0(new_side, "device")};

    if (ps_member_or_0(ps_member(headline, "base"), "median") ==
            ps_member_or_0(base, "peak_live") &&
        ps_member_or_0(ps_member(headline, "new"), "median") ==
            ps_member_or_0(new_side, "peak_live"))
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
    double base = ps_member_or_0(row, "base"), now = ps_member_or_0(row, "new");
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
    const cJSON *base = ps_member(response, "base"), *new_side = ps_member(response, "new"),
                *rows = ps_member(response, "rows"), *largest = cJSON_GetArrayItem(rows, 0),
                *without = NULL, *row;
    double change = ps_member_or_0(new_side, "live") - ps_member_or_0(base, "live");
    struct sum more = {0, 0}, less = {0, 0};
    char text[64];

    cJSON_ArrayForEach(row, rows)
    {
        double delta = ps_member_or_0(row, "change");
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
    if (ps_member_or_0(largest, "change") != 0) {
        const char *verdict = ps_member_text(largest, "verdict");

        ps_buf_puts(out, " Largest change: ");
        add_stack(largest, out);
        ps_buf_printf(out, " %s", ps_format_change(ps_member_or_0(largest, "change"), "B", text));
        if (strcmp(verdict, "new") == 0 || strcmp(verdict, "gone") == 0)
            ps_buf_printf(out, ", %s", verdict);
        ps_buf_puts(out, ".");
    }
}

/* --- The table --- */

/* Adds the cells of a row before its name. */
static void add_values(struct ps_output *out, const double bytes[2], const double count[2],
                       const char *verdict)
{
    char text[64];

    ps_output_value(out, bytes[0], "B");
    ps_output_value(out, bytes[1], "B");
    ps_output_change(out, bytes[1] - bytes[0], "B");
    ps_output_percent_change(out,
                             bytes[0] != 0 ? 100 * (bytes[1] - bytes[0]) / fabs(bytes[0]) : NAN);
    if (isnan(count[0]))
        text[0] = '\0';
    else if (count[0] == count[1])
        (void)snprintf(text, sizeof text, "%.0f", count[0]);
    else
        (void)snprintf(text, sizeof text, "%.0f \u2192 %.0f", count[0], count[1]);
    ps_output_word(out, text);
    ps_output_word(out, verdict);
}

static void add_row(struct ps_output *out, const cJSON *row)
{
    const cJSON *caller = ps_member(row, "caller");
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    add_values(out, (double[]){ps_member_or_0(row, "base"), ps_member_or_0(row, "new")},
               (double[]){ps_member_or_0(row, "base_count"), ps_member_or_0(row, "new_count")},
               ps_member_text(row, "verdict"));
    add_stack(row, &name);
    if (cJSON_IsObject(caller)) {
        ps_buf_puts(&name, " from ");
        add_frame(caller, &name);
    }
    ps_output_cell(out, &name);
    ps_output_row_end(out);
}

static void add_to_rest(double bytes[2], double count[2], const cJSON *row)
{
    bytes[0] += ps_member_or_0(row, "base");
    bytes[1] += ps_member_or_0(row, "new");
    count[0] += ps_member_or_0(row, "base_count");
    count[1] += ps_member_or_0(row, "new_count");
}

/* Adds the rows after the first ones as one, so that all changes add up to that of the peaks. */
static void add_rest(struct ps_output *out, const cJSON *answer, const cJSON *first)
{
    const cJSON *omitted = ps_member(answer, "omitted");
    double bytes[2] = {0, 0}, count[2] = {0, 0};
    uint64_t n = (uint64_t)ps_member_or_0(omitted, "rows");
    char text[64];

    add_to_rest(bytes, count, omitted);
    for (const cJSON *row = first; row; row = row->next, n++)
        add_to_rest(bytes, count, row);
    if (!n)
        return;
    add_values(out, bytes, count, "");
    ps_output_word(out, ps_format_count(n, "more row", text));
    ps_output_row_end(out);
}

static void add_table(struct ps_output *out, const cJSON *answer)
{
    static const struct ps_output_column columns[] = {
        {"base", "B", PS_NUMBER},    {"new", "B", PS_NUMBER},  {"change", "B", PS_NUMBER},
        {"of base", "%", PS_NUMBER}, {"count", "", PS_NUMBER}, {"verdict", "", PS_WORDS},
        {"stack", "", PS_WORDS}};
    const double live[] = {ps_member_or_0(ps_member(answer, "base"), "live"),
                           ps_member_or_0(ps_member(answer, "new"), "live")};
    const cJSON *row = cJSON_GetArrayItem(ps_member(answer, "rows"), 0);
    const unsigned limit = out->max_rows;
    unsigned n = 0;

    if (!row || ps_member_or_0(row, "change") == 0)
        return;
    ps_output_heading(out, "Stacks by live bytes at the peaks, largest change first");
    ps_output_table(out, "stacks", columns, sizeof columns / sizeof *columns);
    out->max_rows = limit + 2; /* with the rest and the sum */
    for (; row && n < limit && ps_member_or_0(row, "change") != 0; row = row->next, n++)
        add_row(out, row);
    add_rest(out, answer, row);
    add_values(out, live, (double[]){NAN, NAN}, "");
    ps_output_word(out, "all, live at the peaks");
    ps_output_row_end(out);
    ps_output_table_end(out, 0);
    out->max_rows = limit;
}

void ps_text_stacks(struct ps_output *out, const cJSON *response, const cJSON *answer)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    add_sentence(response, answer, &text);
    ps_output_paragraph(out, &text);
    add_table(out, answer);
}
