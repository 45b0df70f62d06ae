/* SPDX-License-Identifier: MIT */
/* arrivals.c: transfer time, waiting and last rank of matched calls; see arrivals.h. */
#include "server/query/ranks/arrivals.h"

#include "slices/intervals.h"

int64_t ps_rank_arrival(const struct ps_rank_call *call, const struct ps_rank_clocks *clocks)
{
    return ps_add_saturated(call->start_ns, -clocks->offset_ns[call->rank]);
}

static void compare_durations(const struct ps_rank_call *calls, struct ps_rank_op *op)
{
    op->transfer_ns = calls[0].duration_ns;
    for (uint32_t i = 1; i < op->n; i++)
        if (calls[i].duration_ns < op->transfer_ns)
            op->transfer_ns = calls[i].duration_ns;
    op->wait_ns = 0;
    for (uint32_t i = 0; i < op->n; i++)
        op->wait_ns = ps_add_saturated(op->wait_ns, calls[i].duration_ns - op->transfer_ns);
}

static bool are_comparable(const struct ps_rank_call *calls, uint32_t n,
                           const struct ps_rank_clocks *clocks)
{
    for (uint32_t i = 0; i < n; i++)
        if (clocks->component[calls[i].rank] != clocks->component[calls[0].rank] ||
            !clocks->component[calls[i].rank])
            return false;
    return true;
}

static void compare_arrivals(const struct ps_rank_call *calls, const struct ps_rank_clocks *clocks,
                             struct ps_rank_op *op)
{
    int64_t first = INT64_MAX, next = INT64_MIN, last = INT64_MIN;
    uint16_t rank = PS_RANK_NONE;

    op->last = PS_RANK_NONE;
    op->spread_ns = 0;
    if (!are_comparable(calls, op->n, clocks))
        return;
    for (uint32_t i = 0; i < op->n; i++) {
        int64_t ns = ps_rank_arrival(&calls[i], clocks);

        first = ns < first ? ns : first;
        if (ns > last) {
            next = last;
            last = ns;
            rank = calls[i].rank;
        } else if (ns > next) {
            next = ns;
        }
    }
    op->spread_ns = last - first;
    if (last - next > clocks->error_ns)
        op->last = rank;
}

void ps_rank_calls_compare(struct ps_rank_calls *calls, const struct ps_rank_clocks *clocks)
{
    for (size_t i = 0; i < calls->n_ops; i++) {
        struct ps_rank_op *op = &calls->ops[i];

        compare_durations(&calls->items[op->first], op);
        compare_arrivals(&calls->items[op->first], clocks, op);
    }
}
