/* SPDX-License-Identifier: MIT */
/*
 * clock.h: rows that many servers change, in one order that all of them see.
 *
 * Whoever changes rows takes the row of table clock first and holds it until the commit: its number
 * is the number of the transaction, and nobody else's can come in between. Each row carries the
 * number of the transaction that wrote it last (column tx), each row that was removed leaves
 * its key with that number in table gone. So what happened after a number is found by asking for
 * larger ones, without a log that grows.
 */
#ifndef PS_REPLICA_CLOCK_H
#define PS_REPLICA_CLOCK_H

#include "server/replica/pg.h"

#define PS_CLOCK_KEY 4

/* A shared table of schema/catalog.sql. In PostgreSQL it has column tx besides. */
struct ps_clock_table {
    const char *name;
    size_t n, n_key;
    const char *columns[PS_PG_COLUMNS];
    size_t key[PS_CLOCK_KEY]; /* which of them are its primary key, in its order */
};

struct ps_clock {
    int64_t n;      /* of the last transaction */
    int64_t pruned; /* what was removed up to this one is forgotten */
    char store[33]; /* the name of this store, by which it is known from others; hexadecimal */
};
enum ps_status ps_clock_read(struct ps_pg *pg, struct ps_clock *out, struct ps_err *err);

/* Begins a transaction that changes rows; out->n: its own number. Connects, and waits for others
 * that hold the clock, for wait_ms in all. End it with ps_pg_commit or ps_pg_rollback. */
enum ps_status ps_clock_begin(struct ps_pg *pg, int64_t wait_ms, struct ps_clock *out,
                              struct ps_err *err);
/* The same for one that changes no rows with a number: nobody has to look for what is new. */
enum ps_status ps_clock_hold(struct ps_pg *pg, int64_t wait_ms, struct ps_err *err);
/* Begins one that only reads, and sees one moment. */
enum ps_status ps_clock_look(struct ps_pg *pg, struct ps_err *err);

/* Inside a transaction with number n, without waiting (ps_pg_say): a row, new or in place of
 * the one with its key; or none with this key any more. */
enum ps_status ps_clock_put(struct ps_pg *pg, const struct ps_clock_table *table, int64_t n,
                            const struct ps_pg_value *values, struct ps_err *err);
enum ps_status ps_clock_remove(struct ps_pg *pg, const struct ps_clock_table *table, int64_t n,
                               const struct ps_pg_value *key, struct ps_err *err);

/* The rows of a table that were written after transaction `after`; the keys of those that were
 * removed. A key that was removed may be of a row that there is again: take the removals first. */
enum ps_status ps_clock_changed(struct ps_pg *pg, const struct ps_clock_table *table, int64_t after,
                                ps_pg_row *row, void *user, struct ps_err *err);
enum ps_status ps_clock_gone(struct ps_pg *pg, const struct ps_clock_table *table, int64_t after,
                             ps_pg_row *key, void *user, struct ps_err *err);

/* Forgets removals that are older than `before` (ms since 1970), in a transaction of its own. */
enum ps_status ps_clock_prune(struct ps_pg *pg, int64_t before, struct ps_err *err);

#endif
