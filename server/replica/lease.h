/* SPDX-License-Identifier: MIT */
/*
 * lease.h: which openings of a store live (table server of schema/remote.sql).
 *
 * Each has a row for as long as it lasts, whose number goes up about once a second. No clock of one
 * machine is held against that of another: who watches remembers the number that it saw, and adds
 * up the time for which it stood still while the database answered. One that stood still for
 * PS_LEASE_DEAD_MS has died, or is stalled or cut off so badly that others go on with what it had;
 * one without a row has ended.
 */
#ifndef PS_REPLICA_LEASE_H
#define PS_REPLICA_LEASE_H

#include "server/replica/pg.h"

#define PS_LEASE_SIZE    64 /* of a session's name, with its NUL */
#define PS_LEASE_BEAT_MS 1000
#define PS_LEASE_DEAD_MS 10000

struct ps_lease {
    char session[PS_LEASE_SIZE];
    char place[160]; /* for people: host and process */
    int64_t no;      /* 1 and up, no two openings of the store ever have the same */
};

/* Makes the row and fills lease->no, in a transaction of its own. Said twice it gives another
 * number. */
enum ps_status ps_lease_begin(struct ps_pg *pg, struct ps_lease *lease, struct ps_err *err);
/* It lives. A row that was taken away meanwhile is there again. */
enum ps_status ps_lease_beat(struct ps_pg *pg, const struct ps_lease *lease, struct ps_err *err);
/* It ends, or is known to have died; without a row nothing happens. */
enum ps_status ps_lease_end(struct ps_pg *pg, const char *session, struct ps_err *err);
/* Whether there is a row; also inside a transaction. */
enum ps_status ps_lease_is(struct ps_pg *pg, const char *session, bool *out, struct ps_err *err);

struct ps_lease_seen {
    char session[PS_LEASE_SIZE];
    int64_t beat, still_ms;
    bool there;
};

struct ps_lease_watch {
    struct ps_lease_seen *at;
    size_t n, cap;
    int64_t looked_ms; /* the last look that was answered; 0: none before this one */
};

/* Looks at all rows. now_ms: CLOCK_MONOTONIC, taken before. A failure says nothing of anybody, and
 * the time until the next answer counts for nobody. */
enum ps_status ps_lease_look(struct ps_pg *pg, struct ps_lease_watch *watch, int64_t now_ms,
                             struct ps_err *err);
/* What is known of a session; NULL: it had no row when it was looked for last. */
const struct ps_lease_seen *ps_lease_seen(const struct ps_lease_watch *watch, const char *session);
/* Takes the row of one that died away. *broken false: it beat since it was seen, or is gone. */
enum ps_status ps_lease_break(struct ps_pg *pg, const struct ps_lease_seen *seen, bool *broken,
                              struct ps_err *err);
void ps_lease_watch_free(struct ps_lease_watch *watch);

#endif
