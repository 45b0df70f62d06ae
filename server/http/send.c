/* SPDX-License-Identifier: MIT */
/* send.c: makes a libmicrohttpd response from a ps_reply: ETag, compression, common headers. */
#include <isa-l/crc64.h>
#include <stdlib.h>

#include "server/http/exchange.h"
#include "server/http/feed.h"
#include "server/http/negotiate.h"

/* Do not compress smaller bodies: they fit into one packet with their headers. */
#define GZIP_FROM ((size_t)1400)

static const char page_policy[] =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' "
    "data: blob:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"; /* two reports side by side are frames of our own page */
static const char data_policy[] = "default-src 'none'; frame-ancestors 'none'";

struct stream_body {
    struct ps_stream *stream;
    int fd;
};

static ssize_t read_stream(void *cls, uint64_t pos, char *buf, size_t max)
{
    struct stream_body *body = cls;
    struct ps_str bytes = ps_stream_peek(body->stream, 1);

    (void)pos;
    if (bytes.len == 0)
        /* more bytes were requested than the stream has */
        return MHD_CONTENT_READER_END_WITH_ERROR;
    bytes.len = bytes.len < max ? bytes.len : max;
    memcpy(buf, bytes.ptr, bytes.len);
    ps_stream_skip(body->stream, bytes.len);
    return (ssize_t)bytes.len;
}

static void free_stream(void *cls)
{
    struct stream_body *body = cls;

    ps_stream_free(body->stream);
    ps_close_fd(&body->fd);
    free(body);
}

static struct MHD_Response *stream_response(struct ps_reply *reply)
{
    struct stream_body *body = ps_alloc(sizeof *body);

    *body = (struct stream_body){reply->stream, reply->stream_fd};
    reply->stream = NULL;
    reply->stream_fd = -1;
    return MHD_create_response_from_callback(reply->stream_bytes, (size_t)64 << 10, read_stream,
                                             body, free_stream);
}

static struct MHD_Response *response_of(struct ps_exchange *x)
{
    struct ps_reply *reply = &x->reply;
    struct ps_buf body = reply->body;
    struct ps_feed *feed = reply->feed;

    if (feed) {
        reply->feed = NULL;
        return ps_feed_response(feed, x->connection);
    }
    if (reply->stream)
        return stream_response(reply);
    if (reply->static_body.ptr)
        return MHD_create_response_from_buffer(reply->static_body.len,
                                               (void *)(uintptr_t)reply->static_body.ptr,
                                               MHD_RESPMEM_PERSISTENT);
    reply->body = (struct ps_buf){0};
    if (!body.ptr)
        return MHD_create_response_from_buffer(0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
    return MHD_create_response_from_buffer(body.len, body.ptr, MHD_RESPMEM_MUST_FREE);
}

static void set_body_etag(struct ps_exchange *x)
{
    struct ps_reply *reply = &x->reply;

    if (!reply->etag && reply->cache && reply->body.len > 0 && reply->status == 200)
        reply->etag =
            ps_arena_printf(&x->req.arena, "\"%016llx\"",
                            (unsigned long long)crc64_ecma_refl(
                                0, (const unsigned char *)reply->body.ptr, reply->body.len));
}

static void drop_if_not_modified(struct ps_exchange *x)
{
    struct ps_reply *reply = &x->reply;
    const char *etag = reply->etag, *cache = reply->cache;
    bool page = reply->is_page; /* browsers replace the stored policy with that of a 304 */

    if (reply->status != 200 || !ps_etag_matches(ps_request_header(&x->req, "If-None-Match"), etag))
        return;
    ps_reply_free(reply);
    reply->status = 304;
    reply->etag = etag;
    reply->cache = cache;
    reply->is_page = page;
}

static bool accepts_gzip(const struct ps_exchange *x)
{
    return ps_accepts_gzip(ps_request_header(&x->req, "Accept-Encoding"));
}

static void compress_body(struct ps_exchange *x)
{
    struct ps_reply *reply = &x->reply;
    struct ps_buf packed = {0};

    if (reply->body.len < GZIP_FROM || !ps_type_is_compressible(reply->type))
        return;
    ps_reply_add_header(reply, "Vary", "Accept-Encoding");
    if (!accepts_gzip(x) || !ps_gzip_compress(ps_buf_slice(&reply->body), &packed)) {
        ps_buf_free(&packed);
        return;
    }
    ps_buf_free(&reply->body);
    reply->body = packed;
    reply->encoding = "gzip";
    /* A different encoding of the same content: it may only have the same tag as a weak one. */
    if (reply->etag && reply->etag[0] == '"')
        reply->etag = ps_arena_printf(&x->req.arena, "W/%s", reply->etag);
}

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
    if (value)
        (void)MHD_add_response_header(response, name, value);
}

