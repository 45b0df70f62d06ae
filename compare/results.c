/* SPDX-License-Identifier: MIT */
#include "compare/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/mem.h"

#define DF_MAX 200 /* more degrees of freedom make no difference */
#define BETWEEN_MAX                                                                                \
    10.0 /* of the logarithms: the largest spread between files that is looked for */
#define BETWEEN_MIN 0.0025 /* the smallest: no machine repeats itself better */
/* The spread between files is such that this share of the rows varies less than it explains: rows
 * that changed are few, or vary more. */
#define QUANTILE   0.75
#define QUANTILE_Z 0.6744897501960817 /* normal values are below it with that probability */
/* Degrees of freedom of that spread per row. By tests/unit/compare/results_simulation_test.c: with
 * 0.8, 2 to 8 of 100 pairs of files without a change have a verdict. */
#define EFFICIENCY  0.4
#define PRIOR_DF    10    /* without rows */
#define QUARTILES   1.349 /* their distance, by the standard deviation of normal values */
#define TRIMMED     8     /* of so many values, the smallest and the largest one do not count */
#define POOL_MIN    8 /* rows of a family from which rows without a spread of their own have one */
#define NINE_OF_TEN 1.2815515655446004 /* normal values are below it with probability 0.9 */
#define TELL_DF     3                  /* with fewer degrees of freedom, no verdict is "too few" */

/* --- One file --- */

struct moments {
    double mean, variance;
    size_t n;
};

/* Welford's method. */
static void add_value(struct moments *of, double value)
{
    const double away = value - of->mean;

    of->n++;
    of->mean += away / (double)of->n;
    of->variance += away * (value - of->mean);
}

static struct ps_result result_of(const struct moments *of)
{
    const double n = (double)of->n;

    return (struct ps_result){.spread = NAN,
                              .center = of->n ? of->mean : (double)NAN,
                              .variance = of->n > 1 ? of->variance / (n - 1) / n : (double)NAN,
                              .df = of->n > 1 ? n - 1 : 0};
}

