/* SPDX-License-Identifier: MIT */
/*
 * torch.h: what the slices of a trace mean to PyTorch, shared by the files that compute it.
 *
 *   torch_names.c    classifies names: family, collective, hidden, asynchronous
 *   torch_tree.c     torch's own tree of a host track: self times, merging, memory sums
 *   torch_device.c   device work -> the runtime call that launched it -> the operator around that
 *   torch_orphans.c  device work without a call in the file
 *   torch_overhead.c time spent in the profiler itself, inside of the program's slices
 *   torch_flops.c    floating point operations of an operator, from its shapes
 *   torch.c          runs a track through all of these
 *
 * Host tracks are processed one at a time and freed; device tracks stay in memory until the last
 * host track is processed.
 */
#ifndef PS_TRACE_TORCH_H
#define PS_TRACE_TORCH_H

#include "importers/trace/memory.h"
#include "importers/trace/track.h"

/* Properties of a slice that follow from its name. */
enum tr_name_flag {
    TR_NAME_KNOWN = 1,
    TR_NAME_HIDDEN = 2,             /* torch's tables and its tree leave it out */
    TR_NAME_COLLECTIVE = 4,         /* host: an operator or annotation of communication */
    TR_NAME_WORK = 8,               /* "nccl:...": started on the thread that requested it */
    TR_NAME_DEVICE_COLLECTIVE = 16, /* device: a kernel of communication */
    TR_NAME_TENSOR_CORE = 32,
    TR_NAME_HOST_WORK = 64, /* TR_NAME_WORK of a backend with threads of its own: "gloo:..." */
    TR_NAME_STEP = 128,     /* "ProfilerStep#7": torch groups all under one name */
};

/* Operators whose floating point operations torch counts. */
enum tr_flops_kind {
    TR_FLOPS_NONE,
    TR_FLOPS_MM,
    TR_FLOPS_ADDMM,
    TR_FLOPS_BMM,
    TR_FLOPS_BADDBMM,
    TR_FLOPS_ELEMENT,
    TR_FLOPS_CONV2D,
    TR_N_FLOPS
};

struct tr_name {
    uint8_t flags; /* enum tr_name_flag */
    uint8_t family, device_family;
    uint8_t flops; /* enum tr_flops_kind */
};

/* Properties of names by text id, computed on first use. */
struct tr_names {
    const struct tr_trace *trace;
    struct tr_name *at;
    uint32_t n;
};
/* Returns the family of an operator or kernel, from its name alone. */
uint8_t tr_family_of(struct ps_str name);

struct tr_name tr_name_of(struct tr_names *names, uint32_t text_id);

/* Rewrites the shapes of templates as torch groups by them: torch's tables show an argument that is
 * a list of tensors as [], while the file has the shape of each tensor. */
void tr_torch_shapes(struct tr_trace *trace);

/* An open operator or overhead of a host track while the tree is built. Device work is attributed
 * to these. */
struct tr_open {
    uint32_t row; /* of an overhead: the row around it; TR_NO_ROW: none */
    uint32_t op;  /* innermost operator at or around this entry; TR_NO_ROW: none */
    int64_t end;
    struct tr_overhead *overhead; /* NULL: this entry is a row */
};

struct tr_overhead {
    int64_t start, end;
    int64_t self; /* ns; final after the host track */
    const struct tr_thread *thread;
};

/* Overheads, sorted by start, the longer first. */
struct tr_overheads {
    struct tr_overhead *at;
    size_t n, cap;
    size_t next;                  /* index of the first one that is not in the tree yet */
    const struct tr_thread *host; /* the thread in whose tree they are put; NULL: none */
};
void tr_overheads_find(struct tr_trace *trace, struct tr_overheads *out);
/* Sets TR_OP_SELF of each row of an overhead track. */
void tr_overheads_track(const struct tr_overheads *overheads, struct tr_track *track);

struct tr_correlations; /* torch_device.h */
struct tr_flops;        /* torch_flops.c */

struct tr_torch {
    struct tr_trace *trace;
    struct tr_tracks *devices;
    struct tr_names names;
    struct tr_correlations *correlations;
    struct tr_flops *flops;
    struct tr_memory *memory;
    struct tr_steps *steps;
    struct tr_modules *modules;
    struct tr_overheads overheads;
    bool frames; /* Python frames are part of torch's tree (torch of 2026) */
    /* Working memory of torch_tree.c. */
    struct tr_open *stack;
    size_t stack_cap;
    uint32_t *parent;  /* by row of the current track */
    uint8_t *children; /* number of children, by row; 2: two or more */
};

/* Fills self times, merged and hidden flags, device and memory sums and FLOPs of a host track. */
void tr_tree_track(struct tr_torch *torch, struct tr_track *track);
void tr_tree_free(struct tr_torch *torch);

/* Finds out which runtime calls launched which device work. Reads all records once. hosts: see
 * tr_torch_begin. */
struct tr_correlations *tr_correlations_new(struct tr_trace *trace, struct tr_tracks *devices,
                                            const struct tr_tracks *hosts);
/* Sets launch and operator of the device work that the runtime call at `row` launched, inside of
 * operator `op` of its track (TR_NO_ROW: none). Returns the sum of the durations of that work,
 * ns. */
int64_t tr_correlations_launch(struct tr_correlations *links, const struct tr_track *track,
                               uint32_t row, uint32_t op);
/* Whether there is device work whose launch is not in the file but which names its operator. */
bool tr_correlations_orphans(const struct tr_correlations *links);
/* Attributes such work to the operator at `row`. Returns the sum of its durations, ns. */
int64_t tr_correlations_adopt(struct tr_correlations *links, const struct tr_track *track,
                              uint32_t row);
void tr_correlations_free(struct tr_correlations *links);

struct tr_flops *tr_flops_new(const struct tr_trace *trace);
/* Returns the floating point operations of an operator; 0: none, or unknown. */
int64_t tr_flops_of(struct tr_flops *flops, enum tr_flops_kind kind, uint32_t template_id);
void tr_flops_free(struct tr_flops *flops);

#endif
