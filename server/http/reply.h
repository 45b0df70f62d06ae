/* SPDX-License-Identifier: MIT */
/*
 * reply.h: an answer, before it is sent. `struct ps_reply` is 200 with an empty JSON body until a
 * handler says otherwise.
 *
 * Strings in it must live as long as the request: literals, or from the request's arena.
 */
#ifndef PS_HTTP_REPLY_H
#define PS_HTTP_REPLY_H

#include "base/err.h"
#include "base/json_out.h"
#include "base/stream.h"

struct ps_feed;

#define PS_REPLY_HEADERS 8

struct ps_reply {
    unsigned status;
    const char *type;
    struct ps_buf body;   /* taken when it is sent */
    struct ps_str fixed;  /* instead of body: bytes that outlive the server */
    const char *encoding; /* of fixed: "gzip" or NULL */
    struct ps_stream
        *stream; /* instead of body: stream_bytes of it, then it is freed and stream_fd closed */
    int stream_fd;
    uint64_t stream_bytes;
    struct ps_feed *feed; /* instead of body: events until somebody ends it */
    const char *etag;     /* quoted; NULL: made of the body where cache is set */
    const char *cache;    /* Cache-Control; NULL: no-store */
    bool page; /* a page or a script of ours: gets the policy under which our scripts run */
    struct {
        const char *name, *value;
    } headers[PS_REPLY_HEADERS];
    size_t n_headers;
    bool again;          /* ps_reply_again was called */
    const char *subject; /* and with what */
    uint64_t mark;
};

#define PS_CACHE_CHECK   "private, no-cache"
#define PS_CACHE_FOREVER "private, max-age=31536000, immutable"

void ps_reply_init(struct ps_reply *reply);
void ps_reply_free(struct ps_reply *reply);
void ps_reply_header(struct ps_reply *reply, const char *name, const char *value);
/* The answer is the same for whoever may ask at this address, for as long as ps_http_config.mark of
 * the subject is this one (NULL: as long as the server runs): it may be sent again without asking
 * the handler. The mark must have been taken before the answer was made. */
void ps_reply_again(struct ps_reply *reply, const char *subject, uint64_t mark);
/* A writer into the body. */
struct ps_json ps_reply_json(struct ps_reply *reply);

/* The one map from our failures to HTTP. */
unsigned ps_http_code(enum ps_status status);
/* {"code","text","at","hint"} as a value; for jobs and lists too. */
void ps_error_json(struct ps_json *out, const struct ps_err *err);
/* The same of any word; at, hint: NULL for none. */
void ps_error_object(struct ps_json *out, const char *word, const char *text, const uint64_t *at,
                     const char *hint);
/* Makes the reply the error err; drops what it held. */
void ps_reply_error(struct ps_reply *reply, const struct ps_err *err);
/* The same for what has no ps_status: a status of HTTP and its word. */
void ps_reply_refuse(struct ps_reply *reply, unsigned http, const char *word, const char *text,
                     const char *hint);

#endif
