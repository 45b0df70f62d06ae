/* SPDX-License-Identifier: MIT */
/*
 * pg.h: a connection to a database that speaks PostgreSQL's protocol, with statements and rows.
 * Only this folder includes libpq-fe.h. This module does not depend on profiles, SQLite or HTTP.
 *
 * A connection belongs to one thread at a time. It is opened on first use, and again after it was
 * lost. Every wait has a timeout. PS_UNAVAILABLE means that the database is unreachable, or that
 * the statement may be retried; an open transaction is rolled back then, except that the result of
 * an unanswered commit is unknown.
 *
 * Only features that PostgreSQL, CockroachDB, YugabyteDB and Citus all support are used: row locks
 * (no advisory locks), INSERT ... ON CONFLICT (key) DO UPDATE, BIGINT, DOUBLE PRECISION, TEXT and
 * BYTEA; no sequences, no LISTEN, no data-modifying WITH, no triggers. DDL statements may be
 * transactions of their own there: all of them are idempotent (migrate.c). Checked against the
 * lists of unsupported features and differences:
 *   https://www.cockroachlabs.com/docs/stable/postgresql-compatibility, .../session-variables
 *   https://docs.yugabyte.com/stable/explore/ysql-language-features/postgresql-compatibility/ and
 *   .../explore/transactions
 *   https://docs.citusdata.com/en/stable/develop/reference_workarounds.html; its nodes share no
 *   snapshot, so tables that are read together stay on the coordinator
 * tests/http/shared_http.py records the statements that a server sends, and checks them.
 */
#ifndef PS_REPLICA_PG_H
#define PS_REPLICA_PG_H

#include "base/buf.h"
#include "base/err.h"

struct ps_pg;

/* Creates a connection object without connecting. Free it with ps_pg_free. */
struct ps_pg *ps_pg_new(const char *url);
void ps_pg_free(struct ps_pg *pg); /* NULL is allowed */

/* Connects if necessary; retries for wait_ms. A filled err makes no attempt. */
enum ps_status ps_pg_connect(struct ps_pg *pg, int64_t wait_ms, struct ps_err *err);
/* Sleeps before a retry, each time longer. Begin with *ms 0. False: the sleep would end after
 * `until` (monotonic clock, ms). */
bool ps_pg_sleep(int64_t *ms, int64_t until);
/* Sets how long the database may be silent before the connection is closed; 0: the default, longer
 * than its lock timeout. */
void ps_pg_set_timeout(struct ps_pg *pg, int64_t ms);
/* Whether the connection was open at its last use. */
bool ps_pg_is_connected(const struct ps_pg *pg);

/* --- Values --- */

enum ps_pg_type {
    PS_PG_NULL,
    PS_PG_INT,  /* BIGINT */
    PS_PG_REAL, /* DOUBLE PRECISION, exact bits */
    PS_PG_TEXT, /* UTF-8 without NUL */
    PS_PG_BYTES /* BYTEA, sent in binary form */
};

struct ps_pg_value {
    enum ps_pg_type type;
    int64_t i;
    double real;
    struct ps_str text; /* for PS_PG_TEXT and PS_PG_BYTES; borrowed */
};

static inline struct ps_pg_value ps_pg_int(int64_t i)
{
    return (struct ps_pg_value){.type = PS_PG_INT, .i = i};
}

static inline struct ps_pg_value ps_pg_text(const char *text)
{
    return (struct ps_pg_value){.type = PS_PG_TEXT, .text = ps_str_from_c(text)};
}

#define PS_PG_COLUMNS 40 /* maximum columns of a row and parameters of a statement */

/* Receives one row, whose values are valid until it returns. Fills err and returns its code to end
 * the rows. */
typedef enum ps_status ps_pg_row(void *user, const struct ps_pg_value *values, size_t n,
                                 struct ps_err *err);

/* --- Statements --- */

/* These functions do nothing if err is filled already, and return its code: a sequence of them is
 * checked once, at its end (server/runfile/db.h). Only ps_pg_rollback always does its work. */

/* Runs one statement with parameters $1, $2 ... and passes its rows to `row` (may be NULL). */
enum ps_status ps_pg_run(struct ps_pg *pg, const char *sql, const struct ps_pg_value *params,
                         size_t n, ps_pg_row *row, void *user, struct ps_err *err);
/* Runs several statements without parameters, and ignores their rows. */
enum ps_status ps_pg_script(struct ps_pg *pg, const char *sql, struct ps_err *err);
/* ps_pg_queue queues a statement (pipeline) without waiting for its result; ps_pg_flush waits for
 * the results of all queued statements. Call ps_pg_flush before any statement that is not queued.
 * Either function may return the error of a queued statement; statements after the failed one are
 * not executed. */
enum ps_status ps_pg_queue(struct ps_pg *pg, const char *sql, const struct ps_pg_value *params,
                           size_t n, struct ps_err *err);
enum ps_status ps_pg_flush(struct ps_pg *pg, ps_pg_row *row, void *user, struct ps_err *err);

/* Commits, together with queued statements. After a failure the transaction was most likely rolled
 * back; if the connection was lost, its result is unknown. */
enum ps_status ps_pg_commit(struct ps_pg *pg, struct ps_err *err);
/* Rolls back. Does nothing without a transaction. Closes the connection on failure. */
void ps_pg_rollback(struct ps_pg *pg);

/* --- Layout --- */

/* Creates the tables or migrates them to the layout of this perfshelf (schema/catalog.sql,
 * remote.sql). PS_CONFLICT: they have a newer layout. May be called by several servers at once. */
enum ps_status ps_pg_migrate(struct ps_pg *pg, struct ps_err *err);
/* Appends the statements that ps_pg_migrate runs for a database of this layout; 0: an empty
 * database. */
void ps_pg_layout_script(int64_t layout, struct ps_buf *out);

#endif
