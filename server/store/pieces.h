/* SPDX-License-Identifier: MIT */
/*
 * pieces.h: partial.h where many servers share the store. Each piece may come to another of them:
 * it is a file of its own (files.h, folder pieces, key <id>.<offset>), and the row says how many
 * bytes there are. Who takes the upload puts them together in its own spool.
 */
#ifndef PS_STORE_PIECES_H
#define PS_STORE_PIECES_H

#include "server/store/db_impl.h"
#include "server/store/partial.h"

/* As those of partial.h. */
enum ps_status ps_pieces_bytes(struct ps_store *store, const char *id, const char *who,
                               uint64_t *out, struct ps_err *err);
enum ps_status ps_pieces_append(struct ps_store *store, const char *id, const char *who,
                                uint64_t offset, const char *from, uint64_t max,
                                uint64_t *bytes_out, struct ps_err *err);
enum ps_status ps_pieces_remove(struct ps_store *store, const char *id, const char *who,
                                struct ps_err *err);
enum ps_status ps_pieces_take(struct ps_store *store, const char *id, const char *who,
                              uint64_t bytes, char **path_out, struct ps_err *err);
/* Removes those that nobody added to for too long. */
void ps_pieces_expire(struct ps_store *store);

/* --- of partial.c */

/* A statement with all that any of ours binds; those that a query does not know are ignored. */
enum ps_status ps_partial_prepare(struct ps_store *store, const char *query, const char *id,
                                  const char *who, struct ps_stmt **out, struct ps_err *err);
/* Begin of a piece, or the whole, is none that fits. */
enum ps_status ps_partial_check_offset(uint64_t have, uint64_t offset, struct ps_err *err);
enum ps_status ps_partial_check_size(uint64_t offset, uint64_t piece, uint64_t max,
                                     struct ps_err *err);
/* PS_NOT_FOUND */
enum ps_status ps_partial_nobody(struct ps_err *err);
enum ps_status ps_partial_copy(int from, const char *from_path, int to, const char *path,
                               struct ps_err *err);

#endif
