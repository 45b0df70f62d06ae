/* SPDX-License-Identifier: MIT */
/* odd_step.h: when one step of a trace dominates the time of all, so that the mean step is like
 * none of them. */
#ifndef PS_QUERY_TRACE_ODD_STEP_H
#define PS_QUERY_TRACE_ODD_STEP_H

#include <stdbool.h>
#include <stddef.h>

/* Without the step the mean would be less than 80 % of what it is. */
#define PS_ODD_STEP_OF_ALL  0.20
#define PS_ODD_STEP_MEDIANS 10 /* median steps that the step is as long as, at least */
#define PS_ODD_STEP_LEAST   3  /* steps */

/* The longest of n steps, their median, and the sum of all, in the same unit. */
static inline bool ps_step_dominates(double longest, double median, double all, size_t n)
{
    return n >= PS_ODD_STEP_LEAST && longest >= PS_ODD_STEP_OF_ALL * all &&
           longest >= PS_ODD_STEP_MEDIANS * median;
}

#endif
