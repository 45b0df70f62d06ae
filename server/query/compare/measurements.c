/* SPDX-License-Identifier: MIT */
/*
 * measurements.c: the verdicts on all measurements of a comparison, in place of a headline. The
 * headline of a file of benchmarks is that of its first; the others may have changed.
 */
#include <math.h>

#include "base/format.h"
#include "importers/kinds.h"
#include "server/query/compare/compare.h"

#define NAMED_MAX 3 /* rows that are named */

/* Measurements by what became of them, in the order in which the sentence states them. */
enum outcome {
    REMOVED,
    ADDED,
    FAILED,
    WORSE_MORE, /* more, of which less is better */
    WORSE_LESS,
    OTHER_MORE, /* neither is better */
    OTHER_LESS,
    BETTER_LESS,
    BETTER_MORE,
    TOO_FEW,
    UNKNOWN,
    WITHIN_NOISE,
    EQUAL,
    MEASURED_AGAIN,
    NOT_MEASURED,
    N_OUTCOMES
};

/* Those that are NULL have the word of ps_change_word. */
static const char *const outcome_words[N_OUTCOMES] = {
    [REMOVED] = "removed",
    [ADDED] = "added",
    [FAILED] = "failed or skipped",
    [TOO_FEW] = "with too few samples to tell",
    [UNKNOWN] = "of unknown significance, since the files have no spread",
    [WITHIN_NOISE] = "within noise",
    [EQUAL] = "equal",
    [MEASURED_AGAIN] = "failed or skipped in the base only",
    [NOT_MEASURED] = "failed or skipped on both sides",
};

static bool is_time(const struct ps_comparison_row *row)
{
    return ps_str_eq_c(row->place, "s");
}

static enum outcome outcome_of(const struct ps_comparison_row *row)
{
    static const enum outcome by_verdict[] = {UNKNOWN, TOO_FEW, WITHIN_NOISE},
                              more[] = {WORSE_MORE, OTHER_MORE, BETTER_MORE},
                              less[] = {BETTER_LESS, OTHER_LESS, WORSE_LESS};

    if (row->change == PS_CHANGE_REMOVED || row->change == PS_CHANGE_ADDED)
        return row->change == PS_CHANGE_REMOVED ? REMOVED : ADDED;
    if (isnan(row->judgement.base_median) && isnan(row->judgement.new_median))
        return NOT_MEASURED;
    if (row->change == PS_CHANGE_FAILED)
        return isnan(row->judgement.base_median) ? MEASURED_AGAIN : FAILED;
    if (row->judgement.verdict < PS_VERDICT_SAME && row->judgement.delta == 0)
        return EQUAL;
    if (row->judgement.verdict >= PS_VERDICT_UP)
        return (row->judgement.verdict == PS_VERDICT_UP ? more : less)[1 + row->better];
    return by_verdict[row->judgement.verdict];
}

/* The rows of one outcome. Their words may differ: times are slower, bytes are more. */
struct count {
    size_t n;
    const char *word;                                 /* of the first */
    const struct ps_comparison_row *named[NAMED_MAX]; /* with the greatest changes */
    size_t n_named;
};

struct counts {
    struct count of[N_OUTCOMES];
    size_t total;
    size_t in_base, in_new; /* rows that a group has */
    size_t n_parts_worse;
};

/* The ratio of the change; 0: unknown. */
static double size_of(const struct ps_comparison_row *row)
{
    const double size = fabs(row->judgement.delta / row->judgement.base_median);

    return isfinite(size) ? size : 0;
}

/* Keeps the rows with the greatest changes, the greatest first. */
static void name_row(struct count *count, const struct ps_comparison_row *row)
{
    size_t index = count->n_named;

    while (index > 0 && size_of(count->named[index - 1]) < size_of(row))
        index--;
    if (index == NAMED_MAX)
        return;
    if (count->n_named < NAMED_MAX)
        count->n_named++;
    for (size_t i = count->n_named - 1; i > index; i--)
        count->named[i] = count->named[i - 1];
    count->named[index] = row;
}

