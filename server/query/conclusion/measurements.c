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
#include "compare/samples.h"
#include "importers/records/measurements.h"
#include "server/query/conclusion/conclusion.h"
#include "server/query/reports/reports.h"

#define CLAIMS_MAX 100 /* of the rows of a file, those that take longest */
/* Exponents of the parameter. Below GROWTH_MIN the parameter matters little; from STEEP_MIN on, the
 * time grows faster than its parameter. N log N has less. */
#define GROWTH_MIN 0.3
#define STEEP_MIN  1.3
/* Largest distance of an exponent from that of a law such as the square. */
#define LAW_DISTANCE 0.2
#define POINTS_MIN   3    /* of a growth: fewer may differ by chance */
#define NUMBERS_MIN  4.0  /* ratio of the largest parameter of a growth to the smallest */
#define WAITS_MIN    0.05 /* share of the wall time without CPU from which %time waits */

struct row {
    int64_t id, n;
    struct ps_str name, group, unit, statistic;
    struct ps_str alternatives; /* {NULL, 0}: a part of another row */
    double value, spread;       /* spread NaN: unknown */
    double resolution;          /* NaN: the file has all digits */
    bool is_higher_better;
};

/* What the rows of a file became, without further metrics. */
struct tally {
    size_t n, n_failed, n_skipped, n_unstable;
    struct ps_str least_stable; /* name of the row with the largest deviation */
    double deviation;           /* its standard deviation / mean */
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
    enum ps_growth_law law;
};

struct rows {
    struct row *items;
    size_t n, cap;
    size_t n_zero; /* rows that are left out because their value is 0 */
    struct tally tally;
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
enum {
    ID,
    NAME,
    GRP,
    UNIT = 4,
    N = 6,
    MEAN,
    STDDEV = 9,
    RESOLUTION = 14,
    FAILED = 17,
    RANKED_BY,
    RANKED_VALUE,
    SPREAD,
    ALTERNATIVES,
    BETTER = 25,
    STATE
};

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

static void count_row(struct ps_stmt *stmt, struct ps_conclusion *c, struct tally *tally)
{
    const double mean = ps_col_real_or_nan(stmt, MEAN);
    const double deviation = ps_col_real_or_nan(stmt, STDDEV) / mean;

    if (ps_col_is_null(stmt, ALTERNATIVES))
        return;
    tally->n++;
    tally->n_skipped += ps_col_int(stmt, STATE) == PS_MEASUREMENT_SKIPPED;
    tally->n_failed +=
        ps_col_int(stmt, FAILED) && ps_col_int(stmt, STATE) != PS_MEASUREMENT_SKIPPED;
    if (ps_col_int(stmt, FAILED) || !(mean > 0) || !(deviation >= PS_UNSTABLE_SPREAD))
        return;
    tally->n_unstable++;
    if (deviation <= tally->deviation)
        return;
    tally->deviation = deviation;
    tally->least_stable = ps_arena_copy(&c->arena, ps_col_text(stmt, NAME));
}

/* Says how many rows failed, were skipped or are unstable; nothing if all are sound. */
static void note_tally(struct ps_conclusion *c, const struct tally *tally)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    if (tally->n < 2)
        return;
    if (tally->n_failed)
        ps_buf_printf(&text, ", %zu failed", tally->n_failed);
    if (tally->n_skipped)
        ps_buf_printf(&text, ", %zu skipped", tally->n_skipped);
    if (tally->n_unstable)
        ps_buf_printf(&text,
                      ", %zu unstable (standard deviation 10 %% of the mean or more; most: "
                      "%.*s with %.0f %%)",
                      tally->n_unstable, (int)tally->least_stable.len, tally->least_stable.ptr,
                      100 * tally->deviation);
    if (text.len)
        ps_conclusion_note(c, "%zu results: %.*s.", tally->n, (int)text.len - 2, text.ptr + 2);
}

/* Reads the rows with a value, in the order of the file. Commands of which a run failed are left
 * out: their time says nothing. */
