/* SPDX-License-Identifier: MIT */
/*
 * steps.h: what steps.c (host, steps, breakdowns) and steps_device.c (streams, devices, gaps)
 * share.
 *
 * Host tracks pass first. Of them only joined intervals stay, the steps, and 16 bytes a runtime
 * call. Streams follow: by then every launch is known, so a kernel's step is too.
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
    uint32_t duration; /* ns, at most 4.29 s: longer ones only miss the end of their step */
};
struct tr_launches { /* of one track, by row */
    struct tr_launch *at;
    size_t n, cap;
    size_t hint; /* where the last one was found: kernels of a stream come in order */
};

struct tr_step {
    int64_t host_start; /* first: sorted by it */
    int64_t host_end;
    int64_t start, end;            /* with the device, by tb_plugin's rules */
    int64_t first_work, last_work; /* of the device, launched inside; INT64_MAX, INT64_MIN none */
    uint64_t works;
    uint32_t name; /* text id; 0: the whole trace */
    bool counted;
};

enum tr_work { TR_WORK_COMPUTE, TR_WORK_COMMUNICATION, TR_WORK_MEMCPY, TR_WORK_MEMSET, TR_N_WORKS };

struct tr_device {
    int64_t device;
    struct ps_spans works[2][TR_N_WORKS]; /* [1]: left out by HTA, launched in the last step */
    struct ps_spans waits; /* gaps of its streams that ended when the host came round to launch */
    struct ps_device_work *kernels;
    size_t n_kernels, cap_kernels;
    int64_t kernel_ns, tensor_core_ns, copies;
};

#define TR_GAPS_MAX 10000
enum { TR_GAP_HOST_WAIT, TR_GAP_KERNEL_WAIT, TR_GAP_OTHER, TR_N_GAP_CAUSES };

struct tr_gaps {
    struct ps_gap *at; /* the longest; a heap with the shortest of them on top */
    size_t n, cap;
    int64_t total_ns[TR_N_GAP_CAUSES];
    uint64_t total[TR_N_GAP_CAUSES];
};

struct tr_kernel_params { /* of a template */
    bool known;
    struct ps_str markers;     /* the template without its text: all that ps_args_param looks at */
    int16_t blocks, occupancy; /* parameter, -1 none */
};

struct tr_steps {
    struct tr_trace *trace;
    struct tr_step *steps; /* by host_start once the host is complete */
    size_t n_steps, cap_steps;
    bool annotated;               /* they are ProfilerSteps */
    struct tr_launches *launches; /* by track */
    size_t n_launches;
    struct ps_spans roles[PS_N_ROLES]; /* of the host; at the end with the devices' */
    struct ps_spans communication;     /* of the devices, at the end */
    int64_t host_start, host_end;      /* of all operators and calls; host_start > host_end: none */
    struct ps_meanings meanings;
    struct tr_kernel_params *params; /* by template */
    size_t n_params;
    struct tr_device *devices; /* in order of appearance */
    size_t n_devices, cap_devices;
    struct ps_hash_table device_at; /* number -> index in devices */
    struct tr_gaps gaps;
    int64_t waiting_ns; /* nothing ran on a device, the next kernel was not launched
                           yet, and no data was waited for */
    int64_t *strays;    /* ends of device work launched outside of all steps */
    size_t n_strays, cap_strays;
    bool host_done;
};

enum ps_meaning tr_steps_meaning(struct tr_steps *steps, uint32_t name);

/* The step that a runtime call lies wholly inside, NULL for none. */
struct tr_step *tr_steps_of(struct tr_steps *steps, const struct tr_launch *launch);

/* steps_device.c */
void tr_steps_stream(struct tr_steps *steps, const struct tr_track *track);
/* Gives devices and gaps; the steps are final, [from, to) spans those that count. */
void tr_steps_devices(struct tr_steps *steps, int64_t from, int64_t to);
void tr_steps_devices_free(struct tr_steps *steps);

#endif
