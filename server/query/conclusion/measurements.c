/* SPDX-License-Identifier: MIT */
/*
 * measurements.c: the conclusion of benchmarks and timed commands.
 *
 * The first of these that the file shows:
 * - a test whose time grows faster than its parameter, or commands that differ in one number only,
 * - alternatives: the slowest row against the fastest, as hyperfine does. Which rows are
 *   alternatives is a column of queries/measurements.sql, which the page ranks by as well,
 * - a test whose time grows with its parameter,
 * - the row that takes longest.
 * The error of a ratio follows from the spreads of both rows, by Gauss' law: sqrt((s1/m1)^2 +
 * (s2/m2)^2) of the ratio. If the ratio minus its error is 1 or less, the rows do not differ
 * clearly.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_case.h"
#include "server/query/conclusion/conclusion.h"

#define ROWS_MAX 1000
/* Exponents of the parameter. Below GROWTH_MIN the parameter matters little; from STEEP_MIN on, the
 * time grows faster than its parameter. N log N has less. */
#define GROWTH_MIN 0.3
#define STEEP_MIN  1.3
/* Largest distance of an exponent from that of a law such as the square. */
#define LAW_DISTANCE 0.2
#define SCAN_MIN     3    /* commands that differ in one number only: fewer may differ by chance */
#define WAITS_MIN    0.05 /* share of the wall time without CPU from which %time waits */

struct row {
    int64_t id, n;
    struct ps_str name, group, unit, statistic;
    struct ps_str alternatives; /* {NULL, 0}: a part of another row */
    double value, spread;       /* spread NaN: unknown */
};

/* A row as a point of a growth: `pattern` is its name with N in place of one number. */
struct point {
    struct ps_str pattern;
    double number;
    const struct row *row;
};

struct growth {
    const struct point *points;
    size_t n;
    double exponent;
    bool is_law; /* all pairs of neighbours have about the exponent */
};

struct rows {
    struct row *items;
    size_t n, cap;
    size_t n_zero;      /* rows that are left out because their value is 0 */
    bool are_commands;  /* names are commands, which may have numbers among their words */
    struct row *ranked; /* copies of those that are alternatives, set by set */
    struct point *points;
    size_t n_points, points_cap;
    struct growth *growths;
    size_t n_growths, growths_cap;
};

static void rows_free(struct rows *rows)
{
    free(rows->items);
    free(rows->ranked);
    free(rows->points);
    free(rows->growths);
}

/* Columns of queries/measurements.sql. */
enum { ID, NAME, GRP, UNIT = 4, N = 6, FAILED = 17, RANKED_BY, RANKED_VALUE, SPREAD, ALTERNATIVES };

