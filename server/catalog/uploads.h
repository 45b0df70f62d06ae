/* SPDX-License-Identifier: MIT */
/* uploads.h: the uploads that this session owns, from their acceptance or takeover to the end of
 * their import. */
#ifndef PS_CATALOG_UPLOADS_H
#define PS_CATALOG_UPLOADS_H

#include "server/catalog/state.h"

/* Call the following functions with the catalog locked. */

/* Whether this session is importing the upload or has postponed it. False: it does not own the
 * upload, or the delay of the postponed upload is over. */
bool ps_upload_is_owned(struct ps_store *store, int64_t id);
/* Adds the upload to those of this session, in the state "being imported". True: this session had
 * postponed the upload. */
bool ps_upload_take_ownership(struct ps_store *store, int64_t id);
void ps_upload_release(struct ps_store *store, int64_t id);

/* Parses a JSON array of pairs of strings. Allocates in the arena. Call it with the catalog locked.
 * After a failure, pairs may be missing. */
struct ps_tag *ps_upload_parse_pairs(struct ps_store *store, struct ps_arena *arena,
                                     const char *text, size_t *n_out, struct ps_err *err);

/* Whether there are uploads of crashed sessions, or uploads of this session that are not being
 * imported. */
bool ps_uploads_are_waiting(struct ps_store *store);
/* Tries again to end the uploads whose end could not be written because the database was
 * unreachable. */
void ps_uploads_retry_end(struct ps_store *store);

#endif
