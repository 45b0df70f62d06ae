/* SPDX-License-Identifier: MIT */
/*
 * heartbeat.h: the sessions that are alive on a store that many servers share
 * (server/replica/lease.h). A separate thread renews the lease row of this session, even while
 * other threads wait. Leases of other sessions are monitored.
 */
#ifndef PS_REPLICA_HEARTBEAT_H
#define PS_REPLICA_HEARTBEAT_H

#include "server/catalog/state.h"
#include "server/replica/lease.h"
#include "server/replica/ticker.h"

struct ps_heartbeat {
    struct ps_lease lease;
    struct ps_pg *renew_pg, *check_pg;
    pthread_mutex_t begin_lock; /* held while the row is inserted */
    pthread_mutex_t check_lock; /* protects check_pg and watch */
    atomic_bool has_begun;
    _Atomic int64_t renewed_ms; /* monotonic clock: start of the last successful beat */
    struct ps_ticker ticker;
    struct ps_lease_watch watch; /* of a server that monitors others (backend.c); else empty */
};

/* Fills store->replica->heartbeat and starts the thread, which sends nothing before
 * ps_heartbeat_confirm has inserted the row. */
enum ps_status ps_heartbeat_start(struct ps_store *store, const char *url, struct ps_err *err);
/* Deletes the row. Does nothing if the heartbeat was not started. */
void ps_heartbeat_stop(struct ps_store *store);

/* Call it before writing anything in the name of this session. Ensures that the row exists and that
 * the last beat was recent; so a server that was stalled renews its lease before other servers see
 * its next change. pg must be connected. */
enum ps_status ps_heartbeat_confirm(struct ps_store *store, struct ps_pg *pg, struct ps_err *err);

/* Whether a session of any server is alive; true if the database is unreachable. */
bool ps_heartbeat_is_alive(struct ps_store *store, const char *session);
/* Deletes the row of a session of this machine that has crashed. False: the database is
 * unreachable. */
bool ps_heartbeat_expire(struct ps_store *store, const char *session);
/* Checks all leases, and deletes the rows of crashed sessions. *died: at least one had crashed. */
enum ps_status ps_heartbeat_expire_dead(struct ps_store *store, bool *died, struct ps_err *err);

#endif