static int by_id(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static int by_alternatives(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = strcmp(x->alternatives.ptr, y->alternatives.ptr);

    order = order ? order : strcmp(x->unit.ptr, y->unit.ptr);
    order = order ? order : (x->value > y->value) - (x->value < y->value);
    return order ? order : by_id(a, b);
}

/* Reads the rows with a value, in the order of the file. Commands of which a run failed are left
 * out: their time says nothing. */
static enum ps_status read_rows(struct ps_db *db, struct ps_conclusion *c, struct rows *rows,
                                struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("measurements"), &stmt, err);
    while (rows->n < ROWS_MAX && ps_stmt_step(stmt, err)) {
        struct row row = {.id = ps_col_int(stmt, ID),
                          .name = ps_arena_copy(&c->arena, ps_col_text(stmt, NAME)),
                          .group = ps_arena_copy(&c->arena, ps_col_text(stmt, GRP)),
                          .unit = ps_arena_copy(&c->arena, ps_col_text(stmt, UNIT)),
                          .n = ps_col_int(stmt, N),
                          .statistic = ps_arena_copy(&c->arena, ps_col_text(stmt, RANKED_BY)),
                          .value = ps_col_real_or_nan(stmt, RANKED_VALUE),
                          .spread = ps_col_real_or_nan(stmt, SPREAD)};

        if (ps_col_int(stmt, FAILED))
            continue;
        if (!(row.value > 0)) {
            rows->n_zero += row.value == 0 && !ps_col_is_null(stmt, ALTERNATIVES);
            continue;
        }
        if (!ps_col_is_null(stmt, ALTERNATIVES))
            row.alternatives = ps_arena_copy(&c->arena, ps_col_text(stmt, ALTERNATIVES));
        PS_RESERVE_ONE(rows->items, rows->n, rows->cap);
        rows->items[rows->n++] = row;
    }
    if (rows->n)
        qsort(rows->items, rows->n, sizeof *rows->items, by_id);
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

static double error_of_ratio(const struct row *small, const struct row *large)
{
    return hypot(small->spread / small->value, large->spread / large->value) * large->value /
           small->value;
}

/* Whether the rows differ by more than the error of their ratio, if that is known. */
static bool is_clear(const struct row *small, const struct row *large)
{
    const double error = error_of_ratio(small, large);

    return large->value / small->value - (isfinite(error) ? error : 0) > 1;
}

/* "3.94 \u00b1 0.12", without the error if a row has no spread. */
static void say_ratio(struct ps_conclusion *c, struct ps_sentence *to, const struct row *small,
                      const struct row *large)
{
    const double ratio = large->value / small->value, error = error_of_ratio(small, large);

    ps_say(c, to, ratio < 100 ? "%.2f" : "%.0f", ratio);
    if (isfinite(error))
        ps_say(c, to, ratio < 100 ? " \u00b1 %.2f" : " \u00b1 %.0f", error);
}

/* "median of 20 runs", as far as known. */
static void say_statistic(struct ps_conclusion *c, struct ps_sentence *to, const struct row *row)
{
    const bool is_single = ps_str_eq_c(row->statistic, "single");

    if (!is_single)
        ps_say(c, to, "%.*s", (int)row->statistic.len, row->statistic.ptr);
    if (row->n < 2)
        return;
    ps_say(c, to, is_single ? "" : " of ");
    ps_say_value(to, link_row(c, row), (double)row->n, "count");
    ps_say(c, to, " runs");
}

static void say_value_of_row(struct ps_conclusion *c, struct ps_sentence *to, const struct row *row)
{
    ps_say_value(to, link_row(c, row), row->value, unit_of(c, row));
    if (row->n < 2 && !ps_str_eq_c(row->statistic, "median"))
        return;
    ps_say(c, to, " (");
    say_statistic(c, to, row);
    ps_say(c, to, ")");
}

/* --- Growth with a parameter --- */

/* Whether the name is a command, which may have numbers among its words. */
static bool has_words(const struct row *row)
{
    return row->alternatives.len && memchr(row->name.ptr, ' ', row->name.len) &&
           !ps_str_ends_with(row->name, PS_STR("]"));
}

static void add_points(struct ps_conclusion *c, struct rows *rows, const struct row *row)
{
    struct ps_str number;
    double value;
    size_t from = 0;

    const bool is_command = has_words(row);

    if (!row->alternatives.ptr || !is_time(row))
        return;
    while (is_command ? ps_command_next_number(row->name, &from, &number, &value)
                      : ps_test_case_next_number(row->name, &from, &number, &value)) {
        const int before = (int)(number.ptr - row->name.ptr);

        if (value <= 0)
            continue;
        PS_RESERVE_ONE(rows->points, rows->n_points, rows->points_cap);
        rows->points[rows->n_points++] = (struct point){
            .pattern = ps_str_from_c(ps_arena_printf(&c->arena, "%.*sN%.*s", before, row->name.ptr,
                                                     (int)row->name.len - before - (int)number.len,
                                                     number.ptr + number.len)),
            .number = value,
            .row = row};
    }
}

static int by_pattern_and_number(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    const int order = strcmp(x->pattern.ptr, y->pattern.ptr);

    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static double exponent_between(const struct point *a, const struct point *b)
{
    return log(b->row->value / a->row->value) / log(b->number / a->number);
}

/* Whether the logarithm of the ratio is greater than its error: a spread as large as the value does
 * not hide that it is a thousand times the other. */
static bool has_grown(const struct row *small, const struct row *large)
{
    const double error = hypot(small->spread / small->value, large->spread / large->value);

    return log(large->value / small->value) > (isfinite(error) ? error : 0);
}

/* Adds the growth over points of one pattern, in order of their numbers, if they show one. */
static void add_growth(struct rows *rows, const struct point *points, size_t n)
{
    const struct point *first = &points[0], *last = &points[n - 1];
    struct growth growth = {.points = points, .n = n, .is_law = true};

    if (n < (has_words(first->row) ? SCAN_MIN : 2) || first->number == last->number ||
        !has_grown(first->row, last->row))
        return;
    growth.exponent = exponent_between(first, last);
    if (growth.exponent < GROWTH_MIN)
        return;
    for (size_t i = 1; i < n; i++) {
        if (points[i].number == points[i - 1].number)
            return; /* the number does not tell these rows apart */
        growth.is_law &= fabs(exponent_between(&points[i - 1], &points[i]) - growth.exponent) <=
                         2 * LAW_DISTANCE;
    }
    PS_RESERVE_ONE(rows->growths, rows->n_growths, rows->growths_cap);
    rows->growths[rows->n_growths++] = growth;
}

/* Whether the points are all rows of a set: then the set is no set of alternatives. */
static bool covers(const struct growth *growth, const struct row *set, size_t n)
{
    size_t found = 0;

    for (size_t i = 0; i < growth->n; i++)
        for (size_t k = 0; k < n; k++)
            found += growth->points[i].row->id == set[k].id;
    return found == n;
}

static const struct row *largest_of(const struct growth *growth)
{
    return growth->points[growth->n - 1].row;
}

static bool is_steep(const struct growth *growth)
{
    return growth->exponent >= STEEP_MIN;
}

/* Steep ones first, then by time. */
static int by_importance(const void *a, const void *b)
{
    const struct growth *x = a, *y = b;
    const double s = largest_of(x)->value, t = largest_of(y)->value;

    return is_steep(x) != is_steep(y) ? is_steep(y) - is_steep(x) : (s < t) - (s > t);
}

static void find_growths(struct ps_conclusion *c, struct rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        add_points(c, rows, &rows->items[i]);
    if (rows->n_points)
        qsort(rows->points, rows->n_points, sizeof *rows->points, by_pattern_and_number);
    for (size_t i = 0, end; i < rows->n_points; i = end) {
        for (end = i + 1;
             end < rows->n_points && ps_str_eq(rows->points[end].pattern, rows->points[i].pattern);
             end++)
            ;
        add_growth(rows, &rows->points[i], end - i);
    }
    if (rows->n_growths)
        qsort(rows->growths, rows->n_growths, sizeof *rows->growths, by_importance);
}

/* "with the square of N"; without a law, that the growth is faster than N, or only that it grows.
 */
static void say_law(struct ps_conclusion *c, struct ps_sentence *to, const struct growth *growth)
{
    static const char *const laws[] = {
        [1] = "in proportion to N", [2] = "with the square of N", [3] = "with the cube of N"};
    const int nearest = (int)lround(growth->exponent);

    if (growth->is_law && nearest >= 1 && nearest <= 3 &&
        fabs(growth->exponent - nearest) <= LAW_DISTANCE)
        ps_say(c, to, "%s", laws[nearest]);
    else
        ps_say(c, to, is_steep(growth) ? "faster than N" : "with N");
}

static void say_steps(struct ps_conclusion *c, struct ps_sentence *to, const struct growth *growth)
{
    const struct point *first = &growth->points[0], *last = &growth->points[growth->n - 1];
    const double ratio = last->row->value / first->row->value;

    ps_say(c, to, "%.15g \u2192 %.15g takes ", first->number, last->number);
    ps_say(c, to, ratio < 10 ? "%.1f times as long" : "%.0f times as long", ratio);
}

static void say_growth(struct ps_conclusion *c, const struct growth *growth)
{
    const struct row *last = largest_of(growth);

    ps_say_code(c, &c->verdict, link_row(c, last), growth->points[0].pattern);
    ps_say(c, &c->verdict, " grows ");
    say_law(c, &c->verdict, growth);
    ps_say(c, &c->verdict, ": ");
    say_steps(c, &c->verdict, growth);
    ps_say(c, &c->verdict, ".");
    ps_say(c, &c->sentence, " ");
    say_value_of_row(c, &c->sentence, growth->points[0].row);
    ps_say(c, &c->sentence, " against ");
    say_value_of_row(c, &c->sentence, last);
    ps_say(c, &c->sentence, ".");
}

static void add_growth_causes(struct ps_conclusion *c, const struct rows *rows)
{
    for (size_t i = 0; i < rows->n_growths; i++) {
        const struct row *last = largest_of(&rows->growths[i]);
        struct ps_cause *cause = ps_conclusion_add(c, "growth", last->value, NAN);

        ps_set_cause_claim(cause, PS_GROWS,
                           ps_subject_of(c, PS_SUBJECT_ROW, link_row(c, last),
                                         rows->growths[i].points[0].pattern));
        ps_say_code(c, &cause->title, link_row(c, last), rows->growths[i].points[0].pattern);
        ps_say(c, &cause->evidence, "grows ");
        say_law(c, &cause->evidence, &rows->growths[i]);
        ps_say(c, &cause->evidence, ", ");
        say_steps(c, &cause->evidence, &rows->growths[i]);
    }
}

/* --- Alternatives --- */

static bool are_alternatives(const struct row *a, const struct row *b)
{
    return ps_str_eq(a->alternatives, b->alternatives) && ps_str_eq(a->unit, b->unit);
}

/* Returns the alternatives whose slowest row takes longest, the fastest first; *n: their number, 0
 * if there are none. */
static const struct row *find_alternatives(struct rows *rows, size_t *n)
{
    const struct row *found = NULL;
    size_t n_ranked = 0;

    *n = 0;
    rows->ranked = ps_alloc_array(rows->n, sizeof *rows->ranked);
    for (size_t i = 0; i < rows->n; i++)
        if (rows->items[i].alternatives.len)
            rows->ranked[n_ranked++] = rows->items[i];
    qsort(rows->ranked, n_ranked, sizeof *rows->ranked, by_alternatives);
    for (size_t i = 0, end; i < n_ranked; i = end) {
        for (end = i + 1; end < n_ranked && are_alternatives(&rows->ranked[i], &rows->ranked[end]);
             end++)
            ;
        if (end - i < 2 || (found && rows->ranked[end - 1].value <= found[*n - 1].value))
            continue;
        found = &rows->ranked[i];
        *n = end - i;
    }
    return found;
}

static struct ps_subject row_subject(struct ps_conclusion *c, const struct row *row)
{
    return ps_subject_of(c, PS_SUBJECT_ROW, link_row(c, row), row->name);
}

static void say_alternatives(struct ps_conclusion *c, const struct row *fast,
                             const struct row *slow)
{
    ps_set_first_claim(c, is_clear(fast, slow) ? PS_SLOWER : PS_FLAT, row_subject(c, slow), NAN);
    c->first.subjects[0].via = row_subject(c, fast);
    if (is_clear(fast, slow)) {
        ps_say_code(c, &c->verdict, link_row(c, slow), slow->name);
        ps_say(c, &c->verdict, is_time(fast) ? " is " : " needs ");
        say_ratio(c, &c->verdict, fast, slow);
        ps_say(c, &c->verdict, is_time(fast) ? " times slower than " : " times as much as ");
        ps_say_code(c, &c->verdict, link_row(c, fast), fast->name);
    } else {
        ps_say(c, &c->verdict, "No clear difference between ");
        ps_say_code(c, &c->verdict, link_row(c, fast), fast->name);
        ps_say(c, &c->verdict, " and ");
        ps_say_code(c, &c->verdict, link_row(c, slow), slow->name);
    }
    ps_say(c, &c->verdict, ".");
    ps_say(c, &c->sentence, " ");
    say_value_of_row(c, &c->sentence, slow);
    ps_say(c, &c->sentence, " against ");
    say_value_of_row(c, &c->sentence, fast);
    ps_say(c, &c->sentence, ".");
}

static void add_causes(struct ps_conclusion *c, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ps_cause *cause = ps_conclusion_add(c, "measurement", rows[i].value, NAN);

        ps_set_cause_claim(cause, PS_TAKES, row_subject(c, &rows[i]));
        ps_say_code(c, &cause->title, link_row(c, &rows[i]), rows[i].name);
        if (i == 0) {
            ps_say(c, &cause->evidence, is_time(&rows[0]) ? "fastest" : "smallest");
        } else {
            say_ratio(c, &cause->evidence, &rows[0], &rows[i]);
            ps_say(c, &cause->evidence, is_time(&rows[0]) ? " times as long" : " times as large");
            if (!is_clear(&rows[0], &rows[i]))
                ps_say(c, &cause->evidence, ", no clear difference");
        }
        if (rows[i].n < 2)
            continue;
        ps_say(c, &cause->evidence, ", ");
        say_statistic(c, &cause->evidence, &rows[i]);
    }
}

/* --- One row --- */

/* The row that takes longest, or the largest of another unit. */
static const struct row *find_largest(const struct rows *rows, size_t *n)
{
    const struct row *found = NULL;

    *n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->items[i];

        if (!row->alternatives.ptr)
            continue;
        *n += 1;
        if (!found || (is_time(row) && !is_time(found)) ||
            (is_time(row) == is_time(found) && row->value > found->value))
            found = row;
    }
    return found;
}