static struct counts count_rows(const struct ps_comparison_row *rows, size_t n)
{
    struct counts out = {.total = 0};

    for (size_t i = 0; i < n; i++) {
        const enum outcome outcome = outcome_of(&rows[i]);
        struct count *count = &out.of[outcome];

        if (rows[i].is_part) {
            out.n_parts_worse += outcome == WORSE_MORE || outcome == WORSE_LESS;
            continue;
        }
        out.total++;
        out.in_base += rows[i].in_base > 0;
        out.in_new += rows[i].in_new > 0;
        if (count->n++ == 0)
            count->word = outcome_words[outcome]
                              ? outcome_words[outcome]
                              : ps_change_word(rows[i].judgement.verdict == PS_VERDICT_UP,
                                               is_time(&rows[i]), rows[i].better);
        if (outcome < TOO_FEW)
            name_row(count, &rows[i]);
    }
    return out;
}

/* Whether the headline says as much as the rows: each run has one measurement, a single value of
 * the same thing. Commands may differ, since the headline compares them. */
static bool is_single(const struct ps_compare_groups *groups, const struct counts *counts)
{
    const bool is_of_command = ps_kind_find(groups->runs[0].kind)->texts & PS_GROUPS_ARE_COMMANDS;

    if (counts->in_base > 1 || counts->in_new > 1 || counts->of[FAILED].n ||
        counts->of[MEASURED_AGAIN].n)
        return false;
    return is_of_command || counts->of[UNKNOWN].n + counts->of[EQUAL].n == counts->total;
}

/* Appends " (NAME +11.9 %, NAME -2.0 %, …)". */
static void add_names(const struct count *count, bool has_values, struct ps_buf *out)
{
    for (size_t i = 0; i < count->n_named; i++) {
        const struct ps_judgement *judgement = &count->named[i]->judgement;

        ps_buf_puts(out, i ? ", " : " (");
        ps_buf_add_str(out, count->named[i]->name);
        if (has_values && isfinite(judgement->delta) && judgement->base_median != 0)
            ps_buf_printf(out, " %+.1f %%", 100 * judgement->delta / fabs(judgement->base_median));
    }
    if (count->n_named)
        ps_buf_printf(out, "%s)", count->n > count->n_named ? ", …" : "");
}

static void add_sentence(const struct counts *counts, struct ps_buf *out)
{
    const size_t start = out->len;

    for (int i = 0; i < N_OUTCOMES; i++) {
        const struct count *count = &counts->of[i];

        if (!count->n)
            continue;
        if (out->len > start)
            ps_buf_printf(out, ", %zu %s", count->n, count->word);
        else if (counts->total > count->n)
            ps_buf_printf(out, "%zu of %zu measurements %s", count->n, counts->total, count->word);
        else
            ps_buf_printf(out, "%zu measurement%s %s", counts->total, counts->total == 1 ? "" : "s",
                          count->word);
        add_names(count, i != FAILED, out);
    }
    if (counts->n_parts_worse)
        ps_buf_printf(out, "; of their further values, %zu became worse", counts->n_parts_worse);
}

enum ps_status ps_compare_sum_up(struct ps_store *store, const struct ps_compare_groups *groups,
                                 struct ps_buf *out, struct ps_err *err)
{
    struct ps_cached_comparison *table = NULL;
    const struct ps_comparison_row *rows;
    struct counts counts;
    size_t n;

    if (groups->n_base == 0 || !ps_compare_all_have(groups, PS_HAS_MEASUREMENTS) ||
        ps_kind_has(groups->runs[0].kind, PS_HAS_PROCESSES))
        return err->code;
    if (ps_cached_comparison_acquire(store, groups, "measurements", (struct ps_params){NULL, 0},
                                     &table, err) != PS_OK)
        return err->code;
    rows = ps_comparison_rows(table->comparison, &n);
    counts = count_rows(rows, n);
    if (counts.total > 0 && !is_single(groups, &counts))
        add_sentence(&counts, out);
    ps_cached_comparison_release(table);
    return err->code;
}
