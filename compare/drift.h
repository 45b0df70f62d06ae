/* SPDX-License-Identifier: MIT */
/*
 * drift.h: whether values grow or fall steadily in the order in which they were measured, as when a
 * machine becomes warm.
 *
 * The test is that of H. B. Mann, Nonparametric Tests against Trend, Econometrica 13 (1945), and
 * M. G. Kendall, Rank Correlation Methods (1948): exact without equal values, else the normal
 * approximation with corrections for ties and continuity. The slope is the median of the slopes
 * between any two values (H. Theil 1950; P. K. Sen, Estimates of the Regression Coefficient Based
 * on Kendall's Tau, JASA 63 (1968)).
 */
#ifndef PS_COMPARE_DRIFT_H
#define PS_COMPARE_DRIFT_H

#include "compare/stats.h"

#define PS_DRIFT_ALPHA 0.01

struct ps_drift {
    double slope;   /* from one value to the next */
    double p_value; /* two-sided; 1 with fewer than two values */
};

/* n is at most PS_GROUP_MAX. */
struct ps_drift ps_drift_find(const double *values, size_t n);

#endif
