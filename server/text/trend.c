/* SPDX-License-Identifier: MIT */
/* trend.c: a value over the runs of a series, or the rows of a table over them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "server/text/text.h"

#define SPARK_POINTS  60 /* maximum number of points in the sparkline, the newest */
#define COMMIT_DIGITS 10 /* of the hash of a commit that are shown */

/* --- Points --- */

static const cJSON *point_at(const cJSON *trend, int index)
{
    return cJSON_GetArrayItem(ps_member(trend, "points"), index);
}

static double value_at(const cJSON *trend, int index)
{
    return ps_member_number(point_at(trend, index), "value");
}

/* The name of a point: the value of its tag, or the name of its newest run. */
static const char *name_of(const cJSON *point)
{
    const char *by = ps_member_text(point, "by");

    return by[0] ? by : ps_member_text(point, "name");
}

/* NaN if the base is 0 or unknown. */
static double percent_of(double value, double base)
{
    return base != 0 ? 100 * (value - base) / fabs(base) : NAN;
}

/* Adds a sparkline of the newest points, from their minimum to their maximum, to a terminal. */
static void add_sparkline(struct ps_output *out, const cJSON *trend)
{
    PS_AUTO(ps_buf_free) struct ps_buf line = {0};
    const int n = cJSON_GetArraySize(ps_member(trend, "points"));
    const int from = n > SPARK_POINTS ? n - SPARK_POINTS : 0;
    double low = INFINITY, high = -INFINITY;

    if (out->format != PS_OUTPUT_TERMINAL)
        return;
    for (int i = from; i < n; i++) {
        low = fmin(low, value_at(trend, i));
        high = fmax(high, value_at(trend, i));
    }
    for (int i = from; i < n; i++) {
        const double share = high > low ? (value_at(trend, i) - low) / (high - low) : 0.5;

        ps_buf_printf(&line, "\xe2\x96%c", (char)(0x81 + (int)(share * 7.999))); /* U+2581 ... */
    }
    ps_output_text(out, "%s", line.ptr ? line.ptr : "");
}

/* The commit that a point is of; "": its runs have no such tag. */
static const char *commit_of(const cJSON *point)
{
    return ps_member_text(ps_member(point, "tags"), "commit");
}

#define RANGE_SIZE (2 * COMMIT_DIGITS + 3)

/* Writes the range of commits in which the level changed, in the form of git: the last of the old
 * level, and the first of the new one. False: both are the same, or unknown. */
static bool write_commits(const cJSON *trend, const cJSON *change, char out[RANGE_SIZE])
{
    const int index = ps_to_index(ps_member_number(change, "index"));
    const char *before = commit_of(point_at(trend, index - 1));
    const char *after = commit_of(point_at(trend, index));

    out[0] = '\0';
    if (!before[0] || !after[0] || strcmp(before, after) == 0)
        return false;
    (void)snprintf(out, RANGE_SIZE, "%.*s..%.*s", COMMIT_DIGITS, before, COMMIT_DIGITS, after);
    return true;
}

static bool has_commits(const cJSON *trend)
{
    const cJSON *change;
    char range[RANGE_SIZE];

    cJSON_ArrayForEach(change, ps_member(trend, "changes"))
    {
        if (write_commits(trend, change, range))
            return true;
    }
    return false;
}

static void add_changes(struct ps_output *out, const cJSON *trend)
{
    const char *unit = ps_member_text(trend, "unit");
    const struct ps_output_column columns[] = {
        {"before", unit, PS_NUMBER}, {"after", unit, PS_NUMBER},
        {"change", unit, PS_NUMBER}, {"of before", "%", PS_NUMBER},
        {"p", "", PS_NUMBER},        {"first run of the new level", "", PS_WORDS},
        {"run", "", PS_WORDS},       {"commits", "", PS_WORDS}};
    const cJSON *changes = ps_member(trend, "changes"), *change;
    const bool shows_commits = has_commits(trend);
    char range[RANGE_SIZE];

    if (cJSON_GetArraySize(changes) == 0) {
        ps_output_text(out, "No change point: the level does not step (p <= 0.01, 3 points in a "
                            "level).");
        return;
    }
    ps_output_heading(out, "Change points");
    ps_output_table(out, "change points", columns,
                    sizeof columns / sizeof *columns - !shows_commits);
    cJSON_ArrayForEach(change, changes)
    {
        const cJSON *point = point_at(trend, ps_to_index(ps_member_number(change, "index")));

        ps_output_value(out, ps_member_number(change, "before"), unit);
        ps_output_value(out, ps_member_number(change, "after"), unit);
        ps_output_change(out, ps_member_number(change, "delta"), unit);
        ps_output_percent_change(out, ps_member_number(change, "delta_pct"));
        ps_output_value(out, ps_member_number(change, "p"), "");
        ps_output_name(out, name_of(point));
        ps_output_word(out, ps_member_text(point, "id"));
        (void)write_commits(trend, change, range);
        if (shows_commits)
            ps_output_word(out, range);
        ps_output_row_end(out);
    }
    ps_output_table_end(out, cJSON_GetArraySize(changes));
}

