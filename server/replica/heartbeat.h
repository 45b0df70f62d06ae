/* SPDX-License-Identifier: MIT */
/*
 * heartbeat.h: who lives on a store that many servers share (server/replica/lease.h): the row of
 * this opening, which a thread of its own keeps alive, however long everything else waits; and what
 * is known of the others.
 */
#ifndef PS_REPLICA_HEARTBEAT_H
#define PS_REPLICA_HEARTBEAT_H

#include "server/catalog/state.h"
#include "server/replica/lease.h"
#include "server/replica/ticker.h"

struct ps_heartbeat {
    struct ps_lease lease;
    struct ps_pg *beater, *asker;
    pthread_mutex_t begin_lock; /* of who makes the row */
    pthread_mutex_t ask_lock;   /* of asker and watch */
    atomic_bool begun;
    _Atomic int64_t beat_ms; /* CLOCK_MONOTONIC: it lived for certain, for all to see */
    struct ps_ticker beats;
    struct ps_lease_watch watch; /* of a server (takeover.c); else empty */
};

/* Fills store->replica->heartbeat; the thread begins, and says nothing before ps_heartbeat_confirm
 * has made the row.
 */
enum ps_status ps_heartbeat_start(struct ps_store *store, const char *url, struct ps_err *err);
/* Takes the row away; without lives nothing happens. */
void ps_heartbeat_stop(struct ps_store *store);

/* Before anything is written in the name of this opening: it has its row, and beat a short while
 * ago. One that was stalled is not taken for dead by whoever sees what it writes next. pg is
 * connected. */
enum ps_status ps_heartbeat_confirm(struct ps_store *store, struct ps_pg *pg, struct ps_err *err);

/* Whether an opening anywhere lives; true where nobody can be asked. */
bool ps_heartbeat_is_alive(struct ps_store *store, const char *session);
/* One of this machine is known to have died. False: the database is away. */
bool ps_heartbeat_expire(struct ps_store *store, const char *session);
/* Looks at all of them, and takes the rows of those away that have died. *died: of any. */
enum ps_status ps_heartbeat_expire_dead(struct ps_store *store, bool *died, struct ps_err *err);

#endif
