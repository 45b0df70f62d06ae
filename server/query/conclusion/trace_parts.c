/* SPDX-License-Identifier: MIT */
/* trace_parts.c: parts of the steps of a trace, as seconds and shares. */
#include <math.h>

#include "server/query/conclusion/trace_causes.h"

double ps_trace_host_seconds(const double parts_s[PS_N_ROLES + 1])
{
    return parts_s[PS_ROLE_RUNTIME] + parts_s[PS_ROLE_CPU] + parts_s[PS_N_ROLES];
}

double ps_trace_time_share(const struct ps_trace_time *trace, int64_t ns)
{
    return (double)ns / 1e9 / trace->divisor / trace->wall_s;
}

double ps_trace_time_left(const struct ps_trace_time *trace, size_t role)
{
    return fmax(trace->parts_s[role] - trace->captures_s[role] - trace->overhead_s[role] -
                    trace->start_up_s[role] - trace->queued_s[role],
                0);
}

void ps_trace_divide_within(const struct ps_trace_time *trace, uint32_t w,
                            const struct ps_intervals *within, double seconds[PS_N_ROLES + 1])
{
    const struct ps_trace_worker *worker = &trace->workers[w];
    const struct ps_worker_sums *sums = &trace->sums.workers[w];
    size_t first = 0;

    for (size_t i = 0; i < worker->steps.n; i++) {
        const struct ps_interval step = worker->steps.items[i];

        while (first < within->n && within->items[first].end <= step.start)
            first++;
        for (size_t k = first; k < within->n; k++) {
            const struct ps_interval inner = within->items[k];
            struct ps_part parts[PS_PARTS_MAX];
            size_t n;

            if (inner.start >= step.end)
                break;
            n = ps_breakdown_compute(PS_BREAKDOWN_TENSORBOARD, sums->roles, NULL,
                                     inner.start > step.start ? inner.start : step.start,
                                     inner.end < step.end ? inner.end : step.end, parts);
            for (size_t role = 0; role < n; role++)
                seconds[role] += (double)parts[role].ns / 1e9 / trace->divisor;
        }
    }
}

bool ps_trace_has_odd_step(const struct ps_trace_time *trace)
{
    return !trace->odd.is_left_out && trace->has_marks && trace->n_steps > 2 &&
           (trace->odd.is_said ||
            trace->longest_s > PS_ODD_STEP_SHARE * trace->wall_s * trace->divisor);
}
