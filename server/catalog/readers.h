/* SPDX-License-Identifier: MIT */
/*
 * readers.h: connections to the run files and to the catalog of a shelf. Any thread may acquire a
 * connection; the connection belongs to that thread until the thread releases it.
 *
 *     struct ps_db *db = NULL;
 *
 *     if (ps_run_acquire(store, id, &db, err) == PS_OK)
 *         read it with db.h and trace.h
 *     ps_run_release(db);
 */
#ifndef PS_CATALOG_READERS_H
#define PS_CATALOG_READERS_H

#include "server/catalog/store.h"
#include "server/runfile/db.h"

/* Opens a published run read-only, or takes an open connection with its prepared statements from
 * the pool. Release it with ps_run_release (NULL is allowed). */
enum ps_status ps_run_acquire(struct ps_store *store, const char *id, struct ps_db **out,
                              struct ps_err *err);
void ps_run_release(struct ps_db *db);

/* Opens a run for one statement that a user wrote, without the pool. The statement can only read
 * this run, and only call functions without side effects. PS_LIMIT, PS_TOO_SLOW: the statement
 * exceeded a limit; PS_CANCELLED: it was stopped. Close the connection with ps_db_close. */
enum ps_status ps_run_open_for_user_query(struct ps_store *store, const char *id,
                                          const struct ps_query_limits *by, struct ps_db **out,
                                          struct ps_err *err);
/* Opens several runs for one such statement. It sees the views of the runs, with a first column
 * `run`, and the views of schema/shelf_views.sql, but not the tables of the runs or of the catalog.
 */
enum ps_status ps_shelf_open_for_user_query(struct ps_store *store, char (*ids)[PS_ID_SIZE],
                                            size_t n, const struct ps_query_limits *by,
                                            struct ps_db **out, struct ps_err *err);
/* Returns the store of a connection that ps_run_acquire opened; NULL for other connections. */
struct ps_store *ps_db_get_store(const struct ps_db *db);

/* Begins to read the committed state of the catalog; ps_catalog_read_end (NULL is allowed) ends the
 * read. Does not wait for concurrent writers, and does not see their changes. */
enum ps_status ps_catalog_read(struct ps_store *store, struct ps_db **out, struct ps_err *err);
void ps_catalog_read_end(struct ps_store *store, struct ps_db *db);

/* Locks the catalog for this thread until ps_catalog_unlock, and returns its connection. */
struct ps_db *ps_catalog_lock(struct ps_store *store);
void ps_catalog_unlock(struct ps_store *store);

#endif