/* The row with the most after the largest, of the same unit; NULL: there is none. */
static const struct row *find_second(const struct rows *rows, const struct row *largest)
{
    const struct row *found = NULL;

    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->items[i];

        if (row != largest && row->alternatives.ptr && ps_str_eq(row->unit, largest->unit) &&
            (!found || row->value > found->value))
            found = row;
    }
    return found;
}

/* The CPU time of a row of %time; NaN: the row is another. */
static double cpu_time_of(const struct rows *rows, const struct row *wall)
{
    double total = NAN, parts = 0;
    size_t n = 0;

    if (!ps_str_eq_c(wall->statistic, "single") || !ps_str_eq_c(wall->name, "wall"))
        return NAN;
    for (const struct row *row = wall + 1; row < rows->items + rows->n; row++) {
        if (!ps_str_eq(row->group, wall->group) || row->alternatives.ptr)
            break;
        if (ps_str_eq_c(row->name, "total"))
            total = row->value;
        else
            parts += row->value, n++;
    }
    return isfinite(total) ? total : n ? parts : NAN;
}

static void say_wall(struct ps_conclusion *c, const struct row *wall, double cpu)
{
    const double idle = 1 - cpu / wall->value;

    ps_set_first_claim(c, idle >= WAITS_MIN ? PS_WAITS : PS_TAKES,
                       ps_subject_of(c, PS_SUBJECT_ROW, link_row(c, wall), wall->group), NAN);
    ps_say_code(c, &c->verdict, link_row(c, wall), wall->group);
    ps_say(c, &c->verdict, " uses ");
    ps_say_value(&c->verdict, link_row(c, wall), cpu, "s");
    ps_say(c, &c->verdict, " of CPU in ");
    ps_say_value(&c->verdict, link_row(c, wall), wall->value, "s");
    if (idle >= WAITS_MIN)
        ps_say(c, &c->verdict, ": it waits %.0f %% of the time.", 100 * idle);
    else if (idle >= -WAITS_MIN)
        ps_say(c, &c->verdict, ": it computes and does not wait.");
    else
        ps_say(c, &c->verdict, ": %.1f CPUs on average.", cpu / wall->value);
}

