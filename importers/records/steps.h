/* SPDX-License-Identifier: MIT */
/* steps.h: what is computed of a trace of a device: steps, devices, gaps, modules. */
#ifndef PS_RECORDS_STEPS_H
#define PS_RECORDS_STEPS_H

#include "base/str.h"

/* A ProfilerStep, a step of a serving engine (slices/serving.h), or of a loop that the importer
 * knows (importers/trace/loops.h); the complete trace if there are none. Its time is split
 * into parts in PS_N_BREAKDOWNS ways (ps_step_part).
 */
struct ps_step {
    uint32_t id; /* from 1 */
    uint32_t worker;
    struct ps_str name; /* "ProfilerStep#5" */
    /* end_ns is the end of the last kernel of the step, as in tb_plugin */
    int64_t start_ns, end_ns;
    int64_t host_start_ns, host_end_ns;
    bool
        is_counted; /* false: tb_plugin ignores the step, because it is the last one of the trace */
};
struct ps_step_part {
    uint32_t step;
    uint8_t breakdown; /* enum ps_breakdown */
    const char *name;  /* static */
    int64_t ns;
};

/* Activity of a device between the first and the last step. NAN: the value is not in the file. */
struct ps_device_summary {
    int64_t device;
    uint32_t worker;
    struct ps_str name; /* "Tesla V100", from deviceProperties; empty: unknown */
    /* deviceProperties of the device as JSON, unchanged; empty: none */
    struct ps_str json;
    int64_t span_ns, busy_ns; /* busy_ns: length of the union of all kernels */
    /* sm_efficiency: 0 to 1; occupancy: 0 to 100; the ranges of tb_plugin */
    double sm_efficiency, occupancy;
    int64_t kernel_ns, tensor_core_ns, communication_ns,
        overlap_ns; /* communication during computation */
    int64_t n_kernels, n_copies;
    /* HTA's temporal breakdown */
    int64_t hta_kernel_time_ns, hta_compute_ns, hta_non_compute_ns, hta_idle_ns;
};

/* A gap between the first and the last work of a device, in which none of its streams works. */
struct ps_gap {
    int64_t stream_track; /* track id of the work after the gap */
    int64_t start_ns, end_ns;
    uint8_t cause; /* in HTA's categories: 0: host wait, 1: kernel wait, 2: other */
    int64_t slice_before, slice_after; /* ids of the slices before and after the gap */
};

/* An nn.Module. Modules with the same path are merged. */
struct ps_module {
    uint32_t id, parent; /* ids from 1; parent 0: outermost */
    struct ps_str name;
    int64_t n_calls, host_self_ns, host_total_ns, device_self_ns, device_total_ns, n_operators;
    int64_t first_slice;
};

#endif
