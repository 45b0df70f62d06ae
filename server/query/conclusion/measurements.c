/* SPDX-License-Identifier: MIT */
/*
 * measurements.c: the conclusion of benchmarks and timed commands.
 *
 * The rows of a group are ranked, and compared with the fastest by the ratio of their values, as
 * hyperfine does. The error of a ratio follows from the standard deviations of both, by Gauss' law:
 * sqrt((s1/m1)^2 + (s2/m2)^2) of the ratio.
 */
#include <math.h>
#include <stdlib.h>

#include "server/query/conclusion/conclusion.h"

#define ROWS_MAX 1000

struct row {
    int64_t id, n;
    struct ps_str name, group, unit;
    double value, stddev, mean; /* NaN: unknown */
};

struct rows {
    struct row *items;
    size_t n, cap;
    size_t n_groups;
};

static void rows_free(struct rows *rows)
{
    free(rows->items);
}

static bool same_group(const struct row *a, const struct row *b)
{
    return ps_str_eq(a->group, b->group) && ps_str_eq(a->unit, b->unit);
}

static enum ps_status read_rows(struct ps_db *db, struct ps_conclusion *c, struct rows *rows,
                                struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("conclude_measurements"), &stmt, err);
    while (rows->n < ROWS_MAX && ps_stmt_step(stmt, err)) {
        struct row row = {.id = ps_col_int(stmt, 0),
                          .name = ps_arena_copy(&c->arena, ps_col_text(stmt, 1)),
                          .group = ps_arena_copy(&c->arena, ps_col_text(stmt, 2)),
                          .unit = ps_arena_copy(&c->arena, ps_col_text(stmt, 3)),
                          .value = ps_col_real(stmt, 4),
                          .n = ps_col_int(stmt, 5),
                          .stddev = ps_col_real_or_nan(stmt, 6),
                          .mean = ps_col_real_or_nan(stmt, 7)};

        if (!rows->n || !same_group(&rows->items[rows->n - 1], &row))
            rows->n_groups++;
        PS_RESERVE_ONE(rows->items, rows->n, rows->cap);
        rows->items[rows->n++] = row;
    }
    return err->code;
}

static struct ps_report_link link_row(struct ps_conclusion *c, const struct row *row)
{
    return (struct ps_report_link){"measurements", {{"id", ps_conclusion_id(c, row->id)}}};
}

static const char *unit_of(struct ps_conclusion *c, const struct row *row)
{
    return row->unit.len ? ps_arena_copy(&c->arena, row->unit).ptr : "count";
}

static bool is_time(const struct row *row)
{
    return ps_str_eq_c(row->unit, "s");
}

static double relative_error(const struct row *row)
{
    return row->stddev >= 0 && row->mean > 0 ? row->stddev / row->mean : NAN;
}

/* " ± 0.12", if both have a standard deviation. */
static void say_error(struct ps_conclusion *c, struct ps_sentence *to, const struct row *fast,
                      const struct row *slow)
{
    double error = hypot(relative_error(fast), relative_error(slow)) * slow->value / fast->value;

    if (isfinite(error))
        ps_say(c, to, " \u00b1 %.2f", error);
}

/* " over 20 runs", if it is the mean of several. */
static void say_runs(struct ps_conclusion *c, struct ps_sentence *to, const char *before,
                     const struct row *row)
{
    if (row->n < 2)
        return;
    ps_say(c, to, "%s", before);
    ps_say_value(to, link_row(c, row), (double)row->n, "count");
    ps_say(c, to, " runs");
}

static void say_value_of_row(struct ps_conclusion *c, struct ps_sentence *to, const struct row *row)
{
    ps_say_value(to, link_row(c, row), row->value, unit_of(c, row));
    say_runs(c, to, " over ", row);
}

static void say_ratio(struct ps_conclusion *c, const struct row *fast, const struct row *slow)
{
    double ratio = slow->value / fast->value;

    ps_say_code(c, &c->verdict, link_row(c, fast), fast->name);
    ps_say(c, &c->verdict, ratio < 100 ? " is %.2f" : " is %.0f", ratio);
    say_error(c, &c->verdict, fast, slow);
    ps_say(c, &c->verdict, is_time(fast) ? " times faster than " : " times smaller than ");
    ps_say_code(c, &c->verdict, link_row(c, slow), slow->name);
    ps_say(c, &c->verdict, ".");
    ps_say(c, &c->sentence, " ");
    say_value_of_row(c, &c->sentence, fast);
    ps_say(c, &c->sentence, " against ");
    say_value_of_row(c, &c->sentence, slow);
    ps_say(c, &c->sentence, ".");
}

