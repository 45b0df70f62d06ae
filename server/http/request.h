/* SPDX-License-Identifier: MIT */
/*
 * request.h: the interface of handlers.
 *
 * A handler reads the request, fills the reply and returns PS_OK, or fills err and returns its
 * code: the error reply is made from it. Memory from req->arena is valid until the response is
 * sent. Handlers run on a server thread and must not block. A handler that has to wait calls
 * ps_request_defer and returns PS_OK; later any thread fills the same reply and calls
 * ps_request_finish once. Routes with PS_ROUTE_SLOW run on separate threads, where long queries are
 * allowed.
 *
 *     static enum ps_status get_greeting(struct ps_request *req, struct ps_reply *reply,
 *                                        struct ps_err *err)
 *     {
 *         const char *name = ps_request_param(req, "name");
 *         struct ps_json out = ps_reply_json_writer(reply);
 *
 *         if (!name)
 *             return ps_fail(err, PS_BAD_REQUEST, "the parameter `name` is missing");
 *         ps_json_object(&out);
 *         ps_json_key_str(&out, "greeting", name);
 *         ps_json_end(&out);
 *         return PS_OK;
 *     }
 */
#ifndef PS_HTTP_REQUEST_H
#define PS_HTTP_REQUEST_H

#include "server/http/reply.h"
#include "server/http/url.h"

#define PS_PATH_ARGS 3
#define PS_BODY_MAX  ((size_t)64 << 10) /* maximum body of a PS_ROUTE_BODY request */
#define PS_SMALL_MAX ((uint64_t)16 << 20)

/* An uploaded file in the spool. It is closed, and deleted with the request unless the handler
 * claims it with ps_request_claim_file. */
struct ps_upload_file {
    char *path;            /* malloc'ed; NULL once it was claimed */
    const char *part;      /* name of its form part; "" if the file is the request body */
    const char *filename;  /* name sent by the client, without directories; "" if none was sent */
    const char *sent_path; /* like filename, with directories: a label only, never a path to open */
    uint64_t bytes;
};

struct ps_request {
    struct ps_arena arena;
    void *app; /* app of struct ps_http_config */
    const char *method;
    const char *args[PS_PATH_ARGS]; /* decoded values of the {...} segments of the route */
    struct ps_url_params params;    /* parameters of the query, then the fields of a form */
    struct ps_str body;             /* of PS_ROUTE_BODY; NUL-terminated */
    struct ps_upload_file *files;   /* of PS_ROUTE_UPLOAD */
    size_t n_files;
    bool is_form;          /* the upload was multipart/form-data */
    const char *user_name; /* user, as determined by ps_http_config.admit; "" if unknown */
    unsigned right;        /* right granted to the user, on the scale of ps_route.required_right */
};

typedef enum ps_status ps_handler(struct ps_request *req, struct ps_reply *reply,
                                  struct ps_err *err);

enum ps_route_flags {
    PS_ROUTE_BODY = 1,   /* accepts a small body: req->body */
    PS_ROUTE_UPLOAD = 2, /* accepts files: req->files */
    PS_ROUTE_SLOW = 4,   /* may need longer than about a millisecond */
    PS_ROUTE_SMALL = 8,  /* an upload of at most PS_SMALL_MAX bytes */
};

struct ps_route {
    const char *method; /* "GET" serves HEAD too */
    const char *path;   /* {name} matches one segment, {name*} at the end the rest of the path */
    ps_handler *handle;
    unsigned flags;
    /* right that ps_http_config.admit checks, on a scale that the routes define */
    unsigned required_right;
};

/* Address of the client: "192.168.0.7", "fe80::1", or "" without a connection. Allocated in the
 * arena. */
const char *ps_request_peer_address(struct ps_request *req);
/* The value of a cookie, or NULL. */
const char *ps_request_cookie(const struct ps_request *req, const char *name);
/* The value of a header, or NULL. */
const char *ps_request_header(const struct ps_request *req, const char *name);
/* The last value of a parameter, or NULL. */
const char *ps_request_param(const struct ps_request *req, const char *key);
/* Claims the file: the caller unlinks it and frees the path. */
char *ps_request_claim_file(struct ps_upload_file *file);

/* Whether the client has closed its connection, so that no reply is needed. For deferred or slow
 * requests; may be called from any thread. */
bool ps_request_is_disconnected(const struct ps_request *req);

void ps_request_defer(struct ps_request *req);
/* Completes the reply of a deferred request. status, err: as a handler would return them; err may
 * be NULL if status is PS_OK. */
void ps_request_finish(struct ps_request *req, enum ps_status status, const struct ps_err *err);

#endif
