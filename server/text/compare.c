/* SPDX-License-Identifier: MIT */
/* compare.c: what changed between two groups of runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/mem.h"
#include "server/text/text.h"

#define WORK_SHARE 0.01 /* amounts of work that differ by less are not mentioned */
#define WARN_SHARE 0.1  /* totals of amounts that differ by more are not comparable */

const char *ps_text_verdict_word(const char *verdict, const char *unit)
{
    static const char *const words[][3] = {{"up", "slower", "more"},
                                           {"down", "faster", "less"},
                                           {"same", "within noise", "within noise"},
                                           {"few", "too few runs", "too few runs"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(verdict, words[i][0]) == 0)
            return words[i][ps_is_unit_of_time(unit) ? 1 : 2];
    return "";
}

/* --- The headline --- */

/* Adds the result of the significance test, or the reason why there is none. */
static void add_test(struct ps_output *out, const cJSON *response)
{
    const cJSON *headline = ps_member(response, "headline");
    const char *unit = ps_member_text(headline, "unit"),
               *verdict = ps_member_text(headline, "verdict");
    const int n = cJSON_GetArraySize(ps_member(response, "base")),
              m = cJSON_GetArraySize(ps_member(response, "new"));
    char low[64], high[64], noise[64], p[32];
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (!verdict[0]) {
        ps_output_text(out, "One run each: significance unknown. Record at least 5 of each, "
                            "alternating, to tell a change from noise; `perfshelf record ab` does "
                            "that.");
        return;
    }
    if (strcmp(verdict, "few") == 0) {
        ps_output_text(out,
                       "%d and %d runs: too few to tell a change from noise. Record at least 5 of "
                       "each, or 4 and 6, alternating; `perfshelf record ab` does that.",
                       n, m);
        return;
    }
    if (cJSON_IsObject(ps_member(headline, "pairs")))
        return;
    ps_buf_printf(&text, "Noise %s; rank sum test of %d and %d runs: %s",
                  ps_format_value(ps_member_number(headline, "noise"), unit, noise), n, m,
                  ps_format_p(ps_member_number(headline, "p"), p));
    if (cJSON_IsNumber(ps_member(headline, "low")))
        ps_buf_printf(&text, "; 95 %% interval of the change %s to %s",
                      ps_format_change(ps_member_number(headline, "low"), unit, low),
                      ps_format_change(ps_member_number(headline, "high"), unit, high));
    ps_buf_puts(&text, ".");
    ps_output_paragraph(out, &text);
}

/* Adds each line as a paragraph. */
static void add_lines(struct ps_output *out, struct ps_str lines)
{
    while (lines.len) {
        const char *end = memchr(lines.ptr, '\n', lines.len);
        const size_t n = end ? (size_t)(end - lines.ptr) : lines.len;

        ps_output_text(out, "%.*s", (int)n, lines.ptr);
        lines = ps_str_skip(lines, n + (end != NULL));
    }
}

/* Adds a sentence of the server, which may have names. */
static void add_server_text(struct ps_output *out, const char *before, const char *words)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_buf_puts(&text, before);
    ps_output_escape(&text, words);
    ps_buf_puts(&text, ".");
    ps_output_paragraph(out, &text);
}

void ps_text_environments(struct ps_output *out, const cJSON *response)
{
    const char *environments = ps_member_text(response, "environments"),
               *notes = ps_member_text(response, "environment_notes");

    if (environments[0])
        add_server_text(out, "Recorded in different environments: ", environments);
    if (notes[0])
        add_server_text(out, environments[0] ? "Also different: " : "Recorded with: ", notes);
}

void ps_text_certainty(struct ps_output *out, const cJSON *response)
{
    PS_AUTO(ps_buf_free) struct ps_buf pairs = {0};

    add_test(out, response);
    ps_text_pairs(ps_member(response, "headline"), NAN, &pairs);
    add_lines(out, ps_buf_slice(&pairs));
}

void ps_text_headline(struct ps_output *out, const cJSON *response)
{
    const cJSON *headline = ps_member(response, "headline");
    const char *unit = ps_member_text(headline, "unit"),
               *verdict = ps_member_text(headline, "verdict"),
               *verdicts = ps_member_text(response, "verdicts");
    const double from = ps_member_number(ps_member(headline, "base"), "median"),
                 to = ps_member_number(ps_member(headline, "new"), "median"),
                 delta = ps_member_number(headline, "delta");
    char text[3][64], percent[32];

    ps_text_environments(out, response);
    if (verdicts[0]) {
        add_server_text(out, "", verdicts);
        return;
    }
    if (!cJSON_IsObject(headline)) {
        add_server_text(out,
                        "No difference of the headline: ", ps_member_text(response, "no_headline"));
        return;
    }
    /* The change of pairs is not the difference of the two medians: it may have the other sign. */
    ps_format_percent(delta, from, percent);
    ps_output_text(out, "%s%s%s %s \u2192 %s%s %s%s%s%s", ps_text_verdict_word(verdict, unit),
                   verdict[0] ? ": " : "", ps_member_text(headline, "label"),
                   ps_format_value(from, unit, text[0]), ps_format_value(to, unit, text[1]),
                   cJSON_IsObject(ps_member(headline, "pairs")) ? "; pair by pair" : ",",
                   ps_format_change(delta, unit, text[2]), percent[0] ? " (" : "", percent,
                   percent[0] ? ")" : "");
    ps_text_certainty(out, response);
}

/* --- What changed --- */

static void add_per(const cJSON *page, struct ps_buf *out)
{
    const char *per = ps_member_text(page, "per");

    if (per[0] && strcmp(per, "run") != 0)
        ps_buf_printf(out, " per %s", per);
}