static int compare_values(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The mean without the smallest and the largest eighth, and its variance, for which these count as
 * their neighbours (K. K. Yuen, The Two-Sample Trimmed t for Unequal Population Variances,
 * Biometrika 61 (1974)). Sorts `values`. */
static struct ps_result trimmed_mean(double *values, size_t n)
{
    const size_t cut = n / TRIMMED, kept = n - 2 * cut;
    struct moments inner = {.n = 0}, all = {.n = 0};
    struct ps_result out;

    if (n < TRIMMED) {
        for (size_t i = 0; i < n; i++)
            add_value(&all, values[i]);
        return result_of(&all);
    }
    qsort(values, n, sizeof *values, compare_values);
    for (size_t i = 0; i < n; i++) {
        const size_t index = i < cut ? cut : i >= n - cut ? n - cut - 1 : i;

        add_value(&all, values[index]);
        if (index == i)
            add_value(&inner, values[i]);
    }
    out = result_of(&inner);
    out.variance = all.variance / (double)(kept * (kept - 1));
    return out;
}

/* The variance of a sample: of many samples by the quartiles, so that outliers do not count. Sorts
 * `values`. */
static double spread_of(double *values, size_t n)
{
    struct moments of = {.n = 0};
    double deviation;

    for (size_t i = 0; n < 2 * PS_RESULT_BATCHES && i < n; i++)
        add_value(&of, values[i]);
    if (of.n)
        return of.n > 1 ? of.variance / (double)(of.n - 1) : (double)NAN;
    qsort(values, n, sizeof *values, compare_values);
    deviation = (values[n - 1 - n / 4] - values[n / 4]) / QUARTILES;
    return deviation * deviation;
}

/* Divides samples into batches of successive ones, unless they are few. */
static struct ps_result result_of_batches(const double *samples, size_t n)
{
    PS_AUTO(ps_free_ptr) double *values = ps_grow(NULL, n + 1, sizeof *values);
    double medians[PS_RESULT_BATCHES];

    memcpy(values, samples, n * sizeof *values);
    if (n < 2 * PS_RESULT_BATCHES)
        return trimmed_mean(values, n);
    for (size_t i = 0; i < PS_RESULT_BATCHES; i++) {
        const size_t from = i * n / PS_RESULT_BATCHES, to = (i + 1) * n / PS_RESULT_BATCHES;

        medians[i] = ps_group_median(values + from, to - from);
    }
    return trimmed_mean(medians, PS_RESULT_BATCHES);
}

static struct ps_result result_of_processes(const double *samples, size_t n, const double *sizes,
                                            size_t n_sizes)
{
    PS_AUTO(ps_free_ptr) double *means = ps_grow(NULL, n_sizes + 1, sizeof *means);
    size_t offset = 0, n_means = 0;

    for (size_t i = 0; i < n_sizes && offset < n; i++) {
        const size_t size = sizes[i] > 0 ? (size_t)fmin(sizes[i], (double)(n - offset)) : 0;
        struct moments of = {.n = 0};

        for (size_t k = 0; k < size; k++)
            add_value(&of, samples[offset + k]);
        if (size)
            means[n_means++] = of.mean;
        offset += size;
    }
    return trimmed_mean(means, n_means);
}

struct ps_result ps_result_of_samples(const double *samples, size_t n, const double *sizes,
                                      size_t n_sizes)
{
    PS_AUTO(ps_free_ptr) double *sorted = ps_grow(NULL, n + 1, sizeof *sorted);
    struct ps_result out = n_sizes < 2 ? result_of_batches(samples, n)
                                       : result_of_processes(samples, n, sizes, n_sizes);

    memcpy(sorted, samples, n * sizeof *sorted);
    out.spread = n ? spread_of(sorted, n) : (double)NAN;
    return out;
}

struct ps_result ps_result_of_mean(double mean, double stddev, double n)
{
    const bool is_known = n > 1 && isfinite(stddev);

    return (struct ps_result){.center = mean,
                              .spread = is_known ? stddev * stddev : (double)NAN,
                              .variance = is_known ? stddev * stddev / n : (double)NAN,
                              .df = is_known ? n - 1 : 0};
}

struct ps_result ps_result_of_interval(double center, double low, double high, double level,
                                       double n)
{
    const double df = fmin(fmax(n - 1, 1), DF_MAX);
    const double error = (high - low) / 2 / ps_student_limit(1 - level, (size_t)df);
    const bool is_known = n > 1 && isfinite(error);

    return (struct ps_result){.center = center,
                              .spread = is_known ? error * error * n : (double)NAN,
                              .variance = is_known ? error * error : (double)NAN,
                              .df = is_known ? n - 1 : 0};
}

struct ps_result ps_result_of_quartiles(double median, double q1, double q3, double n)
{
    const double deviation =
        (q3 - q1) / QUARTILES; /* as for normal samples, as is the error below */

    return ps_result_of_mean(median, deviation * sqrt(M_PI_2), n);
}

/* --- A row --- */

/* What the files say about a row, on its scale. */
struct row {
    double shift;
    double within; /* variance of the shift by what varies within the files; NAN: unknown */
    double within_df;
    double spread; /* variance of a sample; NAN: unknown */
    double weight; /* its variance between files, in that of the family */
    double share;  /* variance of the shift per variance between files: 1 / n + 1 / m */
    double own;    /* variance of a file, or of the difference of a pair, by the files */
    double own_df; /* 0: each group has one file */
};

struct group {
    struct moments centers;
    double variance, df_sum; /* sum of the variances, and of their squares by their df */
    double spread;           /* sum of the variances of a sample */
    bool lacks_spread;
};

/* The scale on which the centers of a row are compared: 0: logarithms; else what they are divided
 * by, since a center is not above 0. */
static double scale_of(const struct ps_result *files, size_t n)
{
    double largest = 0;
    bool is_positive = true;

    for (size_t i = 0; i < n; i++) {
        is_positive &= !(files[i].center <= 0);
        largest = fmax(largest, fabs(files[i].center));
    }
    return is_positive ? 0 : largest > 0 ? largest : 1;
}

static double scaled(double center, double scale)
{
    return scale > 0 ? center / scale : log(center);
}

static void add_file(struct group *group, const struct ps_result *file, double resolution,
                     double scale)
{
    const double unit = scale > 0 ? scale : file->center, rounding = resolution * resolution / 12,
                 variance = (file->variance + rounding) / unit / unit;

    if (isnan(file->center))
        return;
    add_value(&group->centers, scaled(file->center, scale));
    group->lacks_spread |= isnan(variance);
    group->variance += variance;
    group->spread += file->spread / unit / unit;
    group->df_sum += file->df > 0 ? variance * variance / file->df : 0;
}

/* Satterthwaite: the degrees of freedom of a sum of variances. */
static double sum_df(double sum, double squares_by_df)
{
    return squares_by_df > 0 ? fmin(sum * sum / squares_by_df, DF_MAX) : DF_MAX;
}

static void measure_groups(const struct ps_result_row *from, size_t n, size_t m, struct row *out)
{
    struct group groups[2] = {{.variance = 0}};
    const double scale = scale_of(from->files, n + m);
    double counts[2], squares = 0;

    for (size_t i = 0; i < n + m; i++)
        add_file(&groups[i >= n], &from->files[i], from->resolution, scale);
    *out = (struct row){.shift = NAN, .within = NAN, .own = NAN, .weight = 1};
    if (!groups[0].centers.n || !groups[1].centers.n)
        return;
    out->shift = groups[1].centers.mean - groups[0].centers.mean;
    out->within = 0;
    for (int side = 0; side < 2; side++) {
        counts[side] = (double)groups[side].centers.n;
        out->within += groups[side].lacks_spread
                           ? (double)NAN
                           : groups[side].variance / counts[side] / counts[side];
        squares += groups[side].df_sum / pow(counts[side], 4);
    }
    out->within_df = isnan(out->within) ? 0 : sum_df(out->within, squares);
    out->spread = (groups[0].spread / counts[0] + groups[1].spread / counts[1]) / 2;
    out->share = 1 / counts[0] + 1 / counts[1];
    out->own_df = counts[0] + counts[1] - 2;
    if (out->own_df > 0)
        out->own = (groups[0].centers.variance + groups[1].centers.variance) / out->own_df;
}

static void measure_pairs(const struct ps_result_row *from, size_t n, const uint32_t *pairs,
                          struct row *out)
{
    const double scale = scale_of(from->files, 2 * n);
    struct moments shifts = {.n = 0};
    struct row groups;

    measure_groups(from, n, n, &groups);
    *out = groups;
    for (size_t i = 0; i < n; i++) {
        const double base = from->files[i].center, now = from->files[n + pairs[i]].center;

        if (!isnan(base) && !isnan(now))
            add_value(&shifts, scaled(now, scale) - scaled(base, scale));
    }
    if (shifts.n < 2)
        return;
    out->shift = shifts.mean;
    out->share = 1 / (double)shifts.n;
    out->own_df = (double)shifts.n - 1;
    out->own = shifts.variance / out->own_df;
    out->within = 0; /* the shifts contain it */
}

/* --- The noise between files --- */

/* Rows of one family; each list has n rows. */
struct family {
    struct row *rows;
    const uint32_t *indices;
    size_t n;
    double between[2]; /* variance between files for rows that became less, more */
    double between_df[2];
};

/* The value below which a chi-squared value, divided by its degrees of freedom, is with probability
 * QUANTILE (Wilson and Hilferty). */
static double quantile_of_chi(double df)
{
    const double part = 2 / (9 * df), root = 1 - part + QUANTILE_Z * sqrt(part);

    return root * root * root;
}

/* Whether the observed variance of a row is above the quantile for this variance between files.
 * Without own files, the observed variance is the square of the shift. */
static bool is_above(const struct row *row, bool by_files, double between)
{
    const double df = by_files ? row->own_df : 1,
                 observed = by_files ? row->own : row->shift * row->shift,
                 within = isnan(row->within) ? 0 : row->within,
                 expected = by_files ? within / row->share + between
                                     : within + between * row->share * row->weight;

    return observed > quantile_of_chi(df) * expected;
}

static bool counts(const struct row *row, bool by_files, int side)
{
    if (by_files)
        return row->own_df > 0;
    return side ? row->shift < 0 : row->shift > 0;
}

/* The variance between files at which the share QUANTILE of the rows is below the quantile. */
static void find_between(struct family *family, bool by_files, int side)
{
    double low = BETWEEN_MIN, high = BETWEEN_MAX, prior;
    size_t n = 0;

    for (size_t i = 0; i < family->n; i++)
        n += counts(&family->rows[family->indices[i]], by_files, side);
    prior = fmax(0, (by_files ? 1 : 1 / (1 - QUANTILE) - 1) * (PS_RESULT_PRIOR_ROWS - (double)n));
    for (int step = 0; step < 40; step++) {
        const double middle = (low + high) / 2, between = middle * middle;
        double above = middle < PS_RESULT_BETWEEN ? prior : 0;

        for (size_t i = 0; i < family->n; i++) {
            const struct row *row = &family->rows[family->indices[i]];

            above += counts(row, by_files, side) && is_above(row, by_files, between);
        }
        if (above > ((double)n + prior) * (1 - QUANTILE))
            low = middle;
        else
            high = middle;
    }
    family->between[side] = low * low;
    family->between_df[side] =
        fmin(fmax(EFFICIENCY * (double)n, PRIOR_DF - EFFICIENCY * (double)n), DF_MAX);
}

/* --- Rows that are noisier than others --- */

/* The median of the variances of a sample over the rows; NAN: unknown, or 0. */
static double usual_spread(const struct family *family)
{
    PS_AUTO(ps_free_ptr) double *spreads = ps_grow(NULL, family->n + 1, sizeof *spreads);
    size_t n = 0;
    double median;

    for (size_t i = 0; i < family->n; i++) {
        const double spread = family->rows[family->indices[i]].spread;

        if (spread > 0)
            spreads[n++] = spread;
    }
    median = ps_group_median(spreads, n);
    return median > 0 ? median : (double)NAN;
}

/* part: of the variance between files, what is in proportion to the variance of a sample. */
static void set_weights(struct family *family, double part, double usual)
{
    for (size_t i = 0; i < family->n; i++) {
        struct row *row = &family->rows[family->indices[i]];
        const double ratio = row->spread / usual;

        row->weight = isnan(ratio) ? 1 : 1 - part + part * ratio;
    }
}

/* The logarithm of the likelihood of the shifts by which the noise between files is judged. */
static double likelihood(const struct family *family, int side)
{
    double sum = 0;

    for (size_t i = 0; i < family->n; i++) {
        const struct row *row = &family->rows[family->indices[i]];
        const double variance = (isnan(row->within) ? 0 : row->within) +
                                row->share * row->weight * family->between[side];

        if (counts(row, false, side))
            sum -= log(variance) + row->shift * row->shift / variance;
    }
    return sum;
}

/* Finds the noise between files from the rows of one side, and how it depends on the spread of the
 * samples. */
static void find_noise(struct family *family, int side)
{
    static const double parts[] = {0, 0.5, 0.95};
    const double usual = usual_spread(family);
    double best = 0, greatest = 0;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double value;

        set_weights(family, parts[i], usual);
        find_between(family, false, side);
        value = likelihood(family, side);
        if (i == 0 || value > greatest)
            greatest = value, best = parts[i];
    }
    set_weights(family, best, usual);
    find_between(family, false, side);
}

