/* SPDX-License-Identifier: MIT */
/*
 * partial.h: uploads that come in pieces: a file of the spool that grows, with a row of the
 * catalog, so that it outlives the server and a dropped connection. Each belongs to who began it;
 * to others it is not there (PS_NOT_FOUND). One that nobody added to for a day is removed.
 */
#ifndef PS_STORE_PARTIAL_H
#define PS_STORE_PARTIAL_H

#include "server/store/store.h"

#define PS_PARTIAL_SIZE 33 /* of an id, with its NUL */
#define PS_PARTIALS_MAX 32 /* of one person */

/* PS_CONFLICT: this person has PS_PARTIALS_MAX of them. */
enum ps_status ps_partial_begin(struct ps_store *store, const char *who,
                                char id_out[PS_PARTIAL_SIZE], struct ps_err *err);
/* How many bytes are there. */
enum ps_status ps_partial_bytes(struct ps_store *store, const char *id, const char *who,
                                uint64_t *out, struct ps_err *err);
/* Appends `from`, a file of the spool, and removes that; all of it or nothing, but for a kill: ask
 * ps_partial_bytes. PS_CONFLICT: `offset` is not where it ends. PS_LIMIT: it would become longer
 * than `max`. `from` stays where it fails. */
enum ps_status ps_partial_append(struct ps_store *store, const char *id, const char *who,
                                 uint64_t offset, const char *from, uint64_t max,
                                 uint64_t *bytes_out, struct ps_err *err);
/* It is given up, with its bytes. */
enum ps_status ps_partial_remove(struct ps_store *store, const char *id, const char *who,
                                 struct ps_err *err);
/* It is complete and has `bytes` (else PS_CONFLICT): its file is the caller's now. *path_out is
 * malloc'ed. */
enum ps_status ps_partial_take(struct ps_store *store, const char *id, const char *who,
                               uint64_t bytes, char **path_out, struct ps_err *err);

#endif
