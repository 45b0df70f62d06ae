/* SPDX-License-Identifier: MIT */
/*
 * partial.h: resumable uploads. Each has its bytes in the spool and a row in the catalog, so it
 * survives a restart of the server and a dropped connection. It belongs to the user who began it;
 * for other users it does not exist (PS_NOT_FOUND). An upload that did not grow for a day is
 * deleted. Every function may be called from any thread.
 *
 *     ps_partial_upload_begin(store, who, id, err);
 *     ps_partial_upload_append(store, id, who, 0, piece, max, &bytes, err);     for each piece
 *     ps_partial_upload_claim(store, id, who, bytes, &path, err);               path: the whole
 * file
 */
#ifndef PS_CATALOG_PARTIAL_H
#define PS_CATALOG_PARTIAL_H

#include "server/catalog/store.h"

#define PS_PARTIAL_UPLOAD_ID_SIZE 33 /* bytes of an id, with its NUL */
#define PS_PARTIAL_UPLOADS_MAX    32 /* maximum unfinished uploads of one user */

/* Begins an upload. PS_CONFLICT: this user has PS_PARTIAL_UPLOADS_MAX unfinished uploads already.
 */
enum ps_status ps_partial_upload_begin(struct ps_store *store, const char *user_name,
                                       char id_out[PS_PARTIAL_UPLOAD_ID_SIZE], struct ps_err *err);
/* *out: how many bytes of the upload were received. */
enum ps_status ps_partial_upload_bytes(struct ps_store *store, const char *id,
                                       const char *user_name, uint64_t *out, struct ps_err *err);
/* Appends the spool file `from` and deletes `from`. After a failure both are unchanged. After a
 * kill, call ps_partial_upload_bytes to find out what was appended. PS_CONFLICT: `offset` is not
 * the size of the upload. PS_LIMIT: the upload would become larger than `max` bytes. */
enum ps_status ps_partial_upload_append(struct ps_store *store, const char *id,
                                        const char *user_name, uint64_t offset, const char *from,
                                        uint64_t max, uint64_t *bytes_out, struct ps_err *err);
/* Cancels an upload and deletes its bytes. */
enum ps_status ps_partial_upload_remove(struct ps_store *store, const char *id,
                                        const char *user_name, struct ps_err *err);
/* Ends the upload and passes ownership of its file to the caller; *path_out: its malloc'ed path.
 * PS_CONFLICT: the upload does not have exactly `bytes` bytes. */
enum ps_status ps_partial_upload_claim(struct ps_store *store, const char *id,
                                       const char *user_name, uint64_t bytes, char **path_out,
                                       struct ps_err *err);

/* The following is for backends (backend.h). */

struct ps_stmt;

/* The operations above, as a backend implements them. */
struct ps_partial_upload_ops {
    /* True: the upload is one growing file of the spool. False: the backend stores its pieces. */
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
extern const struct ps_partial_upload_ops ps_folder_partial_upload_ops;

/* Prepares a query of schema/queries and binds the parameters that the queries of this module have:
 * :id, :who, :at, :before and :most. */
enum ps_status ps_partial_upload_prepare(struct ps_store *store, const char *query, const char *id,
                                         const char *user_name, struct ps_stmt **out,
                                         struct ps_err *err);
/* Check that `offset` is the size `have` of the upload (else PS_CONFLICT), and that the upload has
 * at most `max` bytes with `piece` more bytes (else PS_LIMIT). */
enum ps_status ps_partial_upload_check_offset(uint64_t have, uint64_t offset, struct ps_err *err);
enum ps_status ps_partial_upload_check_size(uint64_t offset, uint64_t piece, uint64_t max,
                                            struct ps_err *err);
/* Sets and returns PS_NOT_FOUND: there is no such upload. */
enum ps_status ps_partial_upload_fail_unknown(struct ps_err *err);

#endif