static void add_headers(struct ps_exchange *x, struct MHD_Response *response)
{
    const struct ps_reply *reply = &x->reply;

    if (reply->status != 204 && reply->status != 304) {
        add_header(response, "Content-Type", reply->type);
        add_header(response, "Content-Encoding", reply->encoding);
    }
    add_header(response, "ETag", reply->etag);
    add_header(response, "Cache-Control", reply->cache ? reply->cache : "no-store");
    for (size_t i = 0; i < reply->n_headers; i++)
        add_header(response, reply->headers[i].name, reply->headers[i].value);
    add_header(response, "X-Content-Type-Options", "nosniff");
    add_header(response, "Referrer-Policy", "no-referrer");
    add_header(response, "Cross-Origin-Opener-Policy", "same-origin");
    add_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    add_header(response, "Content-Security-Policy", reply->is_page ? page_policy : data_policy);
    if (atomic_load(&x->http->is_quiesced))
        add_header(response, "Connection", "close");
}

static void stop_counting(struct ps_exchange *x)
{
    if (x->is_counted)
        atomic_fetch_sub(&x->http->in_flight, 1);
    x->is_counted = false;
}

static bool is_read_request(const struct ps_exchange *x)
{
    return strcmp(x->req.method, "GET") == 0 || strcmp(x->req.method, "HEAD") == 0;
}

static bool is_still_valid(const struct ps_http *http, const struct ps_cached_response *ready)
{
    return !ready->subject || http->config.mark(http->config.app, ready->subject) == ready->mark;
}

bool ps_exchange_find_cached(struct ps_exchange *x)
{
    const struct ps_cached_response *ready;

    if (!is_read_request(x) ||
        atomic_load(&x->http->is_quiesced)) /* then responses contain Connection: close */
        return false;
    ready = ps_response_cache_find(x->http->response_cache, x->uri, accepts_gzip(x));
    if (ready && !is_still_valid(x->http, ready)) {
        ps_response_cache_drop(x->http->response_cache, ready);
        ps_response_cache_release(ready);
        ready = NULL;
    }
    x->cached = ready;
    return ready != NULL;
}

enum MHD_Result ps_exchange_send_cached(struct ps_exchange *x)
{
    const struct ps_cached_response *ready = x->cached;

    if (ps_etag_matches(ps_request_header(&x->req, "If-None-Match"), ready->etag))
        return MHD_queue_response(x->connection, 304, ready->not_modified);
    return MHD_queue_response(x->connection, 200, ready->response);
}

/* The 304 response that belongs to the reply. */
static struct MHD_Response *unchanged_response(struct ps_exchange *x)
{
    struct MHD_Response *response;

    if (!x->reply.etag)
        return NULL;
    response = MHD_create_response_from_buffer(0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
    x->reply.status = 304;
    if (response)
        add_headers(x, response);
    x->reply.status = 200;
    return response;
}

/* Caches the response for later requests or releases it. */
static void cache_or_release(struct ps_exchange *x, struct MHD_Response *response, size_t bytes)
{
    struct ps_cached_response ready = {
        .route = x->route,
        .response = response,
        .etag = x->reply.etag,
        .subject = x->reply.subject,
        .mark = x->reply.mark,
        .bytes = bytes,
    };

    if (!x->reply.is_cacheable || x->reply.status != 200 || bytes > PS_RESPONSE_CACHE_BODY_MAX ||
        !is_read_request(x) || atomic_load(&x->http->is_quiesced)) {
        MHD_destroy_response(response);
        return;
    }
    ready.not_modified = unchanged_response(x);
    ps_response_cache_put(x->http->response_cache, x->uri, accepts_gzip(x), &ready);
}

enum MHD_Result ps_exchange_send(struct ps_exchange *x)
{
    struct MHD_Response *response;
    enum MHD_Result sent;
    size_t bytes;

    ps_exchange_handler_done(x);
    set_body_etag(x);
    drop_if_not_modified(x);
    compress_body(x);
    if (x->reply.feed)
        stop_counting(x);
    bytes = x->reply.body.len; /* fixed bodies are static: only their headers use memory */
    response = response_of(x);
    if (!response)
        return MHD_NO;
    add_headers(x, response);
    sent = MHD_queue_response(x->connection, x->reply.status, response);
    cache_or_release(x, response, bytes);
    return sent;
}
