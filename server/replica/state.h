/* SPDX-License-Identifier: MIT */
/* state.h: an open shelf that several servers share, for the files of this folder. */
#ifndef PS_REPLICA_STATE_H
#define PS_REPLICA_STATE_H

#include "server/catalog/backend.h"
#include "server/catalog/state.h"

/* The parts of an open shelf; each is NULL until it is open. */
struct ps_replica {
    struct ps_mirror *mirror;
    struct ps_heartbeat *heartbeat;
    struct ps_shared_files *files;
    /* for a server that takes over the work of crashed sessions: backend.c; else NULL */
    struct ps_watch *watch;
};

/* Deletes bytes in the database without references, including those that this server sent at least
 * hold_ms ago without putting them into the catalog. Called from time to time (ps_backend.watch).
 * *more: the time was not sufficient for all. */
#define PS_UNPLACED_KEEP_MS ((int64_t)3600 * 1000)
enum ps_status ps_replica_sweep(struct ps_store *store, int64_t hold_ms, bool *more,
                                struct ps_err *err);

extern const struct ps_backend ps_replica_backend;                       /* backend.c */
extern const struct ps_partial_upload_ops ps_replica_partial_upload_ops; /* pieces.c */

#endif