/* The second derivative of the logarithm of the gamma function (M. Abramowitz, I. A. Stegun, 6.4.6
 * and 6.4.12). */
static double trigamma(double x)
{
    double sum = 0, y;

    for (; x < 6; x++)
        sum += 1 / (x * x);
    y = 1 / (x * x);
    return sum + 1 / x + y / 2 + y / x * (1.0 / 6 - y * (1.0 / 30 - y / 42));
}

/* The x of trigamma(x), which decreases. */
static double invert_trigamma(double value)
{
    double low = 1e-3, high = DF_MAX;

    for (int step = 0; step < 50; step++) {
        const double middle = (low + high) / 2;

        if (trigamma(middle) > value)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The usual variance of a file, or of the difference of a pair, in a row. */
static double usual_variance(const struct family *family, const struct row *row)
{
    const double within = isnan(row->within) ? 0 : row->within / row->share;

    return within + family->between[0];
}

/* How much a row has to be like the others: the degrees of freedom of their common variance. They
 * are few if the variances of the rows differ by more than chance explains. */
static double likeness_df(const struct family *family)
{
    struct moments of = {.n = 0};
    double expected = 0;

    for (size_t i = 0; i < family->n; i++) {
        const struct row *row = &family->rows[family->indices[i]];
        const double usual = usual_variance(family, row);

        if (row->own_df > 0 && row->own > 0 && usual > 0) {
            add_value(&of, log(row->own / usual));
            expected += trigamma(row->own_df / 2);
        }
    }
    if (of.n < 4)
        return PRIOR_DF;
    expected = of.variance / (double)(of.n - 1) - expected / (double)of.n;
    return expected > 0 ? fmin(2 * invert_trigamma(expected), family->between_df[0])
                        : family->between_df[0];
}

/* --- Verdicts --- */

static void test_by_files(const struct family *family, const struct row *row, double likeness,
                          struct ps_result_verdict *out)
{
    const double usual = usual_variance(family, row),
                 own = row->own_df > 0 ? row->own * row->own_df : 0,
                 variance = (likeness * usual + own) / (likeness + row->own_df) * row->share;

    out->error = sqrt(isnan(row->within) ? variance : fmax(variance, row->within));
    out->df = fmin(likeness + row->own_df, DF_MAX);
}

/* The spread between files is what the shifts of the other rows have beyond their spread within the
 * files, so that the sum of both is at most as certain as the spread of the shifts. */
static void test_by_rows(const struct family *family, const struct row *row,
                         struct ps_result_verdict *out)
{
    const int side = row->shift > 0;
    const double between = row->share * row->weight * family->between[side],
                 sum = row->within + between, df = family->between_df[side];
    double squares = between * between / df;

    squares += row->within_df > 0 ? row->within * row->within / row->within_df : 0;
    out->error = sqrt(sum);
    out->df = fmin(sum_df(sum, squares), df);
}

static void test_row(const struct family *family, const struct row *row, bool by_files,
                     double likeness, struct ps_result_verdict *out)
{
    const bool is_pooled = by_files && family->n >= POOL_MIN;

    *out = (struct ps_result_verdict){
        .shift = row->shift, .error = NAN, .noise = NAN, .half = NAN, .seen = NAN, .p_value = NAN};
    if (isnan(row->shift))
        return;
    if (isnan(row->within) && row->own_df + (is_pooled ? likeness : 0) < POOL_MIN) {
        out->verdict = row->own_df > 0 ? PS_VERDICT_TOO_FEW_RUNS : PS_VERDICT_NONE;
        return;
    }
    if (by_files)
        test_by_files(family, row, likeness, out);
    else
        test_by_rows(family, row, out);
    out->verdict = out->df < TELL_DF ? PS_VERDICT_TOO_FEW_RUNS : PS_VERDICT_SAME;
    out->p_value = out->error > 0
                       ? ps_student_p(fabs(row->shift) / out->error, (size_t)fmax(out->df, 1))
                   : row->shift != 0 ? 0
                                     : 1;
}

static void judge_family(struct family *family, struct ps_result_verdict *verdicts)
{
    bool by_files = false;
    double likeness = 0;

    for (size_t i = 0; i < family->n; i++)
        by_files |= family->rows[family->indices[i]].own_df > 0;
    if (by_files) {
        find_between(family, true, 0);
        likeness = likeness_df(family);
    }
    for (int side = 0; side < 2; side++) {
        if (!by_files)
            find_noise(family, side);
        for (size_t i = 0; i < family->n; i++) {
            const struct row *row = &family->rows[family->indices[i]];

            if ((row->shift > 0) == side)
                test_row(family, row, by_files, likeness, &verdicts[family->indices[i]]);
        }
    }
}

/* The greatest p of a verdict (Benjamini and Hochberg), or that of a single one. */
static double greatest_p(const struct ps_result_verdict *verdicts, size_t n_rows)
{
    PS_AUTO(ps_free_ptr) double *p = ps_alloc_array(n_rows + 1, sizeof *p);
    size_t n = 0;

    for (size_t i = 0; i < n_rows; i++)
        if (!isnan(verdicts[i].p_value))
            p[n++] = verdicts[i].p_value;
    qsort(p, n, sizeof *p, compare_values);
    for (size_t k = n; k > 0; k--)
        if (p[k - 1] <= PS_RESULT_FDR * (double)k / (double)n)
            return PS_RESULT_FDR * (double)k / (double)n;
    return n ? PS_RESULT_FDR / (double)n : 0;
}

static void set_verdicts(struct ps_result_verdict *verdicts, size_t n)
{
    const double limit = greatest_p(verdicts, n);
    double limits[DF_MAX + 1] = {0}, halves[DF_MAX + 1];

    for (size_t i = 0; i < n; i++) {
        struct ps_result_verdict *row = &verdicts[i];
        const size_t df = (size_t)fmax(row->df, 1);

        if (isnan(row->p_value))
            continue;
        if (limits[df] == 0) {
            limits[df] = ps_student_limit(limit, df);
            halves[df] = ps_student_limit(1 - PS_JUDGE_CONFIDENCE, df);
        }
        row->noise = limits[df] * row->error;
        row->half = halves[df] * row->error;
        row->seen = row->noise + NINE_OF_TEN * row->error;
        if (row->p_value <= limit)
            row->verdict = row->shift > 0 ? PS_VERDICT_UP : PS_VERDICT_DOWN;
    }
}

/* Sorts the indices of the rows by family, and judges each family. */
static void judge_families(const struct ps_result_row *rows, struct row *measured, size_t n,
                           struct ps_result_verdict *verdicts)
{
    PS_AUTO(ps_free_ptr) uint32_t *indices = ps_grow(NULL, n + 1, sizeof *indices);
    uint32_t n_families = 0;

    for (size_t i = 0; i < n; i++)
        if (rows[i].family >= n_families)
            n_families = rows[i].family + 1;
    for (uint32_t k = 0; k < n_families; k++) {
        struct family family = {.rows = measured, .indices = indices};

        for (size_t i = 0; i < n; i++)
            if (rows[i].family == k)
                indices[family.n++] = (uint32_t)i;
        judge_family(&family, verdicts);
    }
}

void ps_results_judge(const struct ps_result_row *rows, size_t n_rows, size_t n_base, size_t n_new,
                      const uint32_t *pairs, struct ps_result_verdict *verdicts)
{
    PS_AUTO(ps_free_ptr) struct row *measured = ps_grow(NULL, n_rows + 1, sizeof *measured);

    for (size_t i = 0; i < n_rows && !ps_context_has_ended(); i++)
        if (pairs)
            measure_pairs(&rows[i], n_base, pairs, &measured[i]);
        else
            measure_groups(&rows[i], n_base, n_new, &measured[i]);
    if (ps_context_has_ended())
        return;
    judge_families(rows, measured, n_rows, verdicts);
    set_verdicts(verdicts, n_rows);
}
