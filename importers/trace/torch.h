/* SPDX-License-Identifier: MIT */
/*
 * torch.h: what the slices of a trace mean to PyTorch, between the files that say it.
 *
 *   torch_names.c    what a name tells: family, collective, hidden, asynchronous
 *   torch_tree.c     torch's own tree of a host track: self times, merging, sums of memory
 *   torch_device.c   device work -> the runtime call that launched it -> the operator around that
 *   torch_orphans.c  device work without a call in the file
 *   torch_overhead.c what the profiler did itself, inside of what the program did
 *   torch_flops.c    floating point operations of an operator, from its shapes
 *   torch.c          a track through all of these
 *
 * Tracks of the host pass one at a time and are gone afterwards; tracks of devices stay until the
 * last host track has passed.
 */
#ifndef PS_TRACE_TORCH_H
#define PS_TRACE_TORCH_H

#include "importers/trace/memory.h"
#include "importers/trace/track.h"

/* What a text says as a name of a slice. */
enum tr_name_flag {
    TR_NAME_KNOWN = 1,
    TR_NAME_HIDDEN = 2,             /* torch leaves it out, of the tree too */
    TR_NAME_COLLECTIVE = 4,         /* of the host: an operator or annotation of communication */
    TR_NAME_WORK = 8,               /* "nccl:...": began on the thread that asked for it */
    TR_NAME_DEVICE_COLLECTIVE = 16, /* of a device: a kernel of communication */
    TR_NAME_TENSOR_CORE = 32,
    TR_NAME_HOST_WORK = 64, /* WORK of a backend that has threads of its own: "gloo:..." */
    TR_NAME_STEP = 128,     /* "ProfilerStep#7": all are one name to torch */
};

enum tr_flops_kind { /* of which operators torch counts floating point operations */
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

/* Names by text id, understood when first asked for. */
struct tr_names {
    const struct tr_trace *trace;
    struct tr_name *at;
    uint32_t n;
};
/* The family of an operator or kernel by its name alone. */
uint8_t tr_family_of(struct ps_str name);

struct tr_name tr_name_of(struct tr_names *names, uint32_t text_id);

/* Shapes as torch groups by them: in its table an argument that is a list of tensors is [], while
 * the file tells the shape of each. */
void tr_torch_shapes(struct tr_trace *trace);

/* An operator of a host track, while the tree is built: what device work is attributed to. */
struct tr_open {
    uint32_t row; /* of an overhead: that around it, TR_NO_ROW none */
    uint32_t op;  /* the deepest operator among it and those around it; TR_NO_ROW none */
    int64_t end;
    struct tr_overhead *overhead; /* NULL: it is a row */
};

struct tr_overhead {
    int64_t start, end;
    int64_t self; /* ns, once the track of the host has passed */
    const struct tr_thread *thread;
};

/* In order of start, the longer first. */
struct tr_overheads {
    struct tr_overhead *at;
    size_t n, cap;
    size_t next;                  /* of those that are not in the tree yet */
    const struct tr_thread *host; /* the thread in whose tree they are; NULL: none */
};
void tr_overheads_find(struct tr_trace *trace, struct tr_overheads *out);
/* Tells each row of an overhead track its own time. */
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
    bool frames; /* Python frames are part of the tree, as torch of 2026 has it */
    /* Working memory of torch_tree.c. */
    struct tr_open *stack;
    size_t stack_cap;
    uint32_t *parent;  /* by row of the track that is looked at */
    uint8_t *children; /* 0, 1, 2: more */
};

/* Fills self times, merged and hidden flags, device and memory sums and FLOPs of a host track. */
void tr_tree_track(struct tr_torch *torch, struct tr_track *track);
void tr_tree_free(struct tr_torch *torch);

/* Which runtime calls launched what. Reads all records once. hosts: see tr_torch_begin. */
struct tr_correlations *tr_correlations_new(struct tr_trace *trace, struct tr_tracks *devices,
                                            const struct tr_tracks *hosts);
/* The runtime call at `row`, inside of operator `op` of its track (TR_NO_ROW: none): what it
 * launched learns of both. Returns the sum of that work, ns. */
int64_t tr_correlations_launch(struct tr_correlations *links, const struct tr_track *track,
                               uint32_t row, uint32_t op);
/* Whether there is work left whose launch is not in the file, but which names its operator. */
bool tr_correlations_orphans(const struct tr_correlations *links);
/* That of the operator at `row`. Likewise. */
int64_t tr_correlations_adopt(struct tr_correlations *links, const struct tr_track *track,
                              uint32_t row);
void tr_correlations_free(struct tr_correlations *links);

struct tr_flops *tr_flops_new(const struct tr_trace *trace);
/* 0: none, or unknown. */
int64_t tr_flops_of(struct tr_flops *flops, enum tr_flops_kind kind, uint32_t template_id);
void tr_flops_free(struct tr_flops *flops);

#endif
