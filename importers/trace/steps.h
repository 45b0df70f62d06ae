/* SPDX-License-Identifier: MIT */
/*
 * steps.h: shared by steps.c (host, steps, breakdowns) and steps_device.c (streams, devices, gaps).
 *
 * Host tracks are read first. Of these only joined intervals, the steps and 16 bytes per runtime
 * call are kept. Streams follow: by then every launch is known, and so is the step of each kernel.
 */
#ifndef PS_TRACE_STEPS_H
#define PS_TRACE_STEPS_H

#include "base/hash_table.h"
#include "importers/trace/track.h"
#include "slices/roles.h"

/* A runtime call that may have launched something. */
struct tr_launch {
    int64_t start;
    uint32_t row;
    uint32_t duration; /* ns, at most 4.29 s: a longer call may extend past the end of its step */
};
/* The calls of one track, sorted by row. */
struct tr_launches {
    struct tr_launch *at;
    size_t n, cap;
    size_t hint; /* index of the last one found: kernels of a stream are mostly in launch order */
};

struct tr_step {
    int64_t host_start; /* first member, the sort key */
    int64_t host_end;
    int64_t start, end; /* including device work, by tb_plugin's rules */
    /* ns: first start and last end of the device work launched inside; INT64_MAX, INT64_MIN:
     * none */
    int64_t first_work, last_work;
    uint64_t works;
    uint32_t name; /* text id; 0: the complete trace */
    bool counted;
};

enum tr_work { TR_WORK_COMPUTE, TR_WORK_COMMUNICATION, TR_WORK_MEMCPY, TR_WORK_MEMSET, TR_N_WORKS };

struct tr_device {
    int64_t device;
    struct ps_spans works[2][TR_N_WORKS]; /* [1]: launched in the last step, which HTA leaves out */
    /* gaps of its streams whose next work the host launched after the gap began */
    struct ps_spans waits;
    struct ps_device_work *kernels;
    size_t n_kernels, cap_kernels;
    int64_t kernel_ns, tensor_core_ns, copies;
};

#define TR_GAPS_MAX 10000
enum { TR_GAP_HOST_WAIT, TR_GAP_KERNEL_WAIT, TR_GAP_OTHER, TR_N_GAP_CAUSES };

struct tr_gaps {
    struct ps_gap *at; /* the longest gaps; a heap with the shortest of them at the root */
    size_t n, cap;
    int64_t total_ns[TR_N_GAP_CAUSES];
    uint64_t total[TR_N_GAP_CAUSES];
};

/* Parameters of a template that describe a kernel. */
struct tr_kernel_params {
    bool known;
    struct ps_str markers;     /* the markers of the template, enough for ps_args_param */
    int16_t blocks, occupancy; /* index of the parameter; -1: none */
};

struct tr_steps {
    struct tr_trace *trace;
    struct tr_step *steps; /* sorted by host_start after the last host track */
    size_t n_steps, cap_steps;
    bool annotated;               /* the steps are ProfilerSteps */
    struct tr_launches *launches; /* by track id */
    size_t n_launches;
    struct ps_spans roles[PS_N_ROLES]; /* of the host; at the end also of the devices */
    struct ps_spans communication;     /* of the devices; set at the end */
    int64_t host_start, host_end;      /* of all operators and calls; host_start > host_end: none */
    struct ps_meanings meanings;
    struct tr_kernel_params *params; /* by template id */
    size_t n_params;
    struct tr_device *devices; /* in order of appearance */
    size_t n_devices, cap_devices;
    struct ps_hash_table device_at; /* device number -> index in devices */
    struct tr_gaps gaps;
    /* ns in which nothing ran on a device, the next kernel was not launched yet, and the host was
     * not waiting for data */
    int64_t waiting_ns;
    int64_t *strays; /* ends of device work launched outside of all steps */
    size_t n_strays, cap_strays;
    bool host_done;
};

enum ps_meaning tr_steps_meaning(struct tr_steps *steps, uint32_t name);

/* Returns the step that contains all of a runtime call; NULL: none. */
struct tr_step *tr_steps_of(struct tr_steps *steps, const struct tr_launch *launch);

/* steps_device.c */
void tr_steps_stream(struct tr_steps *steps, const struct tr_track *track);
/* Writes devices and gaps to the sink. The steps must be final; [from, to) spans the counted
 * ones. */
void tr_steps_devices(struct tr_steps *steps, int64_t from, int64_t to);
void tr_steps_devices_free(struct tr_steps *steps);

#endif
