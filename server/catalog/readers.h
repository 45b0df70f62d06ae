/* SPDX-License-Identifier: MIT */
/*
 * readers.h: connections to what a shelf holds: run files, kept open in a pool, and the catalog.
 * Any thread may ask for one; a connection belongs to the thread that asked until it is released.
 */
#ifndef PS_CATALOG_READERS_H
#define PS_CATALOG_READERS_H

#include "server/catalog/store.h"
#include "server/runfile/db.h"

/* A published run, read-only, with prepared statements kept; give it back with ps_run_release (NULL
 * is fine). */
enum ps_status ps_run_acquire(struct ps_store *store, const char *id, struct ps_db **out,
                              struct ps_err *err);
void ps_run_release(struct ps_db *db);
/* The same for ps_rewrite_run, which copies a run whole. PS_CONFLICT: another version of perfshelf
 * wrote the file, with other tables. */
enum ps_status ps_run_acquire_current(struct ps_store *store, const char *id, struct ps_db **out,
                                      struct ps_err *err);

/* The same without pool or statement cache, for one statement that people type: it reads this run
 * and nothing else, with functions that do no more than compute. What goes beyond a limit is ended
 * with PS_LIMIT or PS_TOO_SLOW, or PS_CANCELLED when it was stopped. */
enum ps_status ps_run_open_for_user_query(struct ps_store *store, const char *id,
                                          const struct ps_query_limits *by, struct ps_db **out,
                                          struct ps_err *err);
/* The same over several runs: their views with a column `run` before, and what
 * schema/shelf_views.sql shows of the catalog; neither a run's own tables nor the catalog's. */
enum ps_status ps_shelf_open_for_user_query(struct ps_store *store, char (*ids)[PS_ID_SIZE],
                                            size_t n, const struct ps_query_limits *by,
                                            struct ps_db **out, struct ps_err *err);
/* The store it came from. */
struct ps_store *ps_db_store(const struct ps_db *db);

/* The catalog to read, as it stands committed, until ps_catalog_read_end (NULL is fine); who writes
 * meanwhile is neither waited for nor seen. */
enum ps_status ps_catalog_read(struct ps_store *store, struct ps_db **out, struct ps_err *err);
void ps_catalog_read_end(struct ps_store *store, struct ps_db *db);

/* The catalog to write, locked for this thread until ps_catalog_unlock. */
struct ps_db *ps_catalog_lock(struct ps_store *store);
void ps_catalog_unlock(struct ps_store *store);

#endif
