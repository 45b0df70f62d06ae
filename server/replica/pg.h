/* SPDX-License-Identifier: MIT */
/*
 * pg.h: a database that speaks PostgreSQL's protocol, as the house sees it: one connection, its
 * statements and rows. The only folder that includes libpq-fe.h is this one. It knows nothing of
 * profiles, of SQLite or HTTP.
 *
 * A connection belongs to one thread at a time. It is made when it is first needed, and again after
 * it was lost. Every wait has an end: PS_UNAVAILABLE says that the database is away, or that what
 * was asked may be asked again; what a transaction did by then is undone, unless it was its commit
 * that nobody answered.
 *
 * Only what PostgreSQL, CockroachDB, YugabyteDB and Citus all have is used: row locks (no advisory
 * ones), INSERT ... ON CONFLICT (key) DO UPDATE, BIGINT, DOUBLE PRECISION, TEXT and BYTEA; no
 * sequences, no LISTEN, no WITH that writes, no triggers. Statements that change the layout may be
 * transactions of their own there: they can all be repeated (migrate.c). Held against what each
 * says it lacks or does otherwise:
 *   https://www.cockroachlabs.com/docs/stable/postgresql-compatibility, .../session-variables
 *   https://docs.yugabyte.com/stable/explore/ysql-language-features/postgresql-compatibility/ and
 *   .../explore/transactions
 *   https://docs.citusdata.com/en/stable/develop/reference_workarounds.html; its nodes share no
 *   snapshot, so tables that are read together stay on the coordinator
 * tests/http/shared_http.py lists the statements that a server says, and looks through them.
 */
#ifndef PS_REPLICA_PG_H
#define PS_REPLICA_PG_H

#include "base/buf.h"
#include "base/err.h"

struct ps_pg;

/* Connects to nothing yet. Free it with ps_pg_free. */
struct ps_pg *ps_pg_new(const char *url);
void ps_pg_free(struct ps_pg *pg); /* NULL is fine */

/* Connected afterwards; tries again for wait_ms. */
enum ps_status ps_pg_connect(struct ps_pg *pg, int64_t wait_ms, struct ps_err *err);
/* A pause before what failed is asked again, and what the next one is: begin with *ms 0. False:
 * `until` (CLOCK_MONOTONIC, ms) would be over. */
bool ps_pg_pause(int64_t *ms, int64_t until);
/* How long it may be silent from now on before it is given up; 0: as long as its locks may take. */
void ps_pg_patience(struct ps_pg *pg, int64_t ms);
/* Whether it was when it was last used. */
bool ps_pg_is_up(const struct ps_pg *pg);

/* --- Values --- */

enum ps_pg_type {
    PS_PG_NULL,
    PS_PG_INT,  /* BIGINT */
    PS_PG_REAL, /* DOUBLE PRECISION, bit for bit */
    PS_PG_TEXT, /* UTF-8 without NUL */
    PS_PG_BYTES /* BYTEA, never as hexadecimal digits on the way */
};

struct ps_pg_value {
    enum ps_pg_type type;
    int64_t i;
    double real;
    struct ps_str text; /* of text and bytes; borrowed */
};

static inline struct ps_pg_value ps_pg_int(int64_t i)
{
    return (struct ps_pg_value){.type = PS_PG_INT, .i = i};
}

static inline struct ps_pg_value ps_pg_text(const char *text)
{
    return (struct ps_pg_value){.type = PS_PG_TEXT, .text = ps_str_of(text)};
}

#define PS_PG_COLUMNS 40 /* of a row, and parameters of a statement, at most */

/* Takes one row, whose values last until it returns. Not PS_OK: no more are wanted. */
typedef enum ps_status ps_pg_row(void *user, const struct ps_pg_value *values, size_t n,
                                 struct ps_err *err);

/* --- Statements --- */

/* One statement with parameters $1, $2 ...; its rows as they come, if row is not NULL. */
enum ps_status ps_pg_run(struct ps_pg *pg, const char *sql, const struct ps_pg_value *params,
                         size_t n, ps_pg_row *row, void *user, struct ps_err *err);
/* Several statements without parameters, whose rows nobody wants. */
enum ps_status ps_pg_script(struct ps_pg *pg, const char *sql, struct ps_err *err);
/* Says this statement without waiting for an answer; ps_pg_settle waits for those of all that
 * were said, before anything else is asked. A failure may come with either; what was said behind
 * the statement that failed is not done. */
enum ps_status ps_pg_say(struct ps_pg *pg, const char *sql, const struct ps_pg_value *params,
                         size_t n, struct ps_err *err);
enum ps_status ps_pg_settle(struct ps_pg *pg, ps_pg_row *row, void *user, struct ps_err *err);

/* Ends a transaction, with what was said in it and is not settled. After a failure it was most
 * likely undone; where no answer came at all, nobody knows. */
enum ps_status ps_pg_commit(struct ps_pg *pg, struct ps_err *err);
/* Undoes it; without one nothing happens. A connection that cannot is given up. */
void ps_pg_rollback(struct ps_pg *pg);

/* --- Layout --- */

/* Makes the tables, or brings them to the layout of this perfshelf (schema/catalog.sql,
 * remote.sql). PS_CONFLICT: they are of a newer one. Of several at once one does it. */
enum ps_status ps_pg_migrate(struct ps_pg *pg, struct ps_err *err);
/* Appends the statements that ps_pg_migrate runs for a database of this layout; 0: an empty one. */
void ps_pg_layout(int64_t layout, struct ps_buf *out);

#endif
