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

extern const struct ps_backend ps_replica_backend;     /* backend.c */
extern const struct ps_partial_ops ps_replica_partial; /* pieces.c */

#endif
