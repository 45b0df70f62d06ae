/* SPDX-License-Identifier: MIT */
/*
 * upload.h: the body of a PS_ROUTE_UPLOAD request, on its way to files in the spool. Holds no file
 * in memory.
 */
#ifndef PS_HTTP_UPLOAD_H
#define PS_HTTP_UPLOAD_H

#include "server/http/request.h"

#define PS_UPLOAD_FILES_MAX  100
#define PS_UPLOAD_FIELDS_MAX ((size_t)64 << 10) /* bytes of all text fields of a form */

/* Where the files of uploads lie. */
struct ps_spool {
    /* A new file for writing; the path is malloc'ed. */
    enum ps_status (*open)(void *user, char **path, int *fd, struct ps_err *err);
    /* Room for so many bytes more, before they are written; PS_FULL. */
    enum ps_status (*claim)(void *user, uint64_t bytes, struct ps_err *err);
    void (*give_back)(void *user, uint64_t bytes); /* what was claimed and not written */
    void (*remove)(void *user, const char *path);  /* a file that nobody took, with its room */
    void *user;
    uint64_t max; /* bytes of one request */
};

struct ps_upload;

/* Files go to req->files, form fields to req->params. content_type may be NULL: raw bytes. The
 * whole body is at most `max` bytes; room is claimed for `length`, and for what comes beyond it as
 * it comes. */
enum ps_status ps_upload_create(const struct ps_spool *spool, struct ps_request *req,
                                const char *content_type, uint64_t max, uint64_t length,
                                struct ps_upload **out, struct ps_err *err);
enum ps_status ps_upload_feed(struct ps_upload *upload, struct ps_str bytes, struct ps_err *err);
enum ps_status ps_upload_finish(struct ps_upload *upload, struct ps_err *err);
void ps_upload_free(struct ps_upload *upload); /* NULL is fine; files stay with the request */

/* Unlinks the files that nobody took. */
void ps_upload_drop_files(const struct ps_spool *spool, struct ps_request *req);

#endif
