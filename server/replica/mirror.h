/* SPDX-License-Identifier: MIT */
/*
 * mirror.h: a catalog that many servers share. It lies in a database that speaks PostgreSQL's
 * protocol; the catalog.db of each server is its mirror, which every question is put to.
 *
 * A transaction of the catalog takes the clock there (server/replica/clock.h), which puts it in one
 * order with those of all other servers, brings the mirror up to date, runs here, and sends the
 * rows that it changed; it is committed there, then here. If anything fails before the commit
 * there, it is undone on both sides. If nobody answered the commit, or this process dies before its
 * own, the mirror holds what it held before, and catches up with what was committed. The mirror may
 * be thrown away at any time.
 *
 * While the database is away reads go on from the mirror; writes wait for it for some seconds, then
 * fail with PS_UNAVAILABLE.
 */
#ifndef PS_REPLICA_MIRROR_H
#define PS_REPLICA_MIRROR_H

#include <sqlite3.h>

#include "server/catalog/state.h"
#include "server/replica/change_feed.h"
#include "server/replica/clock.h"
#include "server/replica/ticker.h"

/* The tables of catalog.sql that are tagged as shared. The others describe files in this server's
 * own folder. */
#define PS_MIRROR_TABLES 32
struct ps_mirror_tables {
    struct ps_clock_table at[PS_MIRROR_TABLES];
    size_t n;
    struct ps_arena arena;
};

struct ps_mirror {
    struct ps_pg *writer, *looker;
    pthread_mutex_t write_lock, look_lock; /* each for its connection; before the catalog's lock */
    struct ps_mirror_tables tables;
    atomic_bool away;    /* the last look failed */
    bool noted_away;     /* and those who look at the shelf know */
    int64_t pruned_ms;   /* CLOCK_MONOTONIC: removals were forgotten last */
    struct ps_clock now; /* of the transaction that is open */
    sqlite3_session *session;
    bool sent;   /* it is committed there */
    bool mended; /* what was sent differs from what is here */
    pthread_mutex_t ready_lock;
    atomic_bool ready; /* its tables are there as ours are, and this opening is known there */
    struct ps_ticker looks;
    struct ps_change_feed caught;          /* by the transaction of the mirror that is open */
    struct ps_change_feed news;            /* committed, and not told yet */
    pthread_mutex_t news_lock, heard_lock; /* heard_lock: while somebody is told */
    void (*heard)(void *user, const struct ps_change *change); /* NULL: nobody listens */
    void *heard_user;
};

/* For a catalog that is open: connects, lays out what is missing, catches up, and goes on looking
 * in a thread of its own. Where the database is away, and the folder has been a mirror before, all
 * of that follows when it is there. PS_CONFLICT: the folder is a shelf itself. */
enum ps_status ps_mirror_open(struct ps_store *store, const char *url, struct ps_err *err);
void ps_mirror_close(struct ps_store *store); /* without a mirror nothing happens */

/* The steps of a transaction, for transaction.c alone. Before the catalog is locked: takes the
 * clock; after PS_OK it is given back by ps_mirror_done. */
enum ps_status ps_mirror_order(struct ps_store *store, struct ps_err *err);
/* Inside the transaction of the mirror: catches up, and begins to record. */
enum ps_status ps_mirror_begin(struct ps_store *store, struct ps_err *err);
/* Sends what was recorded, and commits it there. */
enum ps_status ps_mirror_send(struct ps_store *store, struct ps_err *err);
/* The transaction here is over, with the mirror at what it was told, or not. */
void ps_mirror_done(struct ps_store *store, bool committed);

/* ps_store_listen. */
void ps_mirror_listen(struct ps_store *store, ps_change_listener *heard, void *user);
/* The database could not be reached when it was last asked. */
bool ps_mirror_is_away(const struct ps_store *store);
/* Brings what was committed since. False: nothing is known. */
bool ps_mirror_look(struct ps_store *store);

/* Rows (mirror_rows.c). */

enum ps_status ps_mirror_describe(struct ps_db *db, struct ps_mirror_tables *out,
                                  struct ps_err *err);
/* Inside a transaction on both sides: brings the rows of the mirror from where they stand to `to`,
 * or makes all of them anew where that cannot be. *from: where they stood, -1: they are made anew.
 */
enum ps_status ps_mirror_catch_up(struct ps_db *db, struct ps_pg *pg,
                                  const struct ps_mirror_tables *tables, const struct ps_clock *to,
                                  int64_t *from, struct ps_err *err);
/* Notes where the rows stand. */
enum ps_status ps_mirror_record(struct ps_db *db, const struct ps_clock *at, struct ps_err *err);
/* Says (ps_pg_say) the rows that a session recorded as those of transaction `at`. *rows: how many;
 * *mended: text that is no UTF-8 was sent otherwise than it stands here. */
enum ps_status ps_mirror_queue_rows(struct ps_db *db, sqlite3_session *session, struct ps_pg *pg,
                                    const struct ps_mirror_tables *tables,
                                    const struct ps_clock *at, size_t *rows, bool *mended,
                                    struct ps_err *err);

#endif
