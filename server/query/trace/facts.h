/* SPDX-License-Identifier: MIT */
/* facts.h: the facts about a trace that the rules of findings check. */
#ifndef PS_QUERY_TRACE_FACTS_H
#define PS_QUERY_TRACE_FACTS_H

#include "server/query/trace/overview.h"

/* Kernels shorter than this are shorter than their launch: it costs host and device about 5 µs on
 * the machines of the traces we know. */
#define PS_TINY_KERNEL_NS 5000

struct ps_device_fact {
    int64_t device;
    char name[120];
    int64_t span_ns, busy_ns, kernel_ns, tensor_core_ns, kernels;
    int64_t capability; /* major version; 0: unknown */
    double memory_bytes, peak_bytes;
};

/* Number of calls and total time of some operators. */
struct ps_sum_fact {
    int64_t calls, ns;
};

/* A call that was much longer than all others with the same name. */
struct ps_long_call {
    char name[120], slice[24]; /* slice: its id as a string; "": no such call */
    uint32_t name_id;
    int64_t kind, ns, mean_ns; /* mean_ns: of the other calls; 0: there are none */
    struct ps_range range;
};

struct ps_trace_facts {
    struct ps_range span; /* of the counted steps, else of the trace */
    int64_t steps, wall_ns;
    bool annotated; /* the steps are marked with ProfilerStep */
    int64_t tensorboard[PS_N_ROLES + 1];
    int64_t exposed_communication_ns, idle_ns; /* from the TraceLens breakdown */
    struct ps_device_fact *devices;
    size_t n_devices, cap_devices;
    struct ps_sum_fact launches, syncs, items,
        pageable; /* pageable: copies on the device; the others: calls on the host */
    struct ps_sum_fact data_parallel, distributed, gloo, optimizer;
    int64_t matmul_device_ns;     /* time of kernels for convolutions and matrix products */
    bool fused;                   /* an optimizer updates many parameters with one kernel */
    int64_t tiny_kernels;         /* shorter than PS_TINY_KERNEL_NS */
    int64_t kernels, kernel_ns;   /* in `span` */
    int64_t optimizer_kernels;    /* launched inside Optimizer.step */
    int64_t waiting_ns;           /* see trace_idle_waiting.sql */
    struct ps_range longest_wait; /* {0, 0}: none */
    struct ps_long_call long_call;
    uint32_t *optimizer_names; /* text ids */
    size_t n_optimizer_names, cap_optimizer_names;
};

enum ps_status ps_trace_facts_read(struct ps_db *db, struct ps_trace_facts *facts,
                                   struct ps_err *err);
/* long_call.c: ps_long_call_consider compares a row of operators (calls, total ns and maximum ns)
 * with the longest call so far; ps_long_call_find finds the slice of that call after the last row.
 */
void ps_long_call_consider(struct ps_long_call *longest, struct ps_str name, uint32_t name_id,
                           int64_t kind, const int64_t calls_total_most[3]);
enum ps_status ps_long_call_find(struct ps_db *db, struct ps_trace_facts *facts,
                                 struct ps_err *err);
void ps_trace_facts_free(struct ps_trace_facts *facts); /* for PS_AUTO */

#endif
