/* SPDX-License-Identifier: MIT */
/*
 * samples.h: what is wrong with the samples of one measurement, such as a large spread, a slow
 * first sample or two modes. The limits are those of `pyperf check` (spread, minimum, maximum) and
 * of hyperfine (first sample), so that both tools and this program warn of the same results.
 */
#ifndef PS_COMPARE_SAMPLES_H
#define PS_COMPARE_SAMPLES_H

#include "compare/stats.h"

/* Two groups of fewer samples have no rank sum p value below 0.01: no change can be found. */
#define PS_FEW_SAMPLES 5

/* Standard deviation / mean from which a measurement is unstable, as for `pyperf check`. */
#define PS_UNSTABLE_SPREAD 0.1

/* Values that are not a finding are NAN. */
struct ps_sample_findings {
    bool are_few;     /* fewer than PS_FEW_SAMPLES */
    bool are_sorted;  /* by size: their order says nothing about warm-up and drift */
    double spread;    /* standard deviation / mean, from PS_UNSTABLE_SPREAD */
    double minimum;   /* minimum / mean, up to 0.5 */
    double maximum;   /* maximum / mean, from 1.5 */
    double first;     /* first sample / median of the others, if it is far above them */
    double drift;     /* change from the first sample to the last / median */
    double drift_p;   /* p value of the drift */
    double low, high; /* medians of two modes */
    double modes_p;   /* p value of the modes */
    size_t n_low;     /* samples in the lower mode; exact up to PS_GROUP_MAX samples */
};

/* A summary of the samples; NAN: unknown. */
struct ps_sample_summary {
    double n, mean, stddev, min, max;
};

/* samples: in the order in which they were measured; n 0: only the summary is known. processes: the
 * number of samples of each process, in order; n_processes 0: one process, or unknown. */
void ps_sample_findings_get(const struct ps_sample_summary *summary, const double *samples,
                            size_t n, const double *processes, size_t n_processes,
                            struct ps_sample_findings *out);

#endif
