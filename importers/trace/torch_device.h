/* SPDX-License-Identifier: MIT */
/* torch_device.h: device work and the calls that launched it, shared by torch_device.c and
 * torch_orphans.c. */
#ifndef PS_TRACE_TORCH_DEVICE_H
#define PS_TRACE_TORCH_DEVICE_H

#include "base/hash_table.h"
#include "importers/trace/torch.h"

#define TR_NO_ENTRY UINT32_MAX

/* A piece of device work. */
struct tr_entry {
    uint32_t device, row;
    uint32_t next; /* next entry of the same group; TR_NO_ENTRY: none */
};

/* Work and calls with one correlation number. */
struct tr_group {
    int64_t correlation, call_ts;
    uint32_t head;
    uint32_t call_thread : 30, calls : 2; /* calls: 2: two or more */
};

/* One of several calls of a group; after share_out, a piece of work with the call that launched
 * it. */
struct tr_call {
    uint32_t group, thread;
    int64_t ts;
    uint32_t entry;
};

/* Device work whose launching call is not in the file; its External id identifies the operator. */
struct tr_orphan {
    int64_t external_id;
    uint32_t entry;
    bool adopted;
};

struct tr_correlations {
    struct tr_trace *trace;
    struct tr_tracks *devices;
    struct tr_entry *entries; /* one per piece of launched work */
    size_t n_entries;
    struct tr_group *groups; /* one per correlation number of that work */
    size_t n_groups;
    /* If the correlation numbers are close together, as usual, dense[correlation - least] is the
     * index of the group + 1 (0: none). Otherwise dense is NULL and by_correlation is used. */
    uint32_t *dense;
    size_t n_dense;
    int64_t least;
    struct ps_hash_slot *slots; /* memory of by_correlation */
    struct ps_hash_table by_correlation;
    struct tr_call *calls;
    size_t n_calls, calls_cap;
    struct tr_orphan *orphans; /* sorted by external_id, then entry */
    size_t n_orphans, orphans_cap;
    uint32_t thread; /* index of the thread that is being read */
};

bool tr_correlation_of(const struct tr_trace *trace, const struct tr_track *track, uint32_t row,
                       int64_t *out);
/* Returns the work and calls with a correlation number; NULL: no work has it. */
struct tr_group *tr_group_of(const struct tr_correlations *links, int64_t correlation);

/* Sets launch and operator (rows of `track`, TR_NO_ROW: none) of the work at `entry`. Returns its
 * duration, ns; 0 for a wait. */
int64_t tr_give_work(struct tr_correlations *links, uint32_t entry, const struct tr_track *track,
                     uint32_t launch, uint32_t op);

/* Collects the work without a call; to be called once the calls are known. */
void tr_collect_orphans(struct tr_correlations *links);

#endif