static enum ps_status read_rows(struct ps_db *db, struct ps_conclusion *c, struct rows *rows,
                                struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("measurements"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct row row = {.id = ps_col_int(stmt, ID),
                          .name = ps_arena_copy(&c->arena, ps_col_text(stmt, NAME)),
                          .group = ps_arena_copy(&c->arena, ps_col_text(stmt, GRP)),
                          .unit = ps_arena_copy(&c->arena, ps_col_text(stmt, UNIT)),
                          .n = ps_col_int(stmt, N),
                          .statistic = ps_arena_copy(&c->arena, ps_col_text(stmt, RANKED_BY)),
                          .value = ps_col_real_or_nan(stmt, RANKED_VALUE),
                          .spread = ps_col_real_or_nan(stmt, SPREAD),
                          .resolution = ps_col_real_or_nan(stmt, RESOLUTION),
                          .is_higher_better = ps_col_int(stmt, BETTER) == PS_BETTER_HIGHER};

        count_row(stmt, c, &rows->tally);
        if (ps_col_int(stmt, FAILED))
            continue;
        if (!(row.value > 0)) {
            rows->n_zero += row.value == 0 && !ps_col_is_null(stmt, ALTERNATIVES);
            continue;
        }
        /* of alternatives, the slowest or largest is reported, so higher values must be worse */
        if (!ps_col_is_null(stmt, ALTERNATIVES))
            row.alternatives = row.is_higher_better
                                   ? PS_STR("")
                                   : ps_arena_copy(&c->arena, ps_col_text(stmt, ALTERNATIVES));
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

/* A single run is called by its command, the group: its rows are "wall", "user" and so on. */
static struct ps_subject row_subject(struct ps_conclusion *c, const struct row *row)
{
    const bool is_run = row->group.len && ps_str_eq_c(row->statistic, "single") &&
                        row->alternatives.ptr && !row->alternatives.len;

    return ps_subject_of(c, PS_SUBJECT_ROW, link_row(c, row), is_run ? row->group : row->name);
}

/* The value of a row, and of how many runs. */
static struct ps_fact row_fact(struct ps_conclusion *c, enum ps_fact_code code,
                               const struct row *row)
{
    return (struct ps_fact){code,
                            row_subject(c, row),
                            {row->value, (double)row->n},
                            .word = row->statistic,
                            .unit = unit_of(c, row),
                            .link = link_row(c, row)};
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

/* Whether the difference is greater than what rounding may make, and the logarithm of the ratio
 * than its error: a spread as large as the value does not hide that it is a thousand times the
 * other. */
static bool has_grown(const struct row *small, const struct row *large)
{
    const double error = hypot(small->spread / small->value, large->spread / large->value);
    const double rounding = small->resolution + large->resolution;

    if (large->value - small->value <= rounding)
        return false;
    return log(large->value / small->value) > (isfinite(error) ? error : 0);
}

static enum ps_growth_law law_of(double exponent, bool is_law)
{
    static const enum ps_growth_law laws[] = {
        [1] = PS_GROWS_LINEAR, [2] = PS_GROWS_SQUARE, [3] = PS_GROWS_CUBE};
    const int nearest = (int)lround(exponent);

    if (is_law && nearest >= 1 && nearest <= 3 && fabs(exponent - nearest) <= LAW_DISTANCE)
        return laws[nearest];
    return exponent >= STEEP_MIN ? PS_GROWS_FASTER : PS_GROWS_WITH;
}

/* Adds the growth over points of one pattern, in order of their numbers, if they show one. */
static void add_growth(struct rows *rows, const struct point *points, size_t n)
{
    const struct point *first = &points[0], *last = &points[n - 1];
    struct growth growth = {.points = points, .n = n};
    bool is_law = true; /* all pairs of neighbours have about the exponent */

    if (n < POINTS_MIN || last->number < NUMBERS_MIN * first->number ||
        !has_grown(first->row, last->row))
        return;
    growth.exponent = exponent_between(first, last);
    if (growth.exponent < GROWTH_MIN)
        return;
    for (size_t i = 1; i < n; i++) {
        if (points[i].number == points[i - 1].number)
            return; /* the number does not tell these rows apart */
        is_law &= fabs(exponent_between(&points[i - 1], &points[i]) - growth.exponent) <=
                  2 * LAW_DISTANCE;
    }
    growth.law = law_of(growth.exponent, is_law);
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

static struct ps_fact growth_fact(const struct growth *growth, enum ps_fact_code code)
{
    const struct point *first = &growth->points[0], *last = &growth->points[growth->n - 1];

    return (struct ps_fact){code, .values = {first->number, last->number,
                                             last->row->value / first->row->value, growth->exponent,
                                             growth->law}};
}

static struct ps_claim growth_claim(struct ps_conclusion *c, const struct growth *growth)
{
    return ps_claim_of("growth", PS_GROWS,
                       ps_subject_of(c, PS_SUBJECT_ROW, link_row(c, largest_of(growth)),
                                     growth->points[0].pattern),
                       NAN);
}

static void conclude_growth(struct ps_conclusion *c, const struct rows *rows)
{
    const struct growth *first = &rows->growths[0];

    ps_conclude_first(c, growth_claim(c, first));
    ps_first_fact(c, growth_fact(first, PS_FACT_GROWTH));
    ps_first_fact(c, row_fact(c, PS_FACT_IT_TAKES, first->points[0].row));
    ps_first_fact(c, row_fact(c, PS_FACT_AGAINST, largest_of(first)));
    for (size_t i = 0; i < rows->n_growths && i < CLAIMS_MAX; i++) {
        struct ps_claim claim = growth_claim(c, &rows->growths[i]);

        claim.evidence = growth_fact(&rows->growths[i], PS_FACT_GROWS);
        ps_conclusion_claim(c, &claim, largest_of(&rows->growths[i])->value);
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

static void add_causes(struct ps_conclusion *c, const struct row *rows, size_t n)
{
    const bool are_times = is_time(&rows[0]);

    for (size_t i = 0; i < n; i++) {
        struct ps_claim claim;

        if (i > 0 && i + CLAIMS_MAX < n) /* the fastest, and those that take longest */
            continue;
        claim = ps_claim_of("measurement", PS_TAKES, row_subject(c, &rows[i]), NAN);
        const double runs = (double)rows[i].n;

        claim.evidence = i ? (struct ps_fact){are_times ? PS_FACT_AS_LONG : PS_FACT_AS_LARGE,
                                              .values = {rows[i].value / rows[0].value,
                                                         error_of_ratio(&rows[0], &rows[i]), runs},
                                              .word = rows[i].statistic}
                           : (struct ps_fact){are_times ? PS_FACT_FASTEST : PS_FACT_SMALLEST,
                                              .values = {runs}, .word = rows[i].statistic};
        ps_conclusion_claim(c, &claim, rows[i].value);
    }
}

static void conclude_alternatives(struct ps_conclusion *c, const struct row *rows, size_t n)
{
    const struct row *fast = &rows[0], *slow = &rows[n - 1];
    const bool differ = is_clear(fast, slow);

    ps_conclude_first(c,
                      ps_claim_of(NULL, differ ? PS_SLOWER : PS_FLAT, row_subject(c, slow), NAN));
    c->first.subjects[0].via = row_subject(c, fast);
    ps_first_fact(
        c, (struct ps_fact){!differ         ? PS_FACT_NO_DIFFERENCE
                            : is_time(fast) ? PS_FACT_SLOWER
                                            : PS_FACT_NEEDS_MORE,
                            .values = {slow->value / fast->value, error_of_ratio(fast, slow)}});
    ps_first_fact(c, row_fact(c, PS_FACT_IT_TAKES, slow));
    ps_first_fact(c, row_fact(c, PS_FACT_AGAINST, fast));
    add_causes(c, rows, n);
}

/* --- One row --- */

/* Times first. The lowest is the worst of values of which higher ones are better. */
static bool is_worse(const struct row *row, const struct row *other)
{
    if (is_time(row) != is_time(other))
        return is_time(row);
    if (row->is_higher_better && other->is_higher_better)
        return row->value < other->value;
    return row->value > other->value;
}

/* The row that takes longest, or the largest of another unit; the lowest, if higher values are
 * better. */
static const struct row *find_largest(const struct rows *rows, size_t *n)
{
    const struct row *found = NULL;

    *n = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->items[i];

        if (!row->alternatives.ptr)
            continue;
        *n += 1;
        if (!found || is_worse(row, found))
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

/* Whether the row is the lowest of several of which higher values are better, all of one unit. */
static bool is_lowest(const struct rows *rows, const struct row *row)
{
    size_t n = 0;

    for (size_t i = 0; i < rows->n; i++) {
        const struct row *other = &rows->items[i];

        if (!other->alternatives.ptr)
            continue;
        if (!other->is_higher_better || !ps_str_eq(other->unit, row->unit))
            return false;
        n++;
    }
    return n > 1;
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

static void conclude_wall(struct ps_conclusion *c, const struct row *wall, double cpu)
{
    const double idle = 1 - cpu / wall->value;
    const bool waits = idle >= WAITS_MIN;

    ps_conclude_first(c, ps_claim_of(NULL, waits ? PS_WAITS : PS_TAKES, row_subject(c, wall), NAN));
    ps_first_fact(c,
                  (struct ps_fact){waits                ? PS_FACT_CPU_WAITS
                                   : idle >= -WAITS_MIN ? PS_FACT_CPU_COMPUTES
                                                        : PS_FACT_CPU_PARALLEL,
                                   .values = {cpu, wall->value, waits ? idle : cpu / wall->value}});
}

static void conclude_largest(struct ps_conclusion *c, const struct rows *rows)
{
    size_t n;
    const struct row *row = find_largest(rows, &n), *second = find_second(rows, row);
    const double cpu = cpu_time_of(rows, row);

    c->unit = unit_of(c, row);
    if (isfinite(cpu)) {
        conclude_wall(c, row, cpu);
    } else if (second && !row->is_higher_better && second->value > 0 &&
               (second->value == row->value || (row->spread > 0 && !is_clear(second, row)))) {
        ps_conclude_first(c, ps_claim_of(NULL, PS_FLAT, row_subject(c, row), NAN));
        ps_first_fact(c, (struct ps_fact){PS_FACT_NONE_LONGEST, .word = is_time(row)
                                                                            ? PS_STR("longest")
                                                                            : PS_STR("largest")});
        ps_first_fact(c, row_fact(c, PS_FACT_LARGEST, row));
        ps_first_fact(c, row_fact(c, PS_FACT_SECOND, second));
    } else {
        ps_conclude_first(c, ps_claim_of(NULL, PS_TAKES, row_subject(c, row), NAN));
        ps_first_fact(c, row_fact(c,
                                  is_lowest(rows, row) ? PS_FACT_IS_LOWEST
                                  : !is_time(row)      ? PS_FACT_IS
                                  : n > 1              ? PS_FACT_TAKES_LONGEST
                                                       : PS_FACT_TAKES,
                                  row));
        ps_first_fact(c, (struct ps_fact){PS_FACT_SPREAD,
                                          .values = {(double)row->n, row->spread / row->value},
                                          .word = row->statistic});
    }
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
    note_tally(out, &rows.tally);
    if (!has_rows(&rows)) {
        ps_conclude_first(out, ps_claim_of(NULL, PS_TOO_FEW, ps_no_subject, NAN));
        ps_first_fact(
            out, (struct ps_fact){.code = rows.n_zero ? PS_FACT_ZERO_VALUES : PS_FACT_NO_VALUES});
        return PS_OK;
    }
    find_growths(out, &rows);
    set = find_alternatives(&rows, &n);
    if (rows.n_growths &&
        (is_steep(&rows.growths[0]) || !set || covers(&rows.growths[0], set, n))) {
        out->unit = "s";
        conclude_growth(out, &rows);
    } else if (set) {
        out->unit = unit_of(out, set);
        conclude_alternatives(out, set, n);
    } else {
        conclude_largest(out, &rows);
    }
    return PS_OK;
}

enum ps_status ps_conclude_commands(struct ps_db *db, struct ps_conclusion *out, struct ps_err *err)
{
    static const struct {
        const char *verdict;
        enum ps_fact_code fact;
    } facts[] = {{"cpu-bound", PS_FACT_CPU_BOUND},
                 {"waiting", PS_FACT_WAITING},
                 {"mixed", PS_FACT_MIXED},
                 {"parallel", PS_FACT_PARALLEL},
                 {"system-heavy", PS_FACT_SYSTEM_HEAVY},
                 {"memory-heavy", PS_FACT_MEMORY_HEAVY}};
    const struct ps_report_link link = {.tab = "bound"};
    struct ps_fact fact = {.code = PS_FACT_TOO_SHORT};
    struct ps_command_verdict command;

    if (ps_command_verdict_read(db, &command, err) != PS_OK)
        return err->code;
    if (!command.verdict) {
        ps_conclude_none(out, "command");
        return PS_OK;
    }
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (strcmp(facts[i].verdict, command.verdict) == 0)
            fact.code = facts[i].fact;
    ps_conclude_first(
        out,
        ps_claim_of(NULL, fact.code == PS_FACT_WAITING ? PS_WAITS : PS_TAKES,
                    ps_subject_of(out, PS_SUBJECT_ROW, link, ps_str_from_c(command.command)), NAN));
    ps_first_fact(out, fact);
    if (isfinite(command.real_s) && isfinite(command.user_s) && isfinite(command.system_s))
        ps_first_fact(
            out, (struct ps_fact){PS_FACT_CPU_TIMES,
                                  .values = {command.user_s, command.system_s, command.real_s}});
    if (command.reason[0])
        ps_conclusion_note(out, "%s.", command.reason);
    if (command.n_commands > 1)
        ps_conclusion_note(out, "The file has several commands; this is the first.");
    return PS_OK;
}
