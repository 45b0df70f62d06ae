/* SPDX-License-Identifier: MIT */
/* time_range.h: times of damaged runs, which may be any numbers. */
#ifndef PS_QUERY_TRACE_TIME_RANGE_H
#define PS_QUERY_TRACE_TIME_RANGE_H

#include "server/runfile/trace.h"

/* Limit for the ends of a range in ns: longer than any trace, but differences of two ends do not
 * overflow. The functions below limit times to this on both sides of 0. */
#define PS_TRACE_NS_MAX (INT64_MAX / 4)

static inline int64_t ps_limit_ns(int64_t ns)
{
    return ns < -PS_TRACE_NS_MAX ? -PS_TRACE_NS_MAX : ns > PS_TRACE_NS_MAX ? PS_TRACE_NS_MAX : ns;
}

static inline struct ps_range ps_range_limit(int64_t from_ns, int64_t to_ns)
{
    return (struct ps_range){ps_limit_ns(from_ns), ps_limit_ns(to_ns)};
}

/* The end of what starts then and takes so long. */
static inline int64_t ps_end_ns(int64_t start_ns, int64_t duration_ns)
{
    int64_t end;

    return __builtin_add_overflow(start_ns, duration_ns, &end) ? PS_TRACE_NS_MAX : end;
}

#endif
