/* SPDX-License-Identifier: MIT */
/* uploads.h: accepted uploads that this session imports, from their acceptance or takeover to the
 * end of the import. For this folder only. */
#ifndef PS_CATALOG_UPLOADS_H
#define PS_CATALOG_UPLOADS_H

#include "server/catalog/state.h"

/* Call the following functions with the catalog locked. */

/* Whether this session imports the upload. False also for a postponed one whose time has come. */
bool ps_upload_is_owned(struct ps_store *store, int64_t id);
/* Adds the upload to those of this session. Returns whether it was postponed before. */
bool ps_upload_take_ownership(struct ps_store *store, int64_t id);
void ps_upload_release(struct ps_store *store, int64_t id);

/* Parses a JSON array of pairs into the arena. Call it with the catalog locked. After a failure the
 * pairs are incomplete. */
struct ps_tag *ps_upload_parse_pairs(struct ps_store *store, struct ps_arena *arena,
                                     const char *text, size_t *n_out, struct ps_err *err);

/* Whether there are uploads that this session could take over or import. */
bool ps_uploads_are_waiting(struct ps_store *store);
/* Retries to end the uploads whose end could not be written because the database was unreachable.
 */
void ps_uploads_retry_end(struct ps_store *store);

#endif
