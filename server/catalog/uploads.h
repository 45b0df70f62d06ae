/* SPDX-License-Identifier: MIT */
/* uploads.h: accepted uploads, inside this folder: those that this opening has in hand, from when
 * it accepted or took them until they have ended. */
#ifndef PS_CATALOG_UPLOADS_H
#define PS_CATALOG_UPLOADS_H

#include "server/catalog/state.h"

/* With the catalog locked. */

/* False also for one that was postponed, once its time has come. */
bool ps_upload_in_hand(struct ps_store *store, int64_t id);
/* Whether it was postponed before. */
bool ps_upload_take_in_hand(struct ps_store *store, int64_t id);
void ps_upload_release(struct ps_store *store, int64_t id);

/* The pairs of a JSON array of pairs, in the arena; with the catalog locked. */
struct ps_tag *ps_upload_pairs(struct ps_store *store, struct ps_arena *arena, const char *text,
                               size_t *n_out);

/* Whether uploads wait for an import that this opening could take over or begin. */
bool ps_uploads_wait(struct ps_store *store);
/* Ends those whose end could not be written, for the database was away. */
void ps_uploads_end_again(struct ps_store *store);

#endif
