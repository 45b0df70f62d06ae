/* SPDX-License-Identifier: MIT */
/*
 * clock.h: a total order of the changes that many servers make to shared rows.
 *
 * A server that changes rows first locks the row of table clock and holds the lock until the
 * commit. The number in that row is the number of the transaction, so numbers follow the order of
 * commits. Each row has the number of the transaction that wrote it last (column tx). For each
 * deleted row, table gone has its key with that number. Changes since a transaction are found by
 * larger numbers, without a growing log.
 */
#ifndef PS_REPLICA_CLOCK_H
#define PS_REPLICA_CLOCK_H

#include "server/replica/pg.h"

#define PS_CLOCK_KEY 4

/* A shared table of schema/catalog.sql. In PostgreSQL it also has the column tx. */
struct ps_clock_table {
    const char *name;
    size_t n_columns, n_key_columns;
    const char *columns[PS_PG_COLUMNS];
    size_t key[PS_CLOCK_KEY]; /* indexes of the primary key's columns, in key order */
};

struct ps_clock {
    int64_t transaction; /* number of the last transaction */
    int64_t pruned_to;   /* deletions up to this number were pruned from table gone */
    char store[33];      /* name of this store, which distinguishes it from others; hexadecimal */
};
enum ps_status ps_clock_read(struct ps_pg *pg, struct ps_clock *out, struct ps_err *err);

/* Begins a transaction that changes rows; out->transaction is its number. Connects, and waits for
 * the lock of the clock, for wait_ms in total. End it with ps_pg_commit or ps_pg_rollback. */
enum ps_status ps_clock_begin(struct ps_pg *pg, int64_t wait_ms, struct ps_clock *out,
                              struct ps_err *err);
/* Like ps_clock_begin, for a transaction that changes no rows with column tx and so does not
 * advance the clock. */
enum ps_status ps_clock_begin_without_tick(struct ps_pg *pg, int64_t wait_ms, struct ps_err *err);
/* Begins a read-only transaction with a consistent snapshot. */
enum ps_status ps_clock_begin_read(struct ps_pg *pg, struct ps_err *err);

/* Inside a transaction with number n, pipelined (ps_pg_queue): ps_clock_put inserts or replaces a
 * row, ps_clock_remove deletes the row with this key. */
enum ps_status ps_clock_put(struct ps_pg *pg, const struct ps_clock_table *table, int64_t n,
                            const struct ps_pg_value *values, struct ps_err *err);
enum ps_status ps_clock_remove(struct ps_pg *pg, const struct ps_clock_table *table, int64_t n,
                               const struct ps_pg_value *key, struct ps_err *err);

/* Read the rows of a table that were written after transaction `after`, and the keys of deleted
 * rows. A deleted key may have been inserted again: apply the deletions first. */
enum ps_status ps_clock_read_changed(struct ps_pg *pg, const struct ps_clock_table *table,
                                     int64_t after, ps_pg_row *row, void *user, struct ps_err *err);
enum ps_status ps_clock_read_deleted(struct ps_pg *pg, const struct ps_clock_table *table,
                                     int64_t after, ps_pg_row *key, void *user, struct ps_err *err);

/* Prunes deletions older than `before` (ms since 1970), in a transaction of its own. */
enum ps_status ps_clock_prune(struct ps_pg *pg, int64_t before, struct ps_err *err);

#endif