static void add_point(struct ps_output *out, const cJSON *trend, int index)
{
    const cJSON *point = point_at(trend, index), *baseline = ps_member(trend, "baseline");
    const char *id = ps_member_text(point, "id");
    const double value = ps_member_number(point, "value");
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};
    char day[20];

    (void)snprintf(day, sizeof day, "%.16s", ps_member_text(point, "at"));
    ps_output_word(out, day);
    ps_output_value(out, value, ps_member_text(trend, "unit"));
    ps_output_percent_change(out, index ? percent_of(value, value_at(trend, index - 1)) : NAN);
    if (cJSON_IsObject(baseline))
        ps_output_percent_change(out, percent_of(value, ps_member_number(baseline, "value")));
    ps_output_value(out, ps_member_number(point, "n"), "");
    ps_output_word(out, id);
    ps_output_quote(&name, name_of(point));
    if (strcmp(id, ps_member_text(baseline, "id")) == 0)
        ps_buf_puts(&name, " (baseline)");
    ps_output_cell(out, &name);
    ps_output_row_end(out);
}

static void add_points(struct ps_output *out, const cJSON *trend)
{
    struct ps_output_column columns[7];
    const int n = cJSON_GetArraySize(ps_member(trend, "points"));
    size_t n_columns = 0;

    columns[n_columns++] = (struct ps_output_column){"date (UTC)", "", PS_WORDS};
    columns[n_columns++] =
        (struct ps_output_column){"value", ps_member_text(trend, "unit"), PS_NUMBER};
    columns[n_columns++] = (struct ps_output_column){"of the one before", "%", PS_NUMBER};
    if (cJSON_IsObject(ps_member(trend, "baseline")))
        columns[n_columns++] = (struct ps_output_column){"of the baseline", "%", PS_NUMBER};
    columns[n_columns++] = (struct ps_output_column){"runs", "", PS_NUMBER};
    columns[n_columns++] = (struct ps_output_column){"run", "", PS_WORDS};
    columns[n_columns++] = (struct ps_output_column){"name", "", PS_WORDS};
    ps_output_heading(out, "Points, newest first");
    ps_output_table(out, "points, newest first", columns, n_columns);
    for (int i = n - 1; i >= 0 && ps_output_has_room(out); i--)
        add_point(out, trend, i);
    ps_output_table_end(out, n);
}

/* --- Rows of a table --- */

/* The change of the greatest size, or NULL. */
static const cJSON *greatest_change(const cJSON *row)
{
    const cJSON *change, *found = NULL;

    cJSON_ArrayForEach(change, ps_member(row, "changes"))
    {
        if (!found ||
            fabs(ps_member_number(change, "delta")) > fabs(ps_member_number(found, "delta")))
            found = change;
    }
    return found;
}

