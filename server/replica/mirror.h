/* SPDX-License-Identifier: MIT */
/*
 * mirror.h: a catalog that many servers share. It is stored in a database that speaks PostgreSQL's
 * protocol. The catalog.db of each server is a mirror of it, which serves all queries.
 *
 * A transaction of the catalog has these steps: lock the clock of the database
 * (server/replica/clock.h), which orders the transaction among those of all servers; bring the
 * mirror up to date; run in the mirror; send the changed rows; commit in the database, then in the
 * mirror. A failure before the remote commit rolls back both sides. If the result of the remote
 * commit is unknown, or this process crashes before the local commit, the mirror is unchanged and
 * later applies the committed transactions. The mirror may be deleted at any time.
 *
 * While the database is unreachable, reads continue from the mirror. Writes wait some seconds for
 * the database, then fail with PS_UNAVAILABLE.
 */
#ifndef PS_REPLICA_MIRROR_H
#define PS_REPLICA_MIRROR_H

#include <sqlite3.h>

#include "server/catalog/state.h"
#include "server/replica/change_feed.h"
#include "server/replica/clock.h"
#include "server/replica/ticker.h"

/* The tables of catalog.sql with the tag `shared`. The other tables describe files in this server's
 * own folder. */
#define PS_MIRROR_TABLES 32
struct ps_mirror_tables {
    struct ps_clock_table items[PS_MIRROR_TABLES];
    size_t n;
    struct ps_arena arena;
};

struct ps_mirror {
    struct ps_pg *writer, *poll_pg;
    /* each protects its connection; lock it before the catalog */
    pthread_mutex_t write_lock, poll_lock;
    struct ps_mirror_tables tables;
    atomic_bool is_away;    /* the last poll failed */
    bool was_reported_away; /* value of `is_away` that was last reported to readers of the shelf */
    int64_t pruned_ms;      /* monotonic clock: last time that old deletions were pruned */
    struct ps_clock clock;  /* of the open transaction */
    sqlite3_session *session;
    bool is_committed_remotely; /* the shared database committed the open transaction */
    bool has_repairs; /* invalid strings were repaired, so the rows sent differ from the local ones
                       */
    pthread_mutex_t ready_lock;
    /* the remote tables have the current layout, and this session has its lease */
    atomic_bool is_ready;
    struct ps_ticker poll_ticker;
    struct ps_change_feed
        applied_changes; /* changes applied by the open transaction of the mirror */
    struct ps_change_feed pending_changes;     /* committed changes, not reported yet */
    pthread_mutex_t pending_lock, report_lock; /* report_lock: held during a report */
    void (*listener)(void *user, const struct ps_row_change *change); /* NULL: no listener */
    void *listener_user;
};

/* For an open catalog: connects, creates or migrates the remote tables, catches up, and starts a
 * thread that polls for changes. If the database is unreachable and the folder is a mirror already,
 * all this is done once it is reachable. PS_CONFLICT: the folder is a shelf itself. */
enum ps_status ps_mirror_open(struct ps_store *store, const char *url, struct ps_err *err);
void ps_mirror_close(struct ps_store *store); /* does nothing without a mirror */

/* Steps of a transaction (acquire, begin, commit and release of ps_backend). Before the catalog is
 * locked: locks the clock. After PS_OK, ps_mirror_release unlocks it. */
enum ps_status ps_mirror_acquire(struct ps_store *store, struct ps_err *err);
/* Inside the transaction of the mirror: catches up, and begins to record changes. */
enum ps_status ps_mirror_begin(struct ps_store *store, struct ps_err *err);
/* Sends the recorded changes and commits them remotely. */
enum ps_status ps_mirror_send(struct ps_store *store, struct ps_err *err);
/* Ends the transaction. committed: the local commit succeeded. */
void ps_mirror_release(struct ps_store *store, bool committed);

/* See ps_store_listen. */
void ps_mirror_listen(struct ps_store *store, ps_change_listener *listener, void *user);
/* Whether the database could not be reached at the last poll. */
bool ps_mirror_is_away(const struct ps_store *store);
/* Applies the transactions committed since the last poll. False: the database is unreachable. */
bool ps_mirror_poll(struct ps_store *store);

/* The following functions process the rows of the mirror (mirror_rows.c). */

enum ps_status ps_mirror_describe(struct ps_db *db, struct ps_mirror_tables *out,
                                  struct ps_err *err);
/* Inside a transaction on both sides: brings the rows of the mirror from their version to `to`, or
 * replaces all rows if it cannot. *from: previous version of the rows; -1: all were replaced. */
enum ps_status ps_mirror_catch_up(struct ps_db *db, struct ps_pg *pg,
                                  const struct ps_mirror_tables *tables, const struct ps_clock *to,
                                  int64_t *from, struct ps_err *err);
/* Stores the version of the rows. */
enum ps_status ps_mirror_store_version(struct ps_db *db, const struct ps_clock *at,
                                       struct ps_err *err);
/* Queues (ps_pg_queue) the rows that a session recorded, as changes of transaction `at`. *rows:
 * number of queued rows. *repaired: invalid UTF-8 was repaired before sending, so the local rows
 * differ. */
enum ps_status ps_mirror_queue_rows(struct ps_db *db, sqlite3_session *session, struct ps_pg *pg,
                                    const struct ps_mirror_tables *tables,
                                    const struct ps_clock *at, size_t *rows, bool *repaired,
                                    struct ps_err *err);

#endif
