/* SPDX-License-Identifier: MIT */
/* facts.h: what the rules of findings look at, gathered once. */
#ifndef PS_QUERY_TRACE_FACTS_H
#define PS_QUERY_TRACE_FACTS_H

#include "server/query/trace/overview.h"

/* Kernels below this take less time than it takes to launch one: a launch costs the host and the
 * device some 5 µs on the machines of the traces we know. */
#define PS_TINY_KERNEL_NS 5000

struct ps_device_fact {
    int64_t device;
    char name[120];
    int64_t span_ns, busy_ns, kernel_ns, tensor_core_ns, kernels;
    int64_t capability; /* major; 0 unknown */
    double memory_bytes, peak_bytes;
};

/* Calls and time of some operators together. */
struct ps_sum_fact {
    int64_t calls, ns;
};

/* A call that took much longer than all others of its name. */
struct ps_long_call {
    char name[120], slice[24]; /* slice: its id; empty: there is none */
    uint32_t name_id;
    int64_t kind, ns, mean_ns; /* of the others; 0: it is the only one */
    struct ps_range at;
};

struct ps_trace_facts {
    struct ps_range span; /* of the steps that count */
    int64_t steps, wall_ns;
    bool annotated; /* by ProfilerStep */
    int64_t tensorboard[PS_N_ROLES + 1];
    int64_t exposed_communication_ns, idle_ns; /* TraceLens */
    struct ps_device_fact *devices;
    size_t n_devices, cap_devices;
    struct ps_sum_fact launches, syncs, items,
        pageable; /* calls of the host; copies: on the device */
    struct ps_sum_fact data_parallel, distributed, gloo, optimizer;
    int64_t matmul_device_ns;     /* kernels of convolutions and matrix products */
    bool fused;                   /* some optimizer works on many parameters a kernel */
    int64_t tiny_kernels;         /* below PS_TINY_KERNEL_NS */
    int64_t kernels, kernel_ns;   /* in the span */
    int64_t optimizer_kernels;    /* launched inside of Optimizer.step */
    int64_t waiting_ns;           /* see trace_idle_waiting.sql */
    struct ps_range longest_wait; /* 0, 0 none */
    struct ps_long_call long_call;
    uint32_t *optimizer_names; /* text ids */
    size_t n_optimizer_names, cap_optimizer_names;
};

enum ps_status ps_trace_facts_read(struct ps_db *db, struct ps_trace_facts *facts,
                                   struct ps_err *err);
/* long_call.c: looks at one row of operators (name, calls, total and greatest ns), and finds
 * the slice once all were looked at. */
void ps_long_call_look(struct ps_long_call *longest, struct ps_str name, uint32_t name_id,
                       int64_t kind, const int64_t calls_total_most[3]);
enum ps_status ps_long_call_find(struct ps_db *db, struct ps_trace_facts *facts,
                                 struct ps_err *err);
void ps_trace_facts_free(struct ps_trace_facts *facts); /* for PS_AUTO */

#endif
