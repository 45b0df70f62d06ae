/* SPDX-License-Identifier: MIT */
/*
 * measurements.c: the verdicts on all measurements of a comparison, in place of a headline. The
 * headline of a file of benchmarks is that of its first; the others may have changed.
 */
#include <math.h>

#include "importers/kinds.h"
#include "server/query/compare/compare.h"

#define NAMED_MAX 3 /* rows that are named */

/* Measurements by what became of them, in the order in which the sentence states them. */
enum outcome {
    REMOVED,
    ADDED,
    FAILED,
    SLOWER,
    MORE,
    FASTER,
    LESS,
    TOO_FEW,
    UNKNOWN,
    WITHIN_NOISE,
    N_OUTCOMES
};

static const char *const outcome_words[N_OUTCOMES] = {
    [REMOVED] = "removed",
    [ADDED] = "added",
    [FAILED] = "failed",
    [SLOWER] = "slower",
    [MORE] = "more",
    [FASTER] = "faster",
    [LESS] = "less",
    [TOO_FEW] = "with too few samples to tell",
    [UNKNOWN] = "with a single value in each file, so their significance is unknown",
    [WITHIN_NOISE] = "within noise",
};

static bool is_time(const struct ps_comparison_row *row)
{
    return ps_str_eq_c(row->place, "s");
}

static enum outcome outcome_of(const struct ps_comparison_row *row)
{
    static const enum outcome by_verdict[] = {UNKNOWN, TOO_FEW, WITHIN_NOISE};

    if (row->change == PS_CHANGE_REMOVED || row->change == PS_CHANGE_ADDED)
        return row->change == PS_CHANGE_REMOVED ? REMOVED : ADDED;
    if (row->change == PS_CHANGE_FAILED)
        return FAILED;
    if (row->judgement.verdict == PS_VERDICT_UP)
        return is_time(row) ? SLOWER : MORE;
    if (row->judgement.verdict == PS_VERDICT_DOWN)
        return is_time(row) ? FASTER : LESS;
    return by_verdict[row->judgement.verdict];
}

struct counts {
    size_t n[N_OUTCOMES], total;
    size_t in_base, in_new; /* rows that a group has */
    size_t n_parts_changed; /* parts that became more */
};

static struct counts count_rows(const struct ps_comparison_row *rows, size_t n)
{
    struct counts out = {.total = 0};

    for (size_t i = 0; i < n; i++) {
        const enum outcome outcome = outcome_of(&rows[i]);

        if (rows[i].is_part) {
            out.n_parts_changed += outcome == SLOWER || outcome == MORE;
            continue;
        }
        out.total++;
        out.in_base += rows[i].in_base > 0;
        out.in_new += rows[i].in_new > 0;
        out.n[outcome]++;
    }
    return out;
}

/* Whether the headline says as much as the rows: each run has one measurement, a single value of
 * the same thing. Commands may differ, since the headline compares them. */
static bool is_single(const struct ps_compare_groups *groups, const struct counts *counts)
{
    const bool is_of_command = ps_kind_find(groups->runs[0].kind)->texts & PS_GROUPS_ARE_COMMANDS;

    if (counts->in_base > 1 || counts->in_new > 1 || counts->n[FAILED])
        return false;
    return is_of_command || counts->n[UNKNOWN] == counts->total;
}

/* Appends "; NAME +11.9 %, NAME -2.0 %": the first rows of an outcome. */
static void add_names(const struct ps_comparison_row *rows, size_t n, enum outcome outcome,
                      const char *before, struct ps_buf *out)
{
    size_t named = 0;

    for (size_t i = 0; i < n && named < NAMED_MAX; i++) {
        const struct ps_judgement *judgement = &rows[i].judgement;

        if (rows[i].is_part || outcome_of(&rows[i]) != outcome)
            continue;
        ps_buf_puts(out, named++ ? ", " : before);
        ps_buf_add_str(out, rows[i].name);
        if (isfinite(judgement->delta) && judgement->base_median != 0 && outcome != FAILED)
            ps_buf_printf(out, " %+.1f %%", 100 * judgement->delta / fabs(judgement->base_median));
    }
}

static void add_sentence(const struct ps_comparison_row *rows, size_t n,
                         const struct counts *counts, struct ps_buf *out)
{
    const size_t start = out->len;

    for (int i = 0; i < N_OUTCOMES; i++) {
        if (!counts->n[i])
            continue;
        if (out->len > start)
            ps_buf_printf(out, ", %zu %s", counts->n[i], outcome_words[i]);
        else if (counts->total > counts->n[i])
            ps_buf_printf(out, "%zu of %zu measurements %s", counts->n[i], counts->total,
                          outcome_words[i]);
        else
            ps_buf_printf(out, "%zu measurement%s %s", counts->total, counts->total == 1 ? "" : "s",
                          outcome_words[i]);
        if (i <= LESS)
            add_names(rows, n, (enum outcome)i, " (", out);
        if (i <= LESS)
            ps_buf_printf(out, "%s)", counts->n[i] > NAMED_MAX ? ", …" : "");
    }
    if (counts->n_parts_changed)
        ps_buf_printf(out, "; of their further values, %zu became more", counts->n_parts_changed);
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
        add_sentence(rows, n, &counts, out);
    ps_cached_comparison_release(table);
    return err->code;
}
