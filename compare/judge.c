/* SPDX-License-Identifier: MIT */
#include "compare/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/hash_table.h"
#include "base/mem.h"

#define DEALS_MAX 200 /* maximum number of reassignments of runs to groups */
/* maximum number of values read for all reassignments; if there are more, only every k-th row is
 * used */
#define WORK_MAX    40000000
#define TABLES      512
#define RATIO_MAX   1e9
#define CHOICES_MAX 1000.0 /* if there are more reassignments, a random sample is used */

/* The p values of rank sums for one pattern of ties. */
struct table {
    uint64_t ties;
    double *p_values;
    size_t n;
    uint32_t limit; /* the smallest deviation with p < alpha */
};

/* The limits of a row, the same for every reassignment: smallest rank deviation with p < alpha, and
 * smallest noise. */
struct row {
    uint32_t index;
    uint32_t limit;
    double floor;
};

struct judge {
    size_t n, m, total;
    double resolution;
    const double *values;
    struct ps_judgement *judged;
    struct table tables[TABLES];
    uint8_t *
        reassignments; /* n_reassignments, each of `total` bytes; 1: the run is in the base group */
    size_t n_reassignments;
};

/* --- Judging one row --- */

static uint32_t limit_of_table(const struct table *table)
{
    uint32_t limit = 0;

    while (limit < table->n && table->p_values[limit] >= PS_JUDGE_ALPHA)
        limit++;
    return limit;
}

/* Returns the table for a pattern of ties, from a cache: with few runs there are few patterns. */
static const struct table *table_of(struct judge *j, uint64_t ties, const uint32_t *ranks)
{
    struct table *table = &j->tables[ps_hash_u64(ties) % TABLES];

    if (table->p_values && table->ties == ties)
        return table;
    free(table->p_values);
    table->ties = ties;
    table->p_values = ps_rank_sum_table(ranks, j->n, j->m, &table->n);
    table->limit = limit_of_table(table);
    return table;
}

static uint32_t limit_of_normal(const struct judge *j, double ties)
{
    uint32_t low = 0, high = (uint32_t)(j->n * j->m) + 1;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (ps_rank_sum_normal(middle, j->n, j->m, ties) < PS_JUDGE_ALPHA)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Returns the p value of a row with the real groups. *limit: the smallest rank deviation with p <
 * alpha. */
static double rank_row(struct judge *j, const double *values, uint32_t *ranks, uint32_t *limit)
{
    uint32_t sum = 0;
    double ties;
    uint64_t pattern = ps_midranks(values, j->total, ranks, &ties);

    for (size_t i = 0; i < j->n; i++)
        sum += ranks[i];
    sum = ps_rank_deviation(sum, j->n, j->m);
    if (j->total <= PS_RANK_SUM_EXACT_MAX) {
        const struct table *table = table_of(j, pattern, ranks);

        *limit = table->limit;
        return table->p_values[sum];
    }
    *limit = limit_of_normal(j, ties);
    return ps_rank_sum_normal(sum, j->n, j->m, ties);
}

/* Returns the noise of a row, not multiplied by `factor`. */
static double noise_of(const struct judge *j, const struct ps_judgement *row, double floor)
{
    double own = sqrt(row->base_mad * row->base_mad + row->new_mad * row->new_mad +
                      j->resolution * j->resolution);

    return fmax(own, floor);
}

/* Returns |delta| / noise, where noise is not multiplied by `factor`. */
static double ratio_of(double delta, double noise)
{
    return delta == 0 ? 0 : noise > 0 ? fmin(fabs(delta) / noise, RATIO_MAX) : RATIO_MAX;
}

static void measure_row(struct judge *j, const double *base, const double *now,
                        struct ps_judgement *out)
{
    double x[PS_GROUP_MAX], y[PS_GROUP_MAX];

    memcpy(x, base, j->n * sizeof *x);
    memcpy(y, now, j->m * sizeof *y);
    out->base_median = ps_group_median(x, j->n);
    out->new_median = ps_group_median(y, j->m);
    out->delta = out->new_median - out->base_median;
    out->base_mad = ps_group_mad(x, j->n, out->base_median);
    out->new_mad = ps_group_mad(y, j->m, out->new_median);
}

/* --- Permutations of the groups --- */

static bool is_observed(const struct judge *j, const uint8_t *deal)
{
    size_t kept = 0;

    for (size_t i = 0; i < j->n; i++)
        kept += deal[i];
    return kept == j->n || (kept == 0 && j->n == j->m);
}

static void add_permutation(struct judge *j, const uint8_t *deal)
{
    if (!is_observed(j, deal))
        memcpy(j->reassignments + j->n_reassignments++ * j->total, deal, j->total);
}

/* Advances to the next choice of the same size, in lexicographic order. False: no more. */
static bool next_choice(uint8_t *deal, size_t all)
{
    size_t ones = 0, at = all;

    while (at > 0 && deal[at - 1]) /* count the trailing ones */
        at--, ones++;
    while (at > 0 && !deal[at - 1])
        at--;
    if (at == 0)
        return false;
    deal[at - 1] = 0;
    memset(deal + at, 1, ones + 1);
    memset(deal + at + ones + 1, 0, all - at - ones - 1);
    return true;
}

static void enumerate_permutations(struct judge *j, double choices)
{
    PS_AUTO(ps_free_ptr) uint8_t *deal = ps_alloc(j->total);

    j->reassignments = ps_alloc_array((size_t)choices, j->total);
    memset(deal, 1, j->n);
    do
        add_permutation(j, deal);
    while (next_choice(deal, j->total));
}

static void draw_permutations(struct judge *j)
{
    PS_AUTO(ps_free_ptr) uint8_t *deal = ps_alloc(j->total);
    uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);

    j->reassignments = ps_alloc_array(DEALS_MAX, j->total);
    memset(deal, 1, j->n);
    for (int k = 0; k < DEALS_MAX; k++) {
        for (size_t i = j->total - 1; i > 0; i--) {
            size_t other;
            uint8_t held = deal[i];

            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            other = (size_t)(seed >> 11) % (i + 1);
            deal[i] = deal[other];
            deal[other] = held;
        }
        add_permutation(j, deal);
    }
}

