/* SPDX-License-Identifier: MIT */
/*
 * intervals.h: sets of time intervals, and how a period is divided among several kinds of work. All
 * sums are exact in ns.
 */
#ifndef PS_SLICES_INTERVALS_H
#define PS_SLICES_INTERVALS_H

#include "base/saturated.h"
#include "slices/slices.h"

struct ps_interval {
    int64_t start, end; /* half-open */
};

struct ps_intervals {
    struct ps_interval *items;
    size_t n, cap;
};

void ps_intervals_add(struct ps_intervals *spans, int64_t start,
                      int64_t end); /* empty ones are dropped */
void ps_intervals_add_all(struct ps_intervals *spans, const struct ps_intervals *more);
/* Sorts the intervals and merges those that overlap or touch. The set is then "joined". */
void ps_intervals_join(struct ps_intervals *spans);
/* Length of a joined set inside [from, to). */
int64_t ps_intervals_length(const struct ps_intervals *spans, int64_t from, int64_t to);
/* Length of the intersection of two joined sets inside [from, to). */
int64_t ps_intervals_common_length(const struct ps_intervals *a, const struct ps_intervals *b,
                                   int64_t from, int64_t to);
/* Whether a joined set contains a moment. */
bool ps_intervals_contain(const struct ps_intervals *spans, int64_t ns);
void ps_intervals_free(struct ps_intervals *spans);

/* Sorts n records of `size` bytes by their first field, an int64_t. A stable natural merge sort:
 * one pass for each doubling of the number of ascending runs in the input. */
void ps_sort_records(void *records, size_t n, size_t size);

/* A kernel, as input for the SM efficiency and occupancy of a device. */
struct ps_kernel_use {
    int64_t start, end;
    float blocks;    /* blocks per SM; NAN or 0: unknown */
    float occupancy; /* percent; NAN: unknown */
};
struct ps_device_use {
    double sm_efficiency; /* 0..1: mean share of SMs in use over the period; NAN if it is unknown
                             for all kernels */
    double occupancy; /* percent, mean weighted by the duration of the kernels; NAN if unknown for
                         all */
};
/* Computes both for [from, to) from n kernels sorted by start. The share of SMs in use is the sum
 * of the blocks per SM of all running kernels, at most 1. */
struct ps_device_use ps_device_use_compute(const struct ps_kernel_use *work, size_t n, int64_t from,
                                           int64_t to);

/* Three definitions of the breakdown of a step's time; the parts of each sum to its wall time. */
enum ps_breakdown {
    PS_BREAKDOWN_TENSORBOARD = 0, /* tb_plugin 0.4: by priority */
    PS_BREAKDOWN_HTA = 1,         /* compute, non-compute (exposed), idle */
    PS_BREAKDOWN_TRACELENS = 2,   /* computation, exposed communication, exposed copies, idle */
    PS_N_BREAKDOWNS
};

/* The kinds of work; the order is the priority of tb_plugin. */
enum ps_role {
    PS_ROLE_KERNEL = 0, /* computation on the device, without communication */
    PS_ROLE_MEMCPY,
    PS_ROLE_MEMSET,
    PS_ROLE_COMMUNICATION, /* kernels of collectives, and collectives on the host */
    PS_ROLE_RUNTIME,
    PS_ROLE_DATALOADER,
    PS_ROLE_CPU, /* other operators and NVTX ranges */
    PS_N_ROLES
};

struct ps_part {
    const char *name; /* "kernel", "memcpy", ... "other"; static */
    int64_t ns;
};
#define PS_PARTS_MAX 8

/* Divides [from, to) by one definition; the parts sum to to - from. All sets must be joined.
 * device_communication: the kernels of collectives only (HTA and TraceLens ignore the host).
 * Returns the number of parts. */
size_t ps_breakdown_compute(enum ps_breakdown definition,
                            const struct ps_intervals roles[PS_N_ROLES],
                            const struct ps_intervals *device_communication, int64_t from,
                            int64_t to, struct ps_part out[PS_PARTS_MAX]);

#endif