static void say_largest(struct ps_conclusion *c, const struct rows *rows)
{
    size_t n;
    const struct row *row = find_largest(rows, &n), *second = find_second(rows, row);
    const double cpu = cpu_time_of(rows, row);

    c->unit = unit_of(c, row);
    if (isfinite(cpu)) {
        say_wall(c, row, cpu);
        return;
    }
    if (second && row->spread > 0 && second->value > 0 && !is_clear(second, row)) {
        ps_set_first_claim(c, PS_FLAT, row_subject(c, row), NAN);
        ps_say(c, &c->verdict, "No single row is clearly the %s.",
               is_time(row) ? "longest" : "largest");
        ps_say(c, &c->sentence, " The largest are ");
        ps_say_code(c, &c->sentence, link_row(c, row), row->name);
        ps_say(c, &c->sentence, " with ");
        ps_say_value(&c->sentence, link_row(c, row), row->value, unit_of(c, row));
        ps_say(c, &c->sentence, " and ");
        ps_say_code(c, &c->sentence, link_row(c, second), second->name);
        ps_say(c, &c->sentence, " with ");
        ps_say_value(&c->sentence, link_row(c, second), second->value, unit_of(c, second));
        ps_say(c, &c->sentence, ", which do not differ by more than their spread.");
        return;
    }
    ps_set_first_claim(c, PS_TAKES, row_subject(c, row), NAN);
    ps_say_code(c, &c->verdict, link_row(c, row), row->name);
    ps_say(c, &c->verdict, is_time(row) ? n > 1 ? " takes longest: " : " takes " : " is ");
    ps_say_value(&c->verdict, link_row(c, row), row->value, unit_of(c, row));
    if (row->n > 1) {
        ps_say(c, &c->sentence, ", ");
        say_statistic(c, &c->sentence, row);
    }
    if (row->spread > 0)
        ps_say(c, &c->sentence, ", standard deviation %.1f %%", 100 * row->spread / row->value);
    ps_say(c, &c->sentence, ".");
}