void ps_text_change(struct ps_output *out, const cJSON *conclusion)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_output_sentence(&text, ps_member(conclusion, "sentence"));
    ps_output_paragraph(out, &text);
}

/* --- Rows --- */

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The median of an amount of work in a group; the lower one of two in the middle. */
static double median_amount(const cJSON *work, const char *group)
{
    const cJSON *amounts = ps_member(work, group), *amount;
    size_t n = 0, size = (size_t)cJSON_GetArraySize(amounts);
    PS_AUTO(ps_free_ptr) double *values = ps_alloc_array(size + 1, sizeof *values);
    cJSON_ArrayForEach(amount, amounts) values[n++] = amount->valuedouble;
    qsort(values, n, sizeof *values, compare_numbers);
    return n ? values[(n - 1) / 2] : 0;
}

/* Adds a line such as "12 against 458 steps" if the amounts of work of a table differ, and what
 * follows from it for the values of a page. */
static void add_work(struct ps_output *out, const cJSON *table, const cJSON *page)
{
    const cJSON *work = ps_member(table, "work");
    const double base = median_amount(work, "base"), now = median_amount(work, "new");
    const bool is_total = strcmp(ps_member_text(page, "per"), "run") == 0;
    char text[2][64];

    if (fabs(now - base) > WORK_SHARE * base)
        ps_output_text(out, "%s against %s %s%s", ps_format_value(base, "", text[0]),
                       ps_format_value(now, "", text[1]), ps_member_text(work, "of"),
                       is_total && fabs(now - base) > WARN_SHARE * base
                           ? ": totals of different amounts of work are compared"
                           : "");
}

/* The verdict on a row. A measurement has a spread, or none. */
static const char *row_word(const cJSON *page, int row, const char *unit, bool is_measured)
{
    const char *verdict = ps_cell_text(page, row, "verdict");

    if (!is_measured)
        return ps_text_verdict_word(verdict, unit);
    if (strcmp(verdict, "up") == 0 || strcmp(verdict, "down") == 0)
        return ps_change_word(verdict[0] == 'u', ps_is_unit_of_time(unit),
                              (int)ps_cell_number(page, row, "better"));
    return !verdict[0]                   ? "no spread"
           : strcmp(verdict, "few") == 0 ? "too few samples"
                                         : ps_text_verdict_word(verdict, unit);
}

/* Whether a row is printed: it changed, or one group lacks it. */
static bool is_different(const cJSON *page, int row)
{
    const double delta = ps_cell_number(page, row, "delta");

    return (!isnan(delta) && delta != 0) || ps_cell_text(page, row, "change")[0];
}

static void add_row(struct ps_output *out, const cJSON *table, const cJSON *metric,
                    const cJSON *page, int row)
{
    const bool is_measured = ps_text_has_own_units(table);
    const char *unit = ps_text_row_unit(table, metric, page, row);
    const double base = ps_cell_number(page, row, "base"),
                 delta = ps_cell_number(page, row, "delta");

    ps_output_value(out, base, unit);
    ps_output_value(out, ps_cell_number(page, row, "new"), unit);
    ps_output_change(out, delta, unit);
    ps_output_percent_change(out, base != 0 ? 100 * delta / fabs(base) : NAN);
    if (!is_measured)
        ps_output_percent_change(out, ps_cell_number(page, row, "share"));
    ps_output_word(out, row_word(page, row, unit, is_measured && !isnan(delta)));
    ps_output_word(out, ps_cell_text(page, row, "change"));
    ps_text_row_name(out, table, page, row);
    ps_output_row_end(out);
}

void ps_text_changes(struct ps_output *out, const cJSON *table, const cJSON *metric,
                     const cJSON *page)
{
    const char *unit = ps_member_text(metric, "unit");
    const bool is_measured = ps_text_has_own_units(table); /* the values do not add up */
    PS_AUTO(ps_buf_free) struct ps_buf per = {0};
    struct ps_output_column columns[8];
    const int n_rows = ps_count_rows(page);
    char title[80];
    size_t n = 0;
    int shown = 0;

    add_per(page, &per);
    add_work(out, table, page);
    columns[n++] = (struct ps_output_column){"base", unit, PS_NUMBER};
    columns[n++] = (struct ps_output_column){"new", unit, PS_NUMBER};
    columns[n++] = (struct ps_output_column){"change", unit, PS_NUMBER};
    columns[n++] = (struct ps_output_column){"of base", "%", PS_NUMBER};
    if (!is_measured) /* the share is of the sum of all absolute changes */
        columns[n++] = (struct ps_output_column){"of \u03a3 |\u0394|", "%", PS_NUMBER};
    columns[n++] = (struct ps_output_column){"verdict", "", PS_WORDS};
    columns[n++] = (struct ps_output_column){"row is", "", PS_WORDS};
    columns[n++] = (struct ps_output_column){ps_member_text(table, "row"), "", PS_WORDS};
    while (shown < n_rows && is_different(page, shown))
        shown++;
    if (!shown) {
        ps_output_text(out, "%s by %s%s: no row changed.", ps_member_text(table, "title"),
                       ps_member_text(metric, "title"), per.ptr ? per.ptr : "");
        return;
    }
    (void)snprintf(title, sizeof title, "%.20s by %.20s%.20s", ps_member_text(table, "of"),
                   ps_member_text(metric, "metric"), per.ptr ? per.ptr : "");
    ps_output_heading(out, "%.60s by %.40s%.20s, largest change first",
                      ps_member_text(table, "title"), ps_member_text(metric, "title"),
                      per.ptr ? per.ptr : "");
    ps_output_table(out, title, columns, n);
    for (int row = 0; row < shown; row++)
        add_row(out, table, metric, page, row);
    ps_output_table_end(out, shown == n_rows ? ps_member_number(page, "total") : shown);
}
