/* SPDX-License-Identifier: MIT */
/*
 * temp_shelf.h: a temporary shelf, invisible to others and deleted when it is closed, for copies of
 * some runs of another shelf. It is an ordinary store: every query of a run also works on its copy.
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
 * with its catalog in memory. ps_store_close deletes the folder. A folder left by a crashed process
 * is deleted when the shelf is opened next. */
enum ps_status ps_temp_shelf_open(struct ps_store *of, struct ps_store **out, struct ps_err *err);
/* Copies a run with its id, labels and sources. The files are shared (linked); the original is not
 * copied. PS_NOT_FOUND: there is no such run. */
enum ps_status ps_temp_shelf_add_run(struct ps_store *from, struct ps_store *to, const char *id,
                                     struct ps_err *err);

/* Calls `take` for each file of a private shelf, in the form that an engine without a folder reads
 * (server/offline/shelf.h): /catalog.db, /runs/<id>.db, and /sources/<sha256> as they were
 * attached. `take` must read each stream to its end. */
typedef enum ps_status ps_temp_shelf_visit(void *user, const char *name, struct ps_stream *bytes,
                                           struct ps_err *err);
enum ps_status ps_temp_shelf_each_file(struct ps_store *store, ps_temp_shelf_visit *take,
                                       void *user, struct ps_err *err);

/* Publishes a part that was derived from run `id`, with the id and the creation time of that run.
 * Frees the part also after a failure. */
enum ps_status ps_temp_shelf_publish(struct ps_store *from, struct ps_store *to, const char *id,
                                     struct ps_part *part, const struct ps_new_run *run,
                                     struct ps_err *err);

#endif
