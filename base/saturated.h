/* SPDX-License-Identifier: MIT */
/* saturated.h: sums that stop at the limits of their type: profiles may contain any numbers. */
#ifndef PS_BASE_SATURATED_H
#define PS_BASE_SATURATED_H

#include <stdint.h>

static inline int64_t ps_add_saturated(int64_t a, int64_t b)
{
    int64_t sum;

    return !__builtin_add_overflow(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t ps_subtract_saturated(int64_t a, int64_t b)
{
    int64_t difference;

    return !__builtin_sub_overflow(a, b, &difference) ? difference : a < 0 ? INT64_MIN : INT64_MAX;
}

#endif
