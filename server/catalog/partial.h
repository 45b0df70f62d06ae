/* SPDX-License-Identifier: MIT */
/*
 * partial.h: uploads that come in pieces: a file of the spool that grows, with a row of the
 * catalog, so that it outlives the server and a dropped connection. Each belongs to who began it;
 * to others it is not there (PS_NOT_FOUND). One that nobody added to for a day is removed.
 */
#ifndef PS_CATALOG_PARTIAL_H
#define PS_CATALOG_PARTIAL_H

#include "server/catalog/store.h"

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

/* For backends (backend.h). */

struct ps_stmt;

/* What the functions above do in one backend. */
struct ps_partial_ops {
    /* The upload is one file of the spool that grows. */
    bool grows_file;
    /* Removes those that expired. */
    void (*expire)(struct ps_store *store);
    enum ps_status (*bytes)(struct ps_store *store, const char *id, const char *who, uint64_t *out,
                            struct ps_err *err);
    enum ps_status (*append)(struct ps_store *store, const char *id, const char *who,
                             uint64_t offset, const char *from, uint64_t max, uint64_t *bytes_out,
                             struct ps_err *err);
    enum ps_status (*remove)(struct ps_store *store, const char *id, const char *who,
                             struct ps_err *err);
    enum ps_status (*take)(struct ps_store *store, const char *id, const char *who, uint64_t bytes,
                           char **path_out, struct ps_err *err);
};
extern const struct ps_partial_ops ps_folder_partial;

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
