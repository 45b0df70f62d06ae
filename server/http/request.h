/* SPDX-License-Identifier: MIT */
/*
 * request.h: what a handler gets and gives.
 *
 * A handler reads the request, fills the reply and returns PS_OK, or fills err and returns its
 * code: the error reply is made from it. All it allocates from req->arena lives until the answer is
 * sent. Handlers run on a server thread and must not wait: one that waits for something else calls
 * ps_request_defer, returns PS_OK, and whoever has the answer fills the same reply and calls
 * ps_request_finish, once, from any thread. Rows flagged PS_ROUTE_SLOW run on threads of their own,
 * where a query may take its time.
 */
#ifndef PS_HTTP_REQUEST_H
#define PS_HTTP_REQUEST_H

#include "server/http/reply.h"
#include "server/http/url.h"

#define PS_PATH_ARGS 3
#define PS_BODY_MAX  ((size_t)64 << 10) /* of a PS_ROUTE_BODY request */
#define PS_SMALL_MAX ((uint64_t)16 << 20)

/* A file of an upload: on disk in the spool, closed. It is removed with the request unless the
 * handler takes it. */
struct ps_upload_file {
    char *path;            /* malloc'ed */
    const char *part;      /* the name of its part in a form; "" for a body */
    const char *filename;  /* as the client names it, "" when it does not; no directory part */
    const char *sent_path; /* the same with its directory part: a word of the client's, no place */
    uint64_t bytes;
};

struct ps_request {
    struct ps_arena arena;
    void *app; /* of struct ps_http_config */
    const char *method;
    const char *args[PS_PATH_ARGS]; /* what {…} of the route stood for, decoded */
    struct ps_pairs params;         /* of the query, then the fields of a form */
    struct ps_str body;             /* PS_ROUTE_BODY; NUL-terminated */
    struct ps_upload_file *files;   /* PS_ROUTE_UPLOAD */
    size_t n_files;
    bool form;       /* the upload was multipart/form-data */
    const char *who; /* who asks, as ps_http_config.admit found out; "" unknown */
    unsigned right;  /* and what it granted, on the scale of need */
};

typedef enum ps_status ps_handler(struct ps_request *req, struct ps_reply *reply,
                                  struct ps_err *err);

enum ps_route_flags {
    PS_ROUTE_BODY = 1,   /* takes a small body into req->body */
    PS_ROUTE_UPLOAD = 2, /* takes files into req->files */
    PS_ROUTE_SLOW = 4,   /* may take longer than a millisecond or so */
    PS_ROUTE_SMALL = 8,  /* an upload of no more than PS_SMALL_MAX */
};

struct ps_route {
    const char *method; /* "GET" answers HEAD too */
    const char *path;   /* segments; {name} is any one, {name*} (last) the rest of the path */
    ps_handler *handle;
    unsigned flags;
    unsigned need; /* what ps_http_config.admit asks for; the handlers' own scale */
};

/* Where the connection comes from: "192.168.0.7", "fe80::1", or "" for none. Into the arena. */
const char *ps_request_peer(struct ps_request *req);
/* The value of a cookie, or NULL. */
const char *ps_request_cookie(const struct ps_request *req, const char *name);
/* The value of a header, or NULL. */
const char *ps_request_header(const struct ps_request *req, const char *name);
/* The last value of a parameter, or NULL. */
const char *ps_request_param(const struct ps_request *req, const char *key);
/* The path of a file, which is the caller's to unlink and free from now on. */
char *ps_request_take(struct ps_upload_file *file);

/* Whether nobody waits for the answer any more: the client has closed. From any thread, of a
 * request that is deferred or slow. */
bool ps_request_gone(const struct ps_request *req);

void ps_request_defer(struct ps_request *req);
/* status and err as a handler would have returned them; err may be NULL when status is PS_OK. */
void ps_request_finish(struct ps_request *req, enum ps_status status, const struct ps_err *err);

#endif