static void say_single(struct ps_conclusion *c, const struct row *row)
{
    ps_say_code(c, &c->verdict, link_row(c, row), row->name);
    ps_say(c, &c->verdict, row->unit.len == 1 && row->unit.ptr[0] == 's' ? " takes " : " is ");
    ps_say_value(&c->verdict, link_row(c, row), row->value, unit_of(c, row));
    say_runs(c, &c->sentence, " over ", row);
    if (isfinite(relative_error(row)))
        ps_say(c, &c->sentence, ", standard deviation %.1f %%", 100 * relative_error(row));
    ps_say(c, &c->sentence, ".");
}

/* The rows of the first group with several rows; else the first row. */
static size_t first_group(const struct rows *rows, size_t *n)
{
    for (size_t i = 0; i + 1 < rows->n; i++) {
        size_t end = i + 1;

        while (end < rows->n && same_group(&rows->items[i], &rows->items[end]))
            end++;
        if (end - i > 1) {
            *n = end - i;
            return i;
        }
    }
    *n = rows->n ? 1 : 0;
    return 0;
}

static void add_causes(struct ps_conclusion *c, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ps_cause *cause = ps_conclusion_add(c, "measurement", rows[i].value, NAN);

        ps_say_code(c, &cause->title, link_row(c, &rows[i]), rows[i].name);
        if (i == 0) {
            ps_say(c, &cause->evidence, is_time(&rows[0]) ? "fastest" : "smallest");
        } else {
            ps_say(c, &cause->evidence, "%.2f", rows[i].value / rows[0].value);
            say_error(c, &cause->evidence, &rows[0], &rows[i]);
            ps_say(c, &cause->evidence, is_time(&rows[0]) ? " times as long" : " times as large");
        }
        say_runs(c, &cause->evidence, ", ", &rows[i]);
    }
}

enum ps_status ps_conclude_measurements(struct ps_db *db, struct ps_conclusion *out,
                                        struct ps_err *err)
{
    PS_AUTO(rows_free) struct rows rows = {.items = NULL};
    size_t first, n = 0;

    read_rows(db, out, &rows, err);
    if (err->code != PS_OK)
        return err->code;
    first = first_group(&rows, &n);
    if (n == 0) {
        ps_say(out, &out->verdict, "The file has no measured values, or every command failed.");
        return PS_OK;
    }
    out->unit = unit_of(out, &rows.items[first]);
    if (n > 1) {
        say_ratio(out, &rows.items[first], &rows.items[first + 1]);
        add_causes(out, &rows.items[first], n);
    } else {
        say_single(out, &rows.items[first]);
    }
    if (rows.n_groups > 1)
        ps_conclusion_note(out,
                           "The file has %zu groups. The conclusion is about the first with "
                           "several rows.",
                           rows.n_groups);
    return PS_OK;
}

enum ps_status ps_conclude_commands(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    static const struct {
        const char *verdict, *text;
    } texts[] = {{"cpu-bound", " is limited by the CPU."},
                 {"waiting", " waits most of the time."},
                 {"mixed", " computes and waits."},
                 {"system-heavy", " spends its CPU time in the kernel."},
                 {"memory-heavy", " reads memory pages from the disk."}};
    const struct ps_report_link link = {.tab = "bound"};
    struct ps_command_verdict command;
    const char *text = " is too short to be judged.";

    if (ps_command_verdict_read(db, &command, err) != PS_OK)
        return err->code;
    if (!command.verdict) {
        ps_say(out, &out->verdict, "The file has no measured command.");
        return PS_OK;
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].verdict, command.verdict) == 0)
            text = texts[i].text;
    if (command.command[0])
        ps_say_code(out, &out->verdict, link, ps_str_from_c(command.command));
    else
        ps_say(out, &out->verdict, "The command");
    ps_say(out, &out->verdict, "%s", text);
    if (isfinite(command.real_s) && isfinite(command.user_s) && isfinite(command.system_s)) {
        ps_say(out, &out->sentence, " ");
        ps_say_value(&out->sentence, link, command.user_s, "s");
        ps_say(out, &out->sentence, " user and ");
        ps_say_value(&out->sentence, link, command.system_s, "s");
        ps_say(out, &out->sentence, " system time in ");
        ps_say_value(&out->sentence, link, command.real_s, "s");
        ps_say(out, &out->sentence, ".");
    }
    if (command.reason[0])
        ps_conclusion_note(out, "%s.", command.reason);
    if (command.n_commands > 1)
        ps_conclusion_note(out, "The file has several commands; this is the first.");
    return PS_OK;
}
