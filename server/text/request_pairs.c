/* SPDX-License-Identifier: MIT */
/* request_pairs.c: what became of the requests of two serving runs. */
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "server/text/text.h"

/* "-3.2 ms (-8.1 ms to -1.0 ms)" */
static void add_median(struct ps_output *out, const cJSON *metric)
{
    PS_AUTO(ps_buf_free) struct ps_buf words = {0};
    const double low = ps_member_number(metric, "low"), high = ps_member_number(metric, "high");
    char text[64];

    if (ps_member_or_0(metric, "pairs") > 0)
        ps_buf_puts(&words, ps_format_change(ps_member_or_0(metric, "median") / 1e9, "s", text));
    if (!isnan(low))
        ps_buf_printf(&words, " (%s", ps_format_change(low / 1e9, "s", text));
    if (!isnan(low))
        ps_buf_printf(&words, " to %s)", ps_format_change(high / 1e9, "s", text));
    ps_output_word(out, words.ptr ? words.ptr : "");
}

static void add_metric(struct ps_output *out, const cJSON *metric)
{
    static const char *const sides[] = {"base", "new"};
    static const char *const values[] = {"worst", "p50"};
    const bool has_pairs = ps_member_or_0(metric, "pairs") > 0;

    for (int value = 0; value < 2; value++)
        for (int side = 0; side < 2; side++)
            ps_output_value(
                out, ps_member_number(ps_member(metric, sides[side]), values[value]) / 1e9, "s");
    ps_output_value(out, has_pairs ? ps_member_or_0(metric, "less") : (double)NAN, "");
    ps_output_value(out, has_pairs ? ps_member_or_0(metric, "more") : (double)NAN, "");
    add_median(out, metric);
    ps_output_word(out, ps_member_text(metric, "title"));
    ps_output_row_end(out);
}

void ps_text_request_pair_rows(struct ps_output *out, const cJSON *page)
{
    static const struct ps_output_column columns[] = {{"first token, base", "s", PS_NUMBER},
                                                      {"new", "s", PS_NUMBER},
                                                      {"change", "", PS_WORDS},
                                                      {"longest gap, base", "s", PS_NUMBER},
                                                      {"new", "s", PS_NUMBER},
                                                      {"prompt", "", PS_NUMBER},
                                                      {"request", "", PS_NUMBER},
                                                      {"name", "", PS_WORDS}};
    char text[64];

    ps_output_heading(out, "The %d requests whose time to the first token changes most",
                      ps_count_rows(page));
    ps_output_table(out, "pairs", columns, sizeof columns / sizeof *columns);
    for (int row = 0; row < ps_count_rows(page); row++) {
        const double change = ps_cell_number(page, row, "delta_ttft_ns") / 1e9;

        ps_output_value(out, ps_cell_number(page, row, "base_ttft_ns") / 1e9, "s");
        ps_output_value(out, ps_cell_number(page, row, "new_ttft_ns") / 1e9, "s");
        ps_output_word(out, isnan(change) ? "" : ps_format_change(change, "s", text));
        ps_output_value(out, ps_cell_number(page, row, "base_gap_ns") / 1e9, "s");
        ps_output_value(out, ps_cell_number(page, row, "new_gap_ns") / 1e9, "s");
        ps_output_value(out, ps_cell_number(page, row, "prompt_tokens"), "");
        ps_output_value(out, ps_cell_number(page, row, "base_id"), "");
        ps_output_name(out, ps_cell_text(page, row, "name"));
        ps_output_row_end(out);
    }
    ps_output_table_end(out, ps_count_rows(page));
}

void ps_text_request_pairs(struct ps_output *out, const cJSON *summary)
{
    static const struct ps_output_column columns[] = {
        {"worst, base", "s", PS_NUMBER},  {"worst, new", "s", PS_NUMBER},
        {"median, base", "s", PS_NUMBER}, {"median, new", "s", PS_NUMBER},
        {"pairs shorter", "", PS_NUMBER}, {"longer", "", PS_NUMBER},
        {"median change", "", PS_WORDS},  {"metric", "", PS_WORDS}};
    const char *why = ps_member_text(summary, "no_pairs");
    const cJSON *metric;
    int n = 0;

    if (!(ps_member_or_0(ps_member(summary, "base"), "requests") +
              ps_member_or_0(ps_member(summary, "new"), "requests") >
          0))
        return;
    ps_output_heading(out, "Requests");
    ps_output_table(out, "metrics", columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(metric, ps_member(summary, "metrics"))
    {
        if (!(ps_member_or_0(ps_member(metric, "base"), "n") > 0))
            continue;
        add_metric(out, metric);
        n++;
    }
    ps_output_table_end(out, n);
    if (why[0])
        ps_output_text(out, "The requests are not paired: %.400s.", why);
    else
        ps_output_text(out,
                       "%.0f pairs of requests, by %s; one run each, so what varies between "
                       "runs is unknown. Intervals are those of blocks of successive requests.",
                       ps_member_or_0(summary, "pairs"),
                       strcmp(ps_member_text(summary, "paired_by"), "id") == 0 ? "id"
                                                                               : "their order");
}
