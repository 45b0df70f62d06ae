/* SPDX-License-Identifier: MIT */
/*
 * temp_shelf.h: a private shelf for copies of some runs of another shelf. Other users and processes
 * do not see it; ps_store_close deletes it. Every function that queries a run also works with its
 * copy.
 *
 *     struct ps_store *temp = NULL;
 *
 *     if (ps_temp_shelf_open(store, &temp, err) == PS_OK)
 *         ps_temp_shelf_add_run(store, temp, id, err);
 *     ps_store_close(temp);
 */
#ifndef PS_CATALOG_TEMP_SHELF_H
#define PS_CATALOG_TEMP_SHELF_H

#include "server/catalog/store.h"

/* Creates an empty private shelf: a folder in the spool of `of` (in $TMPDIR if `of` is read-only),
 * with its catalog in memory. ps_store_close deletes the folder. If the process crashes, a later
 * session of `of` deletes the folder in the spool. */
enum ps_status ps_temp_shelf_open(struct ps_store *of, struct ps_store **out, struct ps_err *err);
/* Copies a run with its id, labels and sources, but without its original. Links the files if
 * possible. PS_NOT_FOUND: there is no such run. */
enum ps_status ps_temp_shelf_add_run(struct ps_store *from, struct ps_store *to, const char *id,
                                     struct ps_err *err);

/* Calls `take` for each file of a private shelf, under the names that server/offline/shelf.h reads:
 * /catalog.db, /runs/<id>.db, and /sources/<sha256>, uncompressed. `take` must read each stream to
 * its end. */
typedef enum ps_status ps_temp_shelf_visit(void *user, const char *name, struct ps_stream *bytes,
                                           struct ps_err *err);
enum ps_status ps_temp_shelf_each_file(struct ps_store *store, ps_temp_shelf_visit *take,
                                       void *user, struct ps_err *err);

/* Publishes a part in `to`, with the id and the creation time of the run `id` of `from`, from which
 * the part was derived. Frees the part also after a failure. */
enum ps_status ps_temp_shelf_publish(struct ps_store *from, struct ps_store *to, const char *id,
                                     struct ps_part *part, const struct ps_new_run *run,
                                     struct ps_err *err);

#endif
