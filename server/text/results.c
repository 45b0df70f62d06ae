/* SPDX-License-Identifier: MIT */
/* results.c: the rows of a run of benchmarks, with their spread and what was not measured. */
#include <math.h>
#include <string.h>

#include "server/text/text.h"

#define SKIPPED 2 /* a value of `state` of the view measurements */

/* The state of a row that was not measured; NULL: it was. */
static const char *state_of(const cJSON *page, int row)
{
    const double state = ps_cell_number(page, row, "state");

    return state == SKIPPED                                       ? "skipped"
           : state > 0 || ps_cell_number(page, row, "failed") > 0 ? "failed"
                                                                  : NULL;
}

/* Names a row as comparisons do: with its group, and a further value with its metric. */
static void add_name(struct ps_output *out, const cJSON *page, int row)
{
    const char *name = ps_cell_text(page, row, "name"), *group = ps_cell_text(page, row, "grp"),
               *metric = ps_cell_text(page, row, "metric");
    const bool is_part = !ps_cell(page, row, "alternatives") ||
                         cJSON_IsNull(ps_cell(page, row, "alternatives")),
               has_group = group[0] && strcmp(group, name) != 0;
    PS_AUTO(ps_buf_free) struct ps_buf words = {0};

    ps_buf_printf(&words, "%s%s%s", has_group ? group : "", has_group ? ": " : "", name);
    if (is_part && metric[0] && strcmp(metric, group) != 0)
        ps_buf_printf(&words, " %s", metric);
    ps_output_name(out, words.ptr);
}

void ps_text_results(struct ps_output *out, const cJSON *page, const char *sorted_by)
{
    static const struct ps_output_column columns[] = {{"value", "", PS_NUMBER},
                                                      {"stddev", "%", PS_NUMBER},
                                                      {"n", "", PS_NUMBER},
                                                      {"better", "", PS_WORDS},
                                                      {"measurement", "", PS_WORDS}};

    if (sorted_by)
        ps_output_heading(out, "Measurements by %.60s", sorted_by);
    else
        ps_output_heading(out, "Measurements, in the order of the file");
    ps_output_table(out, "measurements", columns, sizeof columns / sizeof *columns);
    for (int row = 0; row < ps_count_rows(page); row++) {
        const double stddev = ps_cell_number(page, row, "stddev"),
                     mean = ps_cell_number(page, row, "mean"),
                     of = mean > 0 ? mean : ps_cell_number(page, row, "value"),
                     n = ps_cell_number(page, row, "n"),
                     better = ps_cell_number(page, row, "better");
        const char *state = state_of(page, row);

        if (state)
            ps_output_word(out, state);
        else
            ps_output_value(out, ps_cell_number(page, row, "value"),
                            ps_cell_text(page, row, "unit"));
        ps_output_percent(out, of > 0 ? 100 * stddev / of : NAN);
        ps_output_value(out, n > 1 ? n : NAN, "");
        ps_output_word(out, better < 0 ? "lower" : better > 0 ? "higher" : "");
        add_name(out, page, row);
        ps_output_row_end(out);
    }
    ps_output_table_end(out, ps_member_number(page, "total"));
}
