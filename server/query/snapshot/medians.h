/* SPDX-License-Identifier: MIT */
/* medians.h: how long the allocations of a memory snapshot live, by stack. */
#ifndef PS_QUERY_SNAPSHOT_MEDIANS_H
#define PS_QUERY_SNAPSHOT_MEDIANS_H

#include "server/query/snapshot/snapshot.h"

/* Median number of events from the beginning to the end of all allocations of a key. An allocation
 * that is live after the last event ends there; one that began before the first event does not
 * count. Shared by threads, never changed. */
struct ps_snapshot_medians {
    struct ps_cache_entry cache_entry;
    int64_t *events; /* [key]; -1: unknown */
    int64_t *count;  /* [key]: number of allocations that began in the trace */
    int64_t *beside; /* [key]: how many of them began while another one of the key was live */
};

/* Finds or computes the medians by keys 0..n_keys-1. key_of_node: [node] key of the nodes of
 * stacks->trees[as]. `name`: what the keys are; together with the run, the device and `as`, it
 * determines them. If the device has too many allocations, all are unknown. Release *out with
 * ps_snapshot_medians_release. */
enum ps_status
ps_snapshot_medians_acquire(struct ps_db *db, const struct ps_snapshot_device_row *device,
                            const struct ps_snapshot_stacks *stacks, enum ps_snapshot_stacks_as as,
                            const char *name, const uint32_t *key_of_node, size_t n_keys,
                            const struct ps_snapshot_medians **out, struct ps_err *err);
void ps_snapshot_medians_release(const struct ps_snapshot_medians **medians); /* for PS_AUTO */

#endif
