/* SPDX-License-Identifier: MIT */
/*
 * lives.h: who lives on a store that many servers share (server/remote/lease.h): the row of this
 * opening, which a thread of its own keeps alive, however long everything else waits; and what is
 * known of the others.
 */
#ifndef PS_STORE_LIVES_H
#define PS_STORE_LIVES_H

#include "server/remote/lease.h"
#include "server/store/db_impl.h"
#include "server/store/ticker.h"

struct ps_lives {
    struct ps_lease lease;
    struct ps_pg *beater, *asker;
    pthread_mutex_t begin_lock; /* of who makes the row */
    pthread_mutex_t ask_lock;   /* of asker and watch */
    atomic_bool begun;
    _Atomic int64_t beat_ms; /* CLOCK_MONOTONIC: it lived for certain, for all to see */
    struct ps_ticker beats;
    struct ps_lease_watch watch; /* of a server (takeover.c); else empty */
};

/* Fills store->lives; the thread begins, and says nothing before ps_lives_confirm has made the row.
 */
enum ps_status ps_lives_start(struct ps_store *store, const char *url, struct ps_err *err);
/* Takes the row away; without lives nothing happens. */
void ps_lives_stop(struct ps_store *store);

/* Before anything is written in the name of this opening: it has its row, and beat a short while
 * ago. One that was stalled is not taken for dead by whoever sees what it writes next. pg is
 * connected. */
enum ps_status ps_lives_confirm(struct ps_store *store, struct ps_pg *pg, struct ps_err *err);

/* Whether an opening anywhere lives; true where nobody can be asked. */
bool ps_lives_is(struct ps_store *store, const char *session);
/* One of this machine is known to have died. False: the database is away. */
bool ps_lives_bury(struct ps_store *store, const char *session);
/* Looks at all of them, and takes the rows of those away that have died. *died: of any. */
enum ps_status ps_lives_look(struct ps_store *store, bool *died, struct ps_err *err);

#endif
