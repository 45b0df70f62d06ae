/* SPDX-License-Identifier: MIT */
/*
 * upload.h: writes the body of a PS_ROUTE_UPLOAD request to files in the spool while it is
 * received. Files are not buffered in memory. An upload belongs to the request that it fills, and
 * to the thread that receives its body. Call ps_upload_create, then ps_upload_feed for each block,
 * then ps_upload_finish, and ps_upload_free also after a failure.
 */
#ifndef PS_HTTP_UPLOAD_H
#define PS_HTTP_UPLOAD_H

#include "server/http/request.h"

#define PS_UPLOAD_FILES_MAX  100
#define PS_UPLOAD_FIELDS_MAX ((size_t)64 << 10) /* bytes of all text fields of a form */

/* Storage for uploaded files. Called by all threads that receive requests. */
struct ps_spool {
    /* Creates a file for writing; the path is malloc'ed. */
    enum ps_status (*open)(void *user, char **path, int *fd, struct ps_err *err);
    /* Reserves space before bytes are written. PS_FULL: there is not enough. */
    enum ps_status (*reserve)(void *user, uint64_t bytes, struct ps_err *err);
    /* Releases space that was reserved and not written. */
    void (*release)(void *user, uint64_t bytes);
    /* Deletes a file that was not claimed, and releases its space. */
    void (*remove)(void *user, const char *path);
    void *user;
    uint64_t max; /* maximum bytes of one request */
};

struct ps_upload;

/* Starts an upload: files are added to req->files, form fields to req->params. content_type may be
 * NULL: raw bytes. The body may have at most `max` bytes. Space for `length` bytes is reserved now,
 * and for further bytes when they are received. Free *out also after a failure. */
enum ps_status ps_upload_create(const struct ps_spool *spool, struct ps_request *req,
                                const char *content_type, uint64_t max, uint64_t length,
                                struct ps_upload **out, struct ps_err *err);
enum ps_status ps_upload_feed(struct ps_upload *upload, struct ps_str bytes, struct ps_err *err);
enum ps_status ps_upload_finish(struct ps_upload *upload, struct ps_err *err);
void ps_upload_free(struct ps_upload *upload); /* NULL is allowed; the files remain */

/* Deletes the files that were not claimed. */
void ps_upload_drop_files(const struct ps_spool *spool, struct ps_request *req);

#endif
