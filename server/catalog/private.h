/* SPDX-License-Identifier: MIT */
/*
 * private.h: a shelf that nobody else sees and that goes when it is closed, for copies of some runs
 * of another one. It is a store like any: whatever is asked of a run can be asked of its copy.
 */
#ifndef PS_CATALOG_PRIVATE_H
#define PS_CATALOG_PRIVATE_H

#include "server/catalog/store.h"

/* An empty one: a folder in the spool of `of` (in $TMPDIR where `of` is read-only), with its
 * catalog in memory. ps_store_close removes it; what a process that died left of one goes when the
 * shelf is opened next. */
enum ps_status ps_private_open(struct ps_store *of, struct ps_store **out, struct ps_err *err);
/* The run, under its id, with its labels and sources, as it stands: its files are shared. The
 * original is not among them. PS_NOT_FOUND: there is no such run. */
enum ps_status ps_private_take(struct ps_store *from, struct ps_store *to, const char *id,
                               struct ps_err *err);

/* Shows the files of such a shelf, as an engine without a folder reads them
 * (server/offline/shelf.h): /catalog.db, /runs/<id>.db, and /sources/<sha256> as they were
 * attached. `take` reads each to its end. */
typedef enum ps_status ps_private_file(void *user, const char *name, struct ps_stream *bytes,
                                       struct ps_err *err);
enum ps_status ps_private_files(struct ps_store *store, ps_private_file *take, void *user,
                                struct ps_err *err);

/* A part that was made of it, under its id and the moment at which it was added. Frees the part
 * either way. */
enum ps_status ps_private_publish(struct ps_store *from, struct ps_store *to, const char *id,
                                  struct ps_part *part, const struct ps_new_run *run,
                                  struct ps_err *err);

#endif
