/* SPDX-License-Identifier: MIT */
/* cells.c: the values in a row of a comparison, by column. */
#include <math.h>
#include <stdio.h>

#include "server/query/compare/compare.h"

const char *const ps_verdict_words[] = {NULL, "few", "same", "up", "down"};
const char *const ps_change_words[] = {NULL, "added", "removed", "moved", "failed", "unlisted"};

static const char *const column_names[PS_CMP_OTHER_METRICS] = {
    "id",      "name",     "place", "base_place", "within",  "line",      "base_line", "by",
    "base_by", "change",   "base",  "new",        "delta",   "delta_pct", "share",     "noise",
    "low",     "high",     "p",     "verdict",    "in_base", "in_new",    "part",      "better",
    "basis",   "seen_pct", "mad",   "min",        "max",     "size"};
static const char *const basis_words[] = {NULL, "summary", "samples", "files", "pairs"};

/* The columns for a single group, in their order. They need no base. */
static const int single_group_columns[] = {PS_CMP_ID,   PS_CMP_NAME,  PS_CMP_PLACE, PS_CMP_FUNCTION,
                                           PS_CMP_LINE, PS_CMP_CAUSE, PS_CMP_NEW,   PS_CMP_MAD,
                                           PS_CMP_MIN,  PS_CMP_MAX,   PS_CMP_SHARE, PS_CMP_IN_NEW};
#define N_SINGLE_GROUP_COLUMNS ((int)(sizeof single_group_columns / sizeof *single_group_columns))

static struct ps_value integer_cell(int64_t value)
{
    return (struct ps_value){.num = ps_int(value)};
}

static struct ps_value real_cell(double value)
{
    return (struct ps_value){.num = isfinite(value) ? ps_real(value) : PS_NO_NUM};
}

static struct ps_value text_cell(struct ps_str value)
{
    return (struct ps_value){.num = PS_NO_NUM, .text = value.len ? value : (struct ps_str){0}};
}

static struct ps_value text_value(const struct ps_comparison_row *row, int column)
{
    switch (column) {
    case PS_CMP_NAME:
        return (struct ps_value){.num = PS_NO_NUM, .text = row->name};
    case PS_CMP_PLACE:
        return text_cell(row->place);
    case PS_CMP_BASE_PLACE:
        return text_cell(row->base_place);
    case PS_CMP_FUNCTION:
        return text_cell(row->function);
    case PS_CMP_CAUSE:
        return text_cell(row->cause);
    case PS_CMP_BASE_CAUSE:
        return text_cell(row->base_cause);
    case PS_CMP_CHANGE:
        return text_cell(ps_str_from_c(ps_change_words[row->change]));
    case PS_CMP_BASIS:
        return text_cell(ps_str_from_c(basis_words[row->basis]));
    default:
        return text_cell(ps_str_from_c(ps_verdict_words[row->judgement.verdict]));
    }
}

static struct ps_value number_value(const struct ps_comparison_row *row, int column)
{
    const struct ps_judgement *judgement = &row->judgement;

    switch (column) {
    case PS_CMP_BASE:
        return real_cell(judgement->base_median);
    case PS_CMP_NEW:
        return real_cell(judgement->new_median);
    case PS_CMP_DELTA:
        return real_cell(judgement->delta);
    case PS_CMP_DELTA_PCT:
        return real_cell(judgement->base_median != 0
                             ? 100 * judgement->delta / fabs(judgement->base_median)
                             : NAN);
    case PS_CMP_PART:
        return integer_cell(row->is_part);
    case PS_CMP_BETTER:
        return integer_cell(row->better);
    case PS_CMP_SEEN:
        return real_cell(row->seen_pct);
    case PS_CMP_MAD:
        return real_cell(judgement->new_mad);
    case PS_CMP_NOISE:
        return real_cell(judgement->noise);
    case PS_CMP_P:
        return real_cell(judgement->p_value);
    default: /* the medians of the other metrics, in the order of PS_CMP_OTHER_METRICS */
        column -= PS_CMP_OTHER_METRICS;
        return real_cell(column % 2 ? row->new_medians[1 + column / 2]
                                    : row->base_medians[1 + column / 2]);
    }
}

/* Returns the minimum or the maximum of row `id` (from 1) over the runs of a single group. */
static struct ps_value extreme_value(const struct ps_cached_comparison *table, uint32_t id,
                                     bool is_max)
{
    size_t n_base, n;
    const double *values;
    double end;

    (void)ps_comparison_values(table->comparison, id, &n_base, &values, &n);
    end = values[0];
    for (size_t i = 1; i < n; i++)
        end = is_max ? fmax(end, values[i]) : fmin(end, values[i]);
    return real_cell(end);
}

