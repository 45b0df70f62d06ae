/* SPDX-License-Identifier: MIT */
/*
 * arrivals.h: who arrives last at the collectives of a job, and by how much. Knows no run file.
 *
 * Calls of one collective on several ranks are matched, the clocks of the ranks are aligned, then
 * the arrivals are compared:
 *
 *     struct ps_rank_calls calls = {.n_ranks = 2};
 *
 *     calls.keys[calls.n_keys++] = ...; calls.items[calls.n++] = ...;
 *     ps_rank_calls_match(&calls);            calls.ops: the collectives
 *     ps_rank_clocks_align(&calls, &clocks);
 *     ps_rank_calls_compare(&calls, &clocks);
 *     ps_rank_calls_free(&calls);
 *     ps_rank_clocks_free(&clocks);
 *
 * Matching. Calls with a sequence number (`Seq` of torch 2.6 and later) match if process group,
 * name and sequence number are equal. Other calls match by order: the k-th call of a group and name
 * on each rank, if all ranks of the group have the same number of them; else the k-th within the
 * same step, if the numbers are equal there. The order is verified at the ends of the calls, which
 * must agree once the clocks are aligned. Everything else is not matched, and counted.
 *
 * Clocks. No rank can leave an all-reduce, all-gather, reduce-scatter, all-to-all or barrier before
 * the last one has arrived, and all leave it within microseconds. So the differences between the
 * ends of one call show the differences between clocks. The offset of a rank is the median over
 * these calls. Traces that were recorded on one machine need it as well: device times are
 * converted to the clock of the host for each device.
 *
 * Arrivals. A call arrives when its kernel starts. Transfer time is the shortest duration of the
 * matched calls, because the rank that arrives last does not wait; the rest of the others is
 * waiting, as in TensorBoard's distributed view (torch-tb-profiler 0.4). Both need no clocks. The
 * last rank does: it is the one with the latest arrival on aligned clocks, unless the next to last
 * is closer than the error of the clocks.
 */
#ifndef PS_QUERY_RANKS_ARRIVALS_H
#define PS_QUERY_RANKS_ARRIVALS_H

#include "base/mem.h"

#define PS_RANK_NONE UINT16_MAX /* no rank: nobody arrives last */
#define PS_STEP_NONE UINT16_MAX /* outside of the steps */

/* What calls have in common that belong to one collective of one process group. */
struct ps_rank_key {
    struct ps_str name;  /* of the collective if the file states it, else of the kernel */
    struct ps_str group; /* name and description of the process group; "": not in the file */
    uint32_t group_size; /* ranks of the group; 0: not in the file */
    bool has_sequence;
    bool is_synchronous;    /* no rank leaves before the last one has arrived */
    bool is_point_to_point; /* send or receive: two calls with different names, not matched */
    /* set by ps_rank_clocks_align: 95 % of the ends of two ranks, each corrected by the median
     * difference of its rank, differ by at most error_ns */
    bool aligns_clocks;
    int64_t error_ns;
};

/* Limit of times and durations, 13 days: sums of them over a chain of ranks do not overflow. */
#define PS_RANK_TIME_MAX (INT64_C(1) << 50)
static inline int64_t ps_rank_limit_time(int64_t ns)
{
    return ns < -PS_RANK_TIME_MAX  ? -PS_RANK_TIME_MAX
           : ns > PS_RANK_TIME_MAX ? PS_RANK_TIME_MAX
                                   : ns;
}

struct ps_rank_call {
    /* on the clock of the rank, from its origin; at most PS_RANK_TIME_MAX */
    int64_t start_ns, duration_ns;
    int64_t slice; /* id of the slice */
    int64_t bytes; /* size of the message; 0: not in the file */
    int64_t sequence;
    uint32_t key;  /* index in keys */
    uint32_t op;   /* set by ps_rank_calls_match */
    uint16_t rank; /* index of the rank */
    uint16_t step; /* index of the step; PS_STEP_NONE */
};

/* The matched calls of one collective. */
struct ps_rank_op {
    uint32_t first, n; /* its calls: items[first] ... items[first + n - 1], by rank */
    uint32_t key;
    uint16_t step;                  /* of its first call; PS_STEP_NONE */
    uint16_t last;                  /* index of the rank that arrives last; PS_RANK_NONE: a tie */
    int64_t bytes;                  /* the largest message */
    int64_t transfer_ns, spread_ns; /* shortest duration; last minus first arrival */
    int64_t wait_ns;                /* sum of the durations minus the transfer time of each */
};

struct ps_rank_calls {
    struct ps_rank_call *items; /* after matching: sorted by op, those without op at the end */
    size_t n, cap;
    struct ps_rank_key *keys;
    size_t n_keys, cap_keys;
    struct ps_rank_op *ops;
    size_t n_ops, cap_ops;
    uint32_t n_ranks;
    /* calls by how they were matched; single: the only rank of its group in the run */
    size_t n_by_sequence, n_by_order, n_unmatched, n_single, n_point_to_point;
    /* matched by order, then dropped by ps_rank_clocks_align since their ends do not agree */
    size_t n_disagreeing;
};

struct ps_rank_clocks {
    int64_t *offset_ns;    /* by rank: its clock minus that of the first rank of its component */
    uint32_t *component;   /* by rank: ranks that no collective connects have different numbers */
    uint32_t n_components; /* with at least two ranks */
    /* 95 % of the aligned ends of two ranks differ by at most this; 0 if n_ops is 0 */
    int64_t error_ns;
    size_t n_ops; /* collectives that the alignment uses; 0: clocks are unknown */
};

void ps_rank_calls_match(struct ps_rank_calls *calls);
/* Also drops ops that were matched by order and whose ends agree far worse than those of others.
 * The caller frees *out. */
void ps_rank_clocks_align(struct ps_rank_calls *calls, struct ps_rank_clocks *out);
/* Sets the times and the last rank of each op. */
void ps_rank_calls_compare(struct ps_rank_calls *calls, const struct ps_rank_clocks *clocks);

/* Median of n >= 1 values, which are reordered. For an even n: the mean of both in the middle. */
int64_t ps_rank_median(int64_t *values, size_t n);

/* The arrival of a call on the clock of the first rank of its component. */
int64_t ps_rank_arrival(const struct ps_rank_call *call, const struct ps_rank_clocks *clocks);

void ps_rank_calls_free(struct ps_rank_calls *calls); /* for PS_AUTO */
void ps_rank_clocks_free(struct ps_rank_clocks *clocks);

#endif