static void make_permutations(struct judge *j)
{
    double choices = 2 / ps_rank_sum_min_p(j->n, j->m);

    if (choices <= CHOICES_MAX)
        enumerate_permutations(j, choices);
    else
        draw_permutations(j);
}

/* --- Judging all rows --- */

struct ratios {
    double *items;
    size_t n, cap;
};

static void push_ratio(struct ratios *list, double ratio)
{
    PS_RESERVE_ONE(list->items, list->n, list->cap);
    list->items[list->n++] = ratio;
}

/* Returns the ratio of a row after a reassignment; 0 if its ranks do not pass the test. */
static double permutation_ratio(struct judge *j, const struct row *row, const uint32_t *ranks,
                                const uint8_t *deal)
{
    const double *values = j->values + (size_t)row->index * j->total;
    double x[PS_GROUP_MAX], y[PS_GROUP_MAX];
    struct ps_judgement as;
    uint32_t sum = 0;
    size_t n = 0, m = 0;

    for (size_t i = 0; i < j->total; i++)
        sum += deal[i] ? ranks[i] : 0;
    if (ps_rank_deviation(sum, j->n, j->m) < row->limit)
        return 0;
    for (size_t i = 0; i < j->total; i++)
        if (deal[i])
            x[n++] = values[i];
        else
            y[m++] = values[i];
    measure_row(j, x, y, &as);
    return ratio_of(as.delta, noise_of(j, &as, row->floor));
}

/* Collects the ratios by chance: those of every `step`-th row for all reassignments. */
static void permutation_ratios(struct judge *j, const struct row *rows, size_t n, size_t step,
                               struct ratios *out)
{
    uint32_t ranks[2 * PS_GROUP_MAX];
    double ties;

    for (size_t i = 0; i < n && !ps_context_has_ended(); i += step) {
        (void)ps_midranks(j->values + (size_t)rows[i].index * j->total, j->total, ranks, &ties);
        for (size_t k = 0; k < j->n_reassignments; k++) {
            double ratio = permutation_ratio(j, &rows[i], ranks, j->reassignments + k * j->total);

            if (ratio > PS_JUDGE_FACTOR)
                push_ratio(out, ratio);
        }
    }
}

static int compare_descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

static void sort_ratios(struct ratios *list)
{
    if (list->n > 1)
        qsort(list->items, list->n, sizeof *list->items, compare_descending);
}

/* Returns the smallest factor for which at most PS_JUDGE_FDR of the rows above it are expected
 * there by chance. As many ratios of `found` as possible are above the factor. weight: number of
 * rows that one ratio of `chance` stands for. *by_chance: expected number of rows above the factor
 * by chance. */
static double choose_factor(struct ratios *found, struct ratios *chance, double weight,
                            double *by_chance)
{
    sort_ratios(found);
    sort_ratios(chance);
    for (size_t k = found->n; k > 0; k--) {
        double factor = k < found->n ? found->items[k] : PS_JUDGE_FACTOR;
        size_t allowed = (size_t)(PS_JUDGE_FDR * (double)k / weight), above = 0;

        if (allowed < chance->n)
            factor = fmax(factor, chance->items[allowed]);
        /* the k-th ratio is not above the factor: try a smaller k */
        if (found->items[k - 1] <= factor)
            continue;
        while (above < chance->n && chance->items[above] > factor)
            above++;
        *by_chance = (double)above * weight;
        return factor;
    }
    *by_chance = 0;
    return found->n ? found->items[0] : PS_JUDGE_FACTOR;
}

/* Returns the usual noise: the median of noise / size over the rows. */
static double median_noise(const struct judge *j, const struct row *rows, size_t n)
{
    PS_AUTO(ps_free_ptr) double *shares = ps_grow(NULL, n + 1, sizeof *shares);
    size_t known = 0;

    for (size_t i = 0; i < n; i++) {
        const struct ps_judgement *row = &j->judged[rows[i].index];
        double size = fmax(fabs(row->base_median), fabs(row->new_median));

        if (size > 0)
            shares[known++] = hypot(row->base_mad, row->new_mad) / size;
    }
    return known ? ps_group_median(shares, known) : 0;
}

