/* SPDX-License-Identifier: MIT */
/*
 * partial.h: resumable uploads: a growing file of the spool and a row of the catalog, so that the
 * upload survives a restart of the server and a dropped connection. Each belongs to the user that
 * began it; for others it does not exist (PS_NOT_FOUND). An upload that did not grow for a day is
 * deleted. Every function may be called from any thread.
 *
 *     ps_partial_begin(store, who, id, err);
 *     ps_partial_append(store, id, who, 0, piece, max, &bytes, err);     for each piece
 *     ps_partial_claim(store, id, who, bytes, &path, err);               path: the whole file
 */
#ifndef PS_CATALOG_PARTIAL_H
#define PS_CATALOG_PARTIAL_H

#include "server/catalog/store.h"

#define PS_PARTIAL_ID_SIZE 33 /* bytes of an id, with its NUL */
#define PS_PARTIALS_MAX    32 /* maximum uploads of one user */

/* Begins an upload. PS_CONFLICT: this user has PS_PARTIALS_MAX of them. */
enum ps_status ps_partial_begin(struct ps_store *store, const char *user_name,
                                char id_out[PS_PARTIAL_ID_SIZE], struct ps_err *err);
/* Returns how many bytes were received. */
enum ps_status ps_partial_bytes(struct ps_store *store, const char *id, const char *user_name,
                                uint64_t *out, struct ps_err *err);
/* Appends the spool file `from` and deletes it, all or nothing. After a kill, call
 * ps_partial_bytes. PS_CONFLICT: `offset` is not the end of the upload. PS_LIMIT: it would become
 * longer than `max`. After a failure `from` is kept. */
enum ps_status ps_partial_append(struct ps_store *store, const char *id, const char *user_name,
                                 uint64_t offset, const char *from, uint64_t max,
                                 uint64_t *bytes_out, struct ps_err *err);
/* Cancels an upload and deletes its bytes. */
enum ps_status ps_partial_remove(struct ps_store *store, const char *id, const char *user_name,
                                 struct ps_err *err);
/* Ends an upload that has `bytes` bytes (else PS_CONFLICT) and passes ownership of its file to the
 * caller. *path_out is malloc'ed. */
enum ps_status ps_partial_claim(struct ps_store *store, const char *id, const char *user_name,
                                uint64_t bytes, char **path_out, struct ps_err *err);

/* For backends (backend.h). */

struct ps_stmt;

/* The operations above, as one backend implements them. */
struct ps_partial_ops {
    /* The upload is one file of the spool that grows. */
    bool grows_file;
    /* Deletes expired uploads. */
    void (*expire)(struct ps_store *store);
    enum ps_status (*bytes)(struct ps_store *store, const char *id, const char *user_name,
                            uint64_t *out, struct ps_err *err);
    enum ps_status (*append)(struct ps_store *store, const char *id, const char *user_name,
                             uint64_t offset, const char *from, uint64_t max, uint64_t *bytes_out,
                             struct ps_err *err);
    enum ps_status (*remove)(struct ps_store *store, const char *id, const char *user_name,
                             struct ps_err *err);
    enum ps_status (*claim)(struct ps_store *store, const char *id, const char *user_name,
                            uint64_t bytes, char **path_out, struct ps_err *err);
};
extern const struct ps_partial_ops ps_folder_partial;

/* Prepares a statement and binds all parameters that any query of this module uses; unknown ones
 * are ignored. */
enum ps_status ps_partial_prepare(struct ps_store *store, const char *query, const char *id,
                                  const char *user_name, struct ps_stmt **out, struct ps_err *err);
/* Check the offset of a piece, and the size of the upload with this piece. */
enum ps_status ps_partial_check_offset(uint64_t have, uint64_t offset, struct ps_err *err);
enum ps_status ps_partial_check_size(uint64_t offset, uint64_t piece, uint64_t max,
                                     struct ps_err *err);
/* Sets and returns PS_NOT_FOUND. */
enum ps_status ps_partial_fail_unknown(struct ps_err *err);
enum ps_status ps_partial_copy(int from, const char *from_path, int to, const char *path,
                               struct ps_err *err);

#endif
