/* SPDX-License-Identifier: MIT */
/*
 * readers.h: connections to the databases of a shelf: run files, pooled, and the catalog. Any
 * thread may acquire a connection; it belongs to that thread until it is released.
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

/* Opens a published run read-only, from the pool and with cached statements. Release it with
 * ps_run_release (NULL is allowed). */
enum ps_status ps_run_acquire(struct ps_store *store, const char *id, struct ps_db **out,
                              struct ps_err *err);
void ps_run_release(struct ps_db *db);
/* Like ps_run_acquire, for ps_rewrite_run, which copies all tables of a run. PS_CONFLICT: another
 * version of perfshelf wrote the file, with other tables. */
enum ps_status ps_run_acquire_current(struct ps_store *store, const char *id, struct ps_db **out,
                                      struct ps_err *err);

/* Like ps_run_acquire, but without pool and statement cache, for one statement written by a user:
 * it can only read this run, and only call functions without side effects. A statement that exceeds
 * a limit ends with PS_LIMIT or PS_TOO_SLOW; a stopped one with PS_CANCELLED. */
enum ps_status ps_run_open_for_user_query(struct ps_store *store, const char *id,
                                          const struct ps_query_limits *by, struct ps_db **out,
                                          struct ps_err *err);
/* Does the same over several runs. The statement sees the views of the runs, with a first column
 * `run`, and the views of schema/shelf_views.sql, but not the tables of the runs or of the catalog.
 */
enum ps_status ps_shelf_open_for_user_query(struct ps_store *store, char (*ids)[PS_ID_SIZE],
                                            size_t n, const struct ps_query_limits *by,
                                            struct ps_db **out, struct ps_err *err);
/* The store of a connection. */
struct ps_store *ps_db_get_store(const struct ps_db *db);

/* Opens the committed state of the catalog for reading, until ps_catalog_read_end (NULL is
 * allowed). Does not wait for concurrent writers, and does not see their changes. */
enum ps_status ps_catalog_read(struct ps_store *store, struct ps_db **out, struct ps_err *err);
void ps_catalog_read_end(struct ps_store *store, struct ps_db *db);

/* Opens the catalog for writing, locked for this thread until ps_catalog_unlock. */
struct ps_db *ps_catalog_lock(struct ps_store *store);
void ps_catalog_unlock(struct ps_store *store);

#endif