static void set_floors(struct judge *j, struct row *rows, size_t n)
{
    double usual = median_noise(j, rows, n);

    for (size_t i = 0; i < n; i++) {
        struct ps_judgement *row = &j->judged[rows[i].index];

        rows[i].floor =
            PS_JUDGE_FLOOR * usual * fmin(fabs(row->base_median), fabs(row->new_median));
        row->noise = noise_of(j, row, rows[i].floor);
    }
}

static void set_verdict(struct ps_judgement *row, double factor)
{
    bool above = ratio_of(row->delta, row->noise) > factor && row->p_value < PS_JUDGE_ALPHA;

    row->noise *= factor;
    row->verdict = !above ? PS_VERDICT_SAME : row->delta > 0 ? PS_VERDICT_UP : PS_VERDICT_DOWN;
}

/* Judges the large or the small rows. Returns the factor. */
static double judge_rows(struct judge *j, struct row *rows, size_t n, double *by_chance)
{
    struct ratios found = {0}, chance = {0};
    size_t step = n * j->n_reassignments / (WORK_MAX / j->total) + 1;
    double factor;

    set_floors(j, rows, n);
    for (size_t i = 0; i < n; i++) {
        const struct ps_judgement *row = &j->judged[rows[i].index];
        double ratio = row->p_value < PS_JUDGE_ALPHA ? ratio_of(row->delta, row->noise) : 0;

        if (ratio > PS_JUDGE_FACTOR)
            push_ratio(&found, ratio);
    }
    if (found.n)
        permutation_ratios(j, rows, n, step, &chance);
    factor = choose_factor(&found, &chance, (double)step / (double)j->n_reassignments, by_chance);
    for (size_t i = 0; i < n; i++)
        set_verdict(&j->judged[rows[i].index], factor);
    free(found.items);
    free(chance.items);
    return factor;
}

static void judge_all(struct judge *j, struct row *rows, size_t n, struct ps_rule *rule)
{
    PS_AUTO(ps_free_ptr) struct row *parted = ps_grow(NULL, n + 1, sizeof *parted);
    double total = 0, chance_large = 0, chance_small = 0, verdicts = 0;
    size_t large = 0, small = 0;

    for (size_t i = 0; i < n; i++)
        total += fabs(j->judged[i].base_median) + fabs(j->judged[i].new_median);
    for (size_t i = 0; i < n; i++) {
        const struct ps_judgement *row = &j->judged[i];

        if (fabs(row->base_median) + fabs(row->new_median) >= PS_JUDGE_SMALL_SHARE * total)
            parted[large++] = rows[i];
        else
            rows[small++] = rows[i];
    }
    rule->factor = judge_rows(j, parted, large, &chance_large);
    rule->small_factor = judge_rows(j, rows, small, &chance_small);
    for (size_t i = 0; i < n; i++)
        verdicts += j->judged[i].verdict >= PS_VERDICT_UP;
    rule->fdr = verdicts > 0 ? (chance_large + chance_small) / verdicts : 0;
}

/* Sets the noise and the verdicts for groups that are too small to judge, and for single runs. */
static void judge_few(struct judge *j, size_t n_rows)
{
    bool single = j->n == 1 && j->m == 1;

    for (size_t i = 0; i < n_rows; i++) {
        struct ps_judgement *row = &j->judged[i];

        row->noise = PS_JUDGE_FACTOR * noise_of(j, row, 0);
        row->verdict = single ? PS_VERDICT_NONE : PS_VERDICT_TOO_FEW_RUNS;
        if (single)
            row->noise = row->p_value = NAN;
    }
}

void ps_judge_rows(const double *values, size_t n_rows, size_t n_base, size_t n_new,
                   double resolution, struct ps_judgement *judged, struct ps_rule *rule)
{
    PS_AUTO(ps_free_ptr) struct judge *j = ps_alloc(sizeof *j);
    PS_AUTO(ps_free_ptr) struct row *rows = ps_grow(NULL, n_rows + 1, sizeof *rows);
    uint32_t ranks[2 * PS_GROUP_MAX];

    *rule = (struct ps_rule){PS_JUDGE_FACTOR, PS_JUDGE_FACTOR, 0};
    *j = (struct judge){.n = n_base,
                        .m = n_new,
                        .total = n_base + n_new,
                        .resolution = resolution,
                        .values = values,
                        .judged = judged};
    for (size_t i = 0; i < n_rows; i++) {
        const double *row = values + i * j->total;

        rows[i].index = (uint32_t)i;
        measure_row(j, row, row + n_base, &judged[i]);
        judged[i].p_value = rank_row(j, row, ranks, &rows[i].limit);
    }
    if (ps_rank_sum_min_p(n_base, n_new) >= PS_JUDGE_P_MIN) {
        judge_few(j, n_rows);
    } else {
        make_permutations(j);
        judge_all(j, rows, n_rows, rule);
    }
    for (size_t i = 0; i < TABLES; i++)
        free(j->tables[i].p_values);
    free(j->reassignments);
}
