/* SPDX-License-Identifier: MIT */
#include "compare/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "compare/drift.h"
#include "compare/modes.h"

/* Of `pyperf check`. */
#define MINIMUM_MAX 0.5
#define MAXIMUM_MIN 1.5
/* Of hyperfine: median absolute deviations by which a slow first run exceeds the median. */
#define FIRST_DEVIATIONS 14.826
#define FIRST_MIN        1.1  /* a first sample that is closer to the median is no warm-up */
#define EFFECT_MIN       0.05 /* drifts and distances of modes that are smaller are not reported */
/* With fewer different values, order and clusters may be those of the clock's ticks. */
#define DISTINCT_MIN 8

static int compare_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Returns a sorted copy, which the caller frees. */
static double *sorted_copy(const double *values, size_t n)
{
    double *copy = ps_alloc_array(n + 1, sizeof *copy);

    memcpy(copy, values, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, compare_ascending);
    return copy;
}

static size_t count_distinct(const double *sorted, size_t n)
{
    size_t count = n > 0;

    for (size_t i = 1; i < n; i++)
        count += sorted[i] != sorted[i - 1];
    return count;
}

static double median_of(const double *values, size_t n)
{
    PS_AUTO(ps_free_ptr) double *copy = sorted_copy(values, n);

    return ps_group_median(copy, n);
}

static void find_spread(const struct ps_sample_summary *s, struct ps_sample_findings *out)
{
    if (!(s->mean > 0) || !(s->n > 1))
        return;
    if (s->stddev >= PS_UNSTABLE_SPREAD * s->mean)
        out->spread = s->stddev / s->mean;
    if (s->min <= MINIMUM_MAX * s->mean)
        out->minimum = s->min / s->mean;
    if (s->max >= MAXIMUM_MIN * s->mean)
        out->maximum = s->max / s->mean;
}

static void find_slow_first(const double *samples, size_t n, struct ps_sample_findings *out)
{
    PS_AUTO(ps_free_ptr) double *distances = NULL;
    double median;

    if (n <= PS_FEW_SAMPLES)
        return;
    median = median_of(samples + 1, n - 1);
    distances = ps_alloc_array(n, sizeof *distances);
    for (size_t i = 1; i < n; i++)
        distances[i - 1] = fabs(samples[i] - median);
    if (median > 0 && samples[0] >= FIRST_MIN * median &&
        samples[0] - median > FIRST_DEVIATIONS * ps_group_median(distances, n - 1))
        out->first = samples[0] / median;
}

/* The values whose order is tested: the mean of each process, since the samples of a process are
 * not independent of each other; else the samples, of more than PS_GROUP_MAX the medians of as many
 * stretches. *n_out: their number. */
static void read_series(const double *samples, size_t n, const double *processes,
                        size_t n_processes, double out[PS_GROUP_MAX], size_t *n_out)
{
    const size_t parts = n_processes > 1 ? n_processes : n;
    size_t from = 0, sample = 0;

    *n_out = parts < PS_GROUP_MAX ? parts : PS_GROUP_MAX;
    for (size_t i = 0; i < *n_out; i++) {
        const size_t end_part = parts * (i + 1) / *n_out;
        const size_t first = sample;

        if (n_processes > 1)
            for (; from < end_part; from++)
                sample += (size_t)processes[from];
        else
            sample = end_part;
        out[i] = sample > first && sample <= n ? median_of(samples + first, sample - first) : NAN;
    }
}

static bool are_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static void find_drift(const double *samples, size_t n, const double *processes, size_t n_processes,
                       struct ps_sample_findings *out)
{
    const size_t skipped = isfinite(out->first) && n_processes <= 1; /* a warm-up is no drift */
    double series[PS_GROUP_MAX], median;
    struct ps_drift drift;
    size_t length;

    read_series(samples + skipped, n - skipped, processes, n_processes, series, &length);
    if (length < DISTINCT_MIN || !are_finite(series, length))
        return;
    median = median_of(series, length);
    drift = ps_drift_find(series, length);
    if (drift.p_value >= PS_DRIFT_ALPHA || !(median > 0) ||
        fabs(drift.slope) * (double)(length - 1) < EFFECT_MIN * median)
        return;
    out->drift = drift.slope * (double)(length - 1) / median;
    out->drift_p = drift.p_value;
}

/* Of more than PS_GROUP_MAX samples, as many that are evenly spaced by rank. */
static void find_modes(const double *sorted, size_t n, struct ps_sample_findings *out)
{
    const size_t used = n < PS_GROUP_MAX ? n : PS_GROUP_MAX;
    double values[PS_GROUP_MAX];
    struct ps_modes modes;

    for (size_t i = 0; i < used; i++)
        values[i] = sorted[(2 * i + 1) * n / (2 * used)];
    if (count_distinct(values, used) < DISTINCT_MIN || !ps_modes_find(values, used, &modes) ||
        modes.p_value >= PS_MODES_ALPHA || modes.high - modes.low < EFFECT_MIN * fabs(modes.low))
        return;
    out->low = modes.low;
    out->high = modes.high;
    out->modes_p = modes.p_value;
    out->n_low = modes.n_low * n / used;
}

void ps_sample_findings_get(const struct ps_sample_summary *summary, const double *samples,
                            size_t n, const double *processes, size_t n_processes,
                            struct ps_sample_findings *out)
{
    PS_AUTO(ps_free_ptr) double *sorted = NULL;

    *out = (struct ps_sample_findings){.are_few = summary->n < PS_FEW_SAMPLES,
                                       .spread = NAN,
                                       .minimum = NAN,
                                       .maximum = NAN,
                                       .first = NAN,
                                       .drift = NAN,
                                       .drift_p = NAN,
                                       .low = NAN,
                                       .high = NAN,
                                       .modes_p = NAN};
    find_spread(summary, out);
    if (n < 2 || !are_finite(samples, n))
        return;
    sorted = sorted_copy(samples, n);
    out->are_sorted = count_distinct(sorted, n) >= DISTINCT_MIN &&
                      memcmp(sorted, samples, n * sizeof *sorted) == 0;
    if (!out->are_sorted) {
        if (n_processes <= 1)
            find_slow_first(samples, n, out);
        find_drift(samples, n, processes, n_processes, out);
    }
    find_modes(sorted, n, out);
}