static void add_row(struct ps_output *out, const cJSON *trend, const cJSON *row)
{
    const bool has_own_unit = cJSON_IsTrue(ps_member(trend, "place_is_unit"));
    const char *place = ps_member_text(row, "place"), *found = ps_member_text(row, "found");
    const char *unit = has_own_unit ? place : ps_member_text(trend, "unit");
    /* a measurement that a point lacks took no 0 s */
    const bool is_new = has_own_unit && strcmp(found, "new") == 0,
               is_gone = has_own_unit && strcmp(found, "gone") == 0;
    const double first = is_new ? NAN : ps_member_number(row, "first"),
                 last = is_gone ? NAN : ps_member_number(row, "last");
    const cJSON *change = greatest_change(row);
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    ps_output_value(out, first, unit);
    ps_output_value(out, last, unit);
    ps_output_change(out, last - first, unit);
    ps_output_percent_change(out, percent_of(last, first));
    ps_output_word(out, found);
    ps_output_name(out,
                   change ? name_of(point_at(trend, ps_to_index(ps_member_number(change, "index"))))
                          : NULL);
    ps_output_place(&name, ps_member_text(row, "name"),
                    strcmp(place, ps_member_text(row, "name")) == 0 ? "" : place);
    ps_output_cell(out, &name);
    ps_output_row_end(out);
}

/* Adds the change of the sum of all rows, if they add up. */
static void add_sum(struct ps_output *out, const cJSON *trend)
{
    const cJSON *sum = ps_member(trend, "sum");
    const char *unit = ps_member_text(trend, "unit");
    const double first = ps_member_number(sum, "first"), delta = ps_member_number(sum, "delta");
    char before[64], after[64], change[64], percent[32];

    if (!cJSON_IsObject(sum) || cJSON_IsTrue(ps_member(trend, "place_is_unit")))
        return;
    ps_output_text(out, "All rows: %s to %s, %s (%s).", ps_format_value(first, unit, before),
                   ps_format_value(ps_member_number(sum, "last"), unit, after),
                   ps_format_change(delta, unit, change), ps_format_percent(delta, first, percent));
}

static void add_rows(struct ps_output *out, const cJSON *trend)
{
    const char *unit = ps_member_text(trend, "unit");
    const struct ps_output_column columns[] = {{"first point", unit, PS_NUMBER},
                                               {"last point", unit, PS_NUMBER},
                                               {"change", unit, PS_NUMBER},
                                               {"of the first", "%", PS_NUMBER},
                                               {"row is", "", PS_WORDS},
                                               {"change point", "", PS_WORDS},
                                               {"row", "", PS_WORDS}};
    const cJSON *rows = ps_member(trend, "rows"), *row;
    int changed = 0;

    cJSON_ArrayForEach(row, rows) changed += ps_member_number(row, "delta") != 0;
    add_sum(out, trend);
    if (!changed) {
        ps_output_text(out, "%s",
                       cJSON_GetArraySize(rows) ? "No row changed from the first point "
                                                  "to the last."
                                                : "No run has a row in this table.");
        return;
    }
    ps_output_table(out, ps_member_text(trend, "of"), columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(row, rows)
    {
        if (ps_member_number(row, "delta") != 0)
            add_row(out, trend, row);
    }
    ps_output_table_end(out, ps_member_number(trend, "total"));
}

/* --- The answer --- */

static void add_facts(struct ps_output *out, const cJSON *trend)
{
    const cJSON *left;

    ps_output_fact_name(out, "runs", ps_member_text(trend, "runs"));
    if (ps_member_text(trend, "row")[0])
        ps_output_fact_name(out, "row", ps_member_text(trend, "row"));
    ps_output_fact_name(out, "metric", ps_member_text(trend, "title"));
    if (ps_member_text(trend, "step")[0])
        ps_output_fact_name(out, "values are means of the steps", ps_member_text(trend, "step"));
    ps_output_fact_value(out, "points", cJSON_GetArraySize(ps_member(trend, "points")), "");
    if (ps_member_number(trend, "older") > 0)
        ps_output_fact_value(out, "older runs that were not read", ps_member_number(trend, "older"),
                             "");
    cJSON_ArrayForEach(left, ps_member(trend, "left_out"))
    {
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};
        char count[64];

        ps_buf_printf(
            &text, "%s: ", ps_format_count((uint64_t)ps_member_or_0(left, "runs"), "run", count));
        ps_output_quote(&text, ps_member_text(left, "why"));
        ps_output_fact_quoted(out, "left out", &text);
    }
}

void ps_text_trend(struct ps_output *out, const cJSON *trend)
{
    add_facts(out, trend);
    if (cJSON_GetArraySize(ps_member(trend, "points")) == 0)
        return;
    if (ps_member(trend, "rows")) {
        add_rows(out, trend);
        return;
    }
    add_sparkline(out, trend);
    add_changes(out, trend);
    add_points(out, trend);
}
