/* SPDX-License-Identifier: MIT */
/* torch_device.h: device work and the calls that launched it, between torch_device.c and
 * torch_orphans.c. */
#ifndef PS_TRACE_TORCH_DEVICE_H
#define PS_TRACE_TORCH_DEVICE_H

#include "base/hash_table.h"
#include "importers/trace/torch.h"

#define TR_NO_ENTRY UINT32_MAX

struct tr_entry { /* a piece of device work */
    uint32_t device, row;
    uint32_t next; /* of the same group */
};

struct tr_group { /* work and calls of one correlation */
    int64_t correlation, call_ts;
    uint32_t head;
    uint32_t call_thread : 30, calls : 2; /* 2: two or more */
};

/* One of several calls of a group, and afterwards a piece of work with the call that it got. */
struct tr_call {
    uint32_t group, thread;
    int64_t ts;
    uint32_t entry;
};

struct tr_orphan { /* work that no call launched, with the operator that it names */
    int64_t external_id;
    uint32_t entry;
    bool adopted;
};

struct tr_correlations {
    struct tr_trace *trace;
    struct tr_tracks *devices;
    struct tr_entry *entries; /* room for all that is launched */
    size_t n_entries;
    struct tr_group *groups; /* likewise */
    size_t n_groups;
    /* Numbers that lie close together, as they usually do, index an array: group + 1 by
     * correlation - least. For others it is NULL and there is a hash table. */
    uint32_t *dense;
    size_t n_dense;
    int64_t least;
    struct ps_hash_slot *slots; /* memory of by_correlation */
    struct ps_hash_table by_correlation;
    struct tr_call *calls;
    size_t n_calls, calls_cap;
    struct tr_orphan *orphans; /* by external_id, then entry */
    size_t n_orphans, orphans_cap;
    uint32_t thread; /* the one that is being looked at */
};

bool tr_correlation_of(const struct tr_trace *trace, const struct tr_track *track, uint32_t row,
                       int64_t *out);
/* Work and calls of a correlation; NULL: no work has it. */
struct tr_group *tr_group_of(const struct tr_correlations *links, int64_t correlation);

/* Tells the work at `entry` its launch and operator, rows of `track` (TR_NO_ROW: none). Returns its
 * ns. */
int64_t tr_give_work(struct tr_correlations *links, uint32_t entry, const struct tr_track *track,
                     uint32_t launch, uint32_t op);

/* Once the calls are known. */
void tr_collect_orphans(struct tr_correlations *links);

#endif
