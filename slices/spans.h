/* SPDX-License-Identifier: MIT */
/*
 * spans.h: sets of intervals on the time axis, and what of a stretch of time each of several kinds
 * of work took. All sums are exact in ns.
 */
#ifndef PS_SLICES_SPANS_H
#define PS_SLICES_SPANS_H

#include "slices/slices.h"

/* a + b, held at the ends of what fits: durations of untrusted files may sum to anything. */
static inline int64_t ps_sum(int64_t a, int64_t b)
{
    int64_t sum;

    return !__builtin_add_overflow(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

struct ps_span_ns {
    int64_t start, end; /* half-open */
};

struct ps_spans {
    struct ps_span_ns *at;
    size_t n, cap;
};

void ps_spans_add(struct ps_spans *spans, int64_t start, int64_t end); /* empty ones are dropped */
/* Sorts and joins what overlaps or touches: from then on the set is a union. */
void ps_spans_join(struct ps_spans *spans);
/* Length of a joined set inside [from, to). */
int64_t ps_spans_length(const struct ps_spans *spans, int64_t from, int64_t to);
/* What is in both of two joined sets. */
int64_t ps_spans_common(const struct ps_spans *a, const struct ps_spans *b, int64_t from,
                        int64_t to);
void ps_spans_free(struct ps_spans *spans);

/* Sorts n records of `size` bytes whose first field is the int64_t to sort by; stable, and one pass
 * for each doubling of the number of ascending runs that they come in. */
void ps_sort_runs(void *records, size_t n, size_t size);

/* A kernel while it runs: what the SM efficiency and the occupancy of a device follow from. */
struct ps_device_work {
    int64_t start, end;
    float blocks;    /* blocks per SM; NAN or 0: the file does not say */
    float occupancy; /* percent; NAN: the file does not say */
};
struct ps_device_use {
    double sm_efficiency; /* 0..1: SMs in use, over the span; NAN when no kernel says */
    double occupancy;     /* percent, mean over the kernels' time; NAN likewise */
};
/* Of n kernels sorted by start, in [from, to). An SM is in use as far as the blocks of all running
 * kernels fill it. */
struct ps_device_use ps_device_use_of(const struct ps_device_work *work, size_t n, int64_t from,
                                      int64_t to);

/* Three definitions of where a step's time goes, each summing to its wall time. */
enum ps_breakdown {
    PS_BREAKDOWN_TENSORBOARD = 0, /* of tb_plugin 0.4: by priority, each takes what is left */
    PS_BREAKDOWN_HTA = 1,         /* compute, non-compute (exposed), idle */
    PS_BREAKDOWN_TRACELENS = 2,   /* computation, exposed communication, exposed copies, idle */
    PS_N_BREAKDOWNS
};

/* What the sets hold; tb_plugin's priority is their order. */
enum ps_role {
    PS_ROLE_KERNEL = 0, /* computation on the device, without communication */
    PS_ROLE_MEMCPY,
    PS_ROLE_MEMSET,
    PS_ROLE_COMMUNICATION, /* kernels of collectives, and collectives on the host */
    PS_ROLE_RUNTIME,
    PS_ROLE_DATALOADER,
    PS_ROLE_CPU, /* other operators and annotations, without ProfilerStep */
    PS_N_ROLES
};

struct ps_part {
    const char *name; /* "kernel", "memcpy", ... "other"; static */
    int64_t ns;
};
#define PS_PARTS_MAX 8

/* The parts of [from, to) by one definition; they sum to to - from. Sets are joined.
 * device_communication: the kernels of collectives alone (HTA, TraceLens look at the device only).
 * Returns how many. */
size_t ps_breakdown_of(enum ps_breakdown definition, const struct ps_spans roles[PS_N_ROLES],
                       const struct ps_spans *device_communication, int64_t from, int64_t to,
                       struct ps_part out[PS_PARTS_MAX]);

#endif