/* Sorts measurements in different units: first those without a counterpart and those that failed,
 * then those that changed, then those of unknown significance, then the rest; each by the ratio of
 * the change. */
static double size_of_measurement(const struct ps_comparison_row *row)
{
    const struct ps_judgement *judgement = &row->judgement;
    const double ratio = fabs(judgement->delta / judgement->base_median),
                 scaled = ratio / (1 + ratio); /* below 1 */
    const int class = row->change != PS_CHANGE_NONE          ? 3
                      : judgement->verdict >= PS_VERDICT_UP  ? 2
                      : judgement->delta == 0                ? 0
                      : judgement->verdict < PS_VERDICT_SAME ? 1
                                                             : 0;

    return class + (isfinite(ratio) ? scaled : judgement->delta != 0 ? 1 : 0);
}

/* The value of a row in the group that lists it: the most that it can have changed by. */
static double known_value(const struct ps_comparison_row *row)
{
    return fmax(row->judgement.base_median, row->judgement.new_median); /* the other is NAN */
}

/* For a single group the share of the total that the tools state, else of the sum of the rows; NaN
 * unless the rows add up. */
static double share_of(const struct ps_cached_comparison *table,
                       const struct ps_comparison_row *row)
{
    if (!table->is_single_group)
        return row->share_pct;
    if (!table->head.metrics[0].is_additive)
        return NAN;
    return isnan(table->whole_new) ? row->share_pct
                                   : 100 * row->judgement.new_median / table->whole_new;
}

struct ps_value ps_comparison_column_value(const struct ps_cached_comparison *table,
                                           const struct ps_comparison_row *row, int column)
{
    double interval[2] = {NAN, NAN};

    switch (column) {
    case PS_CMP_ID:
        return integer_cell(row->id);
    case PS_CMP_LINE:
    case PS_CMP_BASE_LINE:
        column = column == PS_CMP_LINE ? (int)row->line : (int)row->base_line;
        return column ? integer_cell(column) : (struct ps_value){.num = PS_NO_NUM};
    case PS_CMP_IN_BASE:
        return integer_cell(row->in_base);
    case PS_CMP_IN_NEW:
        return integer_cell(row->in_new);
    case PS_CMP_LOW:
    case PS_CMP_HIGH:
        (void)ps_comparison_interval(table->comparison, row->id, &interval[0], &interval[1]);
        return real_cell(interval[column == PS_CMP_HIGH]);
    case PS_CMP_SIZE:
        return real_cell(table->head.place_is_unit           ? size_of_measurement(row)
                         : row->change == PS_CHANGE_UNLISTED ? known_value(row)
                                                             : fabs(row->judgement.delta));
    case PS_CMP_SHARE:
        return real_cell(share_of(table, row));
    case PS_CMP_MIN:
    case PS_CMP_MAX:
        return extreme_value(table, row->id, column == PS_CMP_MAX);
    case PS_CMP_NAME:
    case PS_CMP_PLACE:
    case PS_CMP_BASE_PLACE:
    case PS_CMP_FUNCTION:
    case PS_CMP_CAUSE:
    case PS_CMP_BASE_CAUSE:
    case PS_CMP_CHANGE:
    case PS_CMP_BASIS:
    case PS_CMP_VERDICT:
        return text_value(row, column);
    default:
        return number_value(row, column);
    }
}

size_t ps_comparison_list_columns(const struct ps_cached_comparison *table,
                                  int out[PS_CMP_COLUMNS_MAX])
{
    size_t n = 0;

    for (int i = 0; i < (table->is_single_group ? N_SINGLE_GROUP_COLUMNS : PS_CMP_MAD); i++)
        if (i < PS_CMP_PART || table->is_single_group || table->head.place_is_unit)
            out[n++] = table->is_single_group ? single_group_columns[i] : i;
    for (int i = 0; i < 2 * ((int)table->head.n - 1); i++)
        if (!table->is_single_group || i % 2)
            out[n++] = PS_CMP_OTHER_METRICS + i;
    return n;
}

const char *ps_comparison_column_name(const struct ps_cached_comparison *table, int column,
                                      char out[32])
{
    int metric_column = column - PS_CMP_OTHER_METRICS;

    if (table->is_single_group && (column == PS_CMP_NEW || column == PS_CMP_IN_NEW))
        return column == PS_CMP_NEW ? "median" : "in";
    if (metric_column < 0)
        return column_names[column];
    (void)snprintf(out, 32, "%s_%s",
                   table->is_single_group ? "median"
                   : metric_column % 2    ? "new"
                                          : "base",
                   table->head.metrics[1 + metric_column / 2].name);
    return out;
}
