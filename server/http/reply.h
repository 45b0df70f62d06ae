/* SPDX-License-Identifier: MIT */
/*
 * reply.h: a response before it is sent. A new `struct ps_reply` has status 200 and an empty JSON
 * body.
 *
 * A reply belongs to its request, and to the thread that handles it. It owns body, stream,
 * stream_fd and feed until they are sent; ps_reply_free releases the rest. Strings in it must stay
 * valid as long as the request: literals, or strings from the request's arena. request.h has an
 * example.
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
    struct ps_buf body; /* moved to the response when the reply is sent */
    /* instead of body: bytes that stay valid as long as the server runs */
    struct ps_str static_body;
    const char *encoding; /* Content-Encoding of static_body: "gzip" or NULL */
    /* instead of body: stream_bytes bytes of this stream; when they are sent, the stream is freed
     * and stream_fd is closed */
    struct ps_stream *stream;
    int stream_fd;
    uint64_t stream_bytes;
    struct ps_feed *feed; /* instead of body: an event stream, until it is ended */
    const char *etag;     /* quoted; NULL: computed from the body if cache is set */
    const char *cache;    /* Cache-Control; NULL: no-store */
    /* the body is a page or a script of this program: it is sent with the content security policy
     * that allows such scripts */
    bool is_page;
    struct {
        const char *name, *value;
    } headers[PS_REPLY_HEADERS];
    size_t n_headers;
    bool is_cacheable;   /* ps_reply_allow_caching was called */
    const char *subject; /* argument of ps_reply_allow_caching */
    uint64_t mark;
};

#define PS_CACHE_CHECK   "private, no-cache"
#define PS_CACHE_FOREVER "private, max-age=31536000, immutable"

void ps_reply_init(struct ps_reply *reply);
void ps_reply_free(struct ps_reply *reply);
void ps_reply_add_header(struct ps_reply *reply, const char *name, const char *value);
/* Allows the server to cache this response. It must be the same for every client that is admitted
 * to this URL, for as long as ps_http_config.get_mark of the subject returns `mark` (subject NULL:
 * as long as the server runs). Read the mark before computing the response. */
void ps_reply_allow_caching(struct ps_reply *reply, const char *subject, uint64_t mark);
/* Returns a JSON writer that appends to the body. */
struct ps_json ps_reply_json_writer(struct ps_reply *reply);

/* The HTTP status code of an error. All replies use this mapping. */
unsigned ps_http_status_of(enum ps_status status);
/* Writes {"code","text","at","hint"} as a value; also used for jobs and lists. */
void ps_json_error(struct ps_json *out, const struct ps_err *err);
/* Like ps_json_error, with any code word. at: byte offset; at, hint: NULL if there is none. */
void ps_json_error_fields(struct ps_json *out, const char *word, const char *text,
                          const uint64_t *at, const char *hint);
/* Replaces the content of the reply by the error err. */
void ps_reply_set_error(struct ps_reply *reply, const struct ps_err *err);
/* Like ps_reply_set_error, for an error without ps_status: HTTP status and code word. */
void ps_reply_set_error_fields(struct ps_reply *reply, unsigned http, const char *word,
                               const char *text, const char *hint);

#endif
