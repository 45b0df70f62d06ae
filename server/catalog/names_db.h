/* SPDX-License-Identifier: MIT */
/*
 * names_db.h: DIR/names.db, an index of the hottest names in the runs of a shelf
 * (schema/names.sql, server/query/search). It has only what run files have too, so it is neither
 * copied, verified nor part of the quota. If the folder may not be written, or if the shelf is
 * private (temp_shelf.h), the index is in memory and lasts as long as the store is open.
 */
#ifndef PS_CATALOG_NAMES_DB_H
#define PS_CATALOG_NAMES_DB_H

#include "server/catalog/store.h"
#include "server/runfile/db.h"

/* Opens the index, locks it for this thread and returns its connection. After PS_OK call
 * ps_names_unlock; after a failure the index is not locked. */
enum ps_status ps_names_lock(struct ps_store *store, struct ps_db **out, struct ps_err *err);
void ps_names_unlock(struct ps_store *store);
/* Deletes the index, for instance because the file is damaged. The index must not be locked. */
void ps_names_discard(struct ps_store *store);

#endif
