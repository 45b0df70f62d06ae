/* SPDX-License-Identifier: MIT */
/* trace_facts.h: the facts about a trace from which the rules derive findings. */
#ifndef PS_QUERY_TRACE_FACTS_H
#define PS_QUERY_TRACE_FACTS_H

#include "server/query/trace/recording.h"
#include "server/query/trace/utilisation/overview.h"
#include "server/runfile/trace.h"

/* Kernels shorter than this are tiny: the launch takes longer than the kernel. A launch costs host
 * and device about 5 µs on the machines of the known traces. */
#define PS_TINY_KERNEL_NS 5000

struct ps_device_fact {
    int64_t worker, device;
    char name[120];
    int64_t span_ns, busy_ns, kernel_ns, kernels;
    int64_t capability; /* major compute capability; 0: unknown */
    double memory_bytes, peak_bytes;
};

/* Number and total time of the calls of a set of operators. */
struct ps_call_totals {
    int64_t calls, ns;
};

/* A call that took much longer than the mean of the other calls with the same name. */
struct ps_long_call {
    char name[120], slice[24]; /* slice: slice id in decimal; "": no such call */
    uint32_t name_id;
    int64_t kind, ns, mean_ns; /* mean_ns: mean of the other calls; 0: there are no others */
    struct ps_range range;
};

struct ps_trace_facts {
    struct ps_range span; /* range of the counted steps; of the trace if there are none */
    int64_t n_steps, wall_ns;
    bool has_steps; /* false: the run is one step "whole trace" */
    int64_t tensorboard[PS_N_ROLES + 1];
    int64_t exposed_communication_ns, idle_ns; /* as defined by TraceLens */
    char device_word[PS_DEVICE_WORD_SIZE];     /* "GPU" */
    struct ps_device_fact *devices;
    size_t n_devices, cap_devices;
    /* pageable: copies between pageable host memory and the device, in device time. The others are
     * calls on the host, in host time. */
    struct ps_call_totals launches, syncs, item_calls, pageable;
    struct ps_call_totals data_parallel, distributed, gloo, optimizer;
    /* total time of the matrix products and convolutions that are known not to use Tensor Cores,
     * and of the kernels whose use is unknown */
    int64_t no_tensor_cores_ns, unknown_tensor_cores_ns;
    bool has_fused_optimizer;   /* an optimizer updates many parameters in one kernel */
    int64_t tiny_kernels;       /* number of kernels shorter than PS_TINY_KERNEL_NS */
    int64_t kernels, kernel_ns; /* number and total time of the kernels that start in `span` */
    int64_t optimizer_kernels;  /* number of kernels launched in Optimizer.step */
    /* sum over the devices of the time idle because the host had not launched work
     * (trace_idle_waiting.sql) */
    int64_t waiting_ns;
    struct ps_range longest_wait; /* longest time that a device waited for the host; {0, 0}: none */
    struct ps_long_call long_call;
    uint32_t *optimizer_names; /* text ids of the names of Optimizer.step */
    size_t n_optimizer_names, cap_optimizer_names;
};

enum ps_status ps_trace_facts_read(struct ps_db *db, struct ps_trace_facts *facts,
                                   struct ps_err *err);
/* long_call.c: For each row of operators, ps_long_call_consider replaces the longest call so far if
 * the longest call of the row is longer. call_times: number of calls, total ns, maximum ns of
 * the row. After the last row, ps_long_call_find finds the slice of the longest call. */
void ps_long_call_consider(struct ps_long_call *longest, struct ps_str name, uint32_t name_id,
                           int64_t kind, const int64_t call_times[3]);
enum ps_status ps_long_call_find(struct ps_db *db, struct ps_trace_facts *facts,
                                 struct ps_err *err);
void ps_trace_facts_free(struct ps_trace_facts *facts); /* usable with PS_AUTO */

#endif