static bool has_rows(const struct rows *rows)
{
    size_t n;

    return find_largest(rows, &n) != NULL;
}

enum ps_status ps_conclude_measurements(struct ps_db *db, struct ps_conclusion *out,
                                        struct ps_err *err)
{
    PS_AUTO(rows_free) struct rows rows = {.items = NULL};
    const struct row *set;
    size_t n = 0;

    if (read_rows(db, out, &rows, err) != PS_OK)
        return err->code;
    if (!has_rows(&rows) && rows.n_zero) {
        ps_say(out, &out->verdict, "Every compared value is 0: too short to be measured.");
        return PS_OK;
    }
    if (!has_rows(&rows)) {
        ps_set_first_claim(out, PS_TOO_FEW, ps_no_subject, NAN);
        ps_say(out, &out->verdict, "The file has no measured values, or every command failed.");
        return PS_OK;
    }
    find_growths(out, &rows);
    set = find_alternatives(&rows, &n);
    if (rows.n_growths &&
        (is_steep(&rows.growths[0]) || !set || covers(&rows.growths[0], set, n))) {
        out->unit = "s";
        say_growth(out, &rows.growths[0]);
        add_growth_causes(out, &rows);
    } else if (set) {
        out->unit = unit_of(out, set);
        say_alternatives(out, &set[0], &set[n - 1]);
        add_causes(out, set, n);
    } else {
        say_largest(out, &rows);
    }
    return PS_OK;
}

enum ps_status ps_conclude_commands(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    static const struct {
        const char *verdict, *text;
    } texts[] = {{"cpu-bound", " is limited by the CPU."},
                 {"waiting", " waits most of the time."},
                 {"mixed", " computes and waits."},
                 {"parallel", " computes on several CPUs."},
                 {"system-heavy", " spends its CPU time in the kernel."},
                 {"memory-heavy", " reads memory pages from the disk."}};
    const struct ps_report_link link = {.tab = "bound"};
    struct ps_command_verdict command;
    const char *text = " is too short to be judged.";

    if (ps_command_verdict_read(db, &command, err) != PS_OK)
        return err->code;
    if (!command.verdict) {
        ps_set_first_claim(out, PS_TOO_FEW, ps_no_subject, NAN);
        ps_say(out, &out->verdict, "The file has no measured command.");
        return PS_OK;
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].verdict, command.verdict) == 0)
            text = texts[i].text;
    ps_set_first_claim(out, strcmp(command.verdict, "waiting") == 0 ? PS_WAITS : PS_TAKES,
                       ps_subject_of(out, PS_SUBJECT_ROW, link, ps_str_from_c(command.command)),
                       NAN);
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
