/* SPDX-License-Identifier: MIT */
/*
 * lease.h: the sessions of a store that are alive (table server of schema/remote.sql).
 *
 * Each session has a row while it lasts, with a number (beat) that is incremented about once a
 * second. Clocks of different machines are never compared. An observer remembers the beat that it
 * read, and adds up the time during which it did not change while the database was reachable. If
 * this time reaches PS_LEASE_DEAD_MS, the session has crashed, or is stalled or disconnected so
 * long that other servers take over its work. A session without a row has ended.
 */
#ifndef PS_REPLICA_LEASE_H
#define PS_REPLICA_LEASE_H

#include "server/replica/pg.h"

#define PS_LEASE_SIZE    64 /* bytes of a session's name, with its NUL */
#define PS_LEASE_BEAT_MS 1000
#define PS_LEASE_DEAD_MS 10000

struct ps_lease {
    char session[PS_LEASE_SIZE];
    char location[160]; /* host and process, for display */
    int64_t number;     /* 1 and up; unique among all sessions of the store */
};

/* Inserts the row and sets lease->number, in a transaction of its own. A repeated call assigns
 * another number. */
enum ps_status ps_lease_begin(struct ps_pg *pg, struct ps_lease *lease, struct ps_err *err);
/* Increments the heartbeat counter (beat) of the session's row. Inserts the row again if it was
 * deleted. */
enum ps_status ps_lease_renew(struct ps_pg *pg, const struct ps_lease *lease, struct ps_err *err);
/* Deletes the row of a session that ended or crashed. Does nothing if there is none. */
enum ps_status ps_lease_end(struct ps_pg *pg, const char *session, struct ps_err *err);
/* Whether the session has a row; allowed inside a transaction, too. */
enum ps_status ps_lease_exists(struct ps_pg *pg, const char *session, bool *out,
                               struct ps_err *err);

struct ps_lease_state {
    char session[PS_LEASE_SIZE];
    int64_t beat;               /* as last read; -1: not read yet */
    int64_t unchanged_since_ms; /* observed time during which the beat did not change */
    bool exists;                /* the last check found the row */
};

struct ps_lease_watch {
    struct ps_lease_state *items;
    size_t n, cap;
    /* time of the last successful check; 0: the last one failed, or there was none */
    int64_t checked_ms;
};

/* Reads all rows. now_ms: monotonic clock, read before the call. After a failure, the time until
 * the next successful check counts for no session. */
enum ps_status ps_lease_check_all(struct ps_pg *pg, struct ps_lease_watch *watch, int64_t now_ms,
                                  struct ps_err *err);
/* Last state of a session; NULL: it had no row at the last check. */
const struct ps_lease_state *ps_lease_find(const struct ps_lease_watch *watch, const char *session);
/* Deletes the row of a crashed session. *broken false: its beat has changed since, or the row is
 * gone. */
enum ps_status ps_lease_break(struct ps_pg *pg, const struct ps_lease_state *seen, bool *broken,
                              struct ps_err *err);
void ps_lease_watch_free(struct ps_lease_watch *watch);

#endif
