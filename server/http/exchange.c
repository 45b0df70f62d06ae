/* SPDX-License-Identifier: MIT */
/* exchange.c: one request from its headers to its response: checks, body, handler, and the
 * libmicrohttpd response with ETag, compression and common headers. */
#define _GNU_SOURCE /* POLLRDHUP */
#include "server/http/exchange.h"

#include <arpa/inet.h>
#include <isa-l/crc64.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/context.h"
#include "server/http/ambiguity.h"
#include "server/http/feed.h"
#include "server/http/libmicrohttpd.h"
#include "server/http/negotiate.h"

/* A connection is closed if after SLOW_AFTER_S seconds its body has arrived at less than
 * SLOW_BYTES_PER_S. */
#define SLOW_AFTER_S     30
#define SLOW_BYTES_PER_S 256
/* Do not compress smaller bodies: they fit into one packet with their headers. */
#define GZIP_FROM ((size_t)1400)

static const char page_policy[] =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' "
    "data: blob:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"; /* two reports side by side are frames of our own page */
static const char data_policy[] = "default-src 'none'; frame-ancestors 'none'";

static struct ps_exchange *exchange_of(const struct ps_request *req)
{
    return (struct ps_exchange *)(uintptr_t)req; /* req is the first member */
}

/* A local request (local.h) has no connection: no headers, no cookies, no client address. */
static const char *request_value(const struct ps_request *req, enum MHD_ValueKind kind,
                                 const char *name)
{
    struct MHD_Connection *connection = exchange_of(req)->connection;

    return connection ? ps_mhd.MHD_lookup_connection_value(connection, kind, name) : NULL;
}

static const union MHD_ConnectionInfo *connection_info(const struct ps_request *req,
                                                       enum MHD_ConnectionInfoType what)
{
    struct MHD_Connection *connection = exchange_of(req)->connection;

    return connection ? ps_mhd.MHD_get_connection_info(connection, what) : NULL;
}

const char *ps_request_header(const struct ps_request *req, const char *name)
{
    return request_value(req, MHD_HEADER_KIND, name);
}

const char *ps_request_param(const struct ps_request *req, const char *key)
{
    return ps_url_params_get(&req->params, key);
}

const char *ps_request_cookie(const struct ps_request *req, const char *name)
{
    return request_value(req, MHD_COOKIE_KIND, name);
}

const char *ps_request_peer_address(struct ps_request *req)
{
    const union MHD_ConnectionInfo *info = connection_info(req, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *from = info ? info->client_addr : NULL;
    const struct sockaddr_in6 *six = (const void *)from;
    char *text = ps_arena_alloc(&req->arena, INET6_ADDRSTRLEN);

    text[0] = '\0';
    if (from && from->sa_family == AF_INET)
        (void)inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)from)->sin_addr, text,
                        INET6_ADDRSTRLEN);
    else if (from && from->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
        (void)inet_ntop(AF_INET, &six->sin6_addr.s6_addr[12], text, INET6_ADDRSTRLEN);
    else if (from && from->sa_family == AF_INET6)
        (void)inet_ntop(AF_INET6, &six->sin6_addr, text, INET6_ADDRSTRLEN);
    return text;
}

bool ps_request_is_disconnected(const struct ps_request *req)
{
    const union MHD_ConnectionInfo *info = connection_info(req, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct pollfd client = {.fd = info ? info->connect_fd : -1, .events = POLLRDHUP};

    return poll(&client, 1, 0) > 0 && client.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

char *ps_request_claim_file(struct ps_upload_file *file)
{
    char *path = file->path;

    file->path = NULL;
    return path;
}

struct ps_exchange *ps_exchange_create(struct ps_http *http, const char *uri,
                                       struct MHD_Connection *connection)
{
    struct ps_exchange *x = ps_alloc(sizeof *x);
    struct ps_str raw;

    x->http = http;
    x->connection = connection;
    x->client = ps_mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
                    ->socket_context;
    x->req.app = http->config.app;
    x->req.user_name = "";
    ps_reply_init(&x->reply);
    raw = ps_arena_copy(&x->req.arena, ps_str_from_c(uri));
    x->uri = raw;
    x->path = (struct ps_str){raw.ptr, strcspn(raw.ptr, "?")};
    atomic_init(&x->deferral, PS_RUNNING);
    return x;
}

/* The request is neither in a handler nor suspended any more. */
static void end_handler(struct ps_exchange *x)
{
    if (x->is_in_handler)
        atomic_fetch_sub(&x->http->busy, 1);
    x->is_in_handler = false;
}

void ps_exchange_free(struct ps_exchange *x)
{
    if (!x)
        return;
    ps_upload_free(x->upload);
    ps_upload_drop_files(&x->http->config.spool, &x->req);
    ps_buf_free(&x->body);
    ps_reply_free(&x->reply);
    if (x->cached)
        ps_response_cache_release(x->cached);
    ps_arena_free(&x->req.arena);
    if (x->is_counted)
        atomic_fetch_sub(&x->http->in_flight, 1);
    /* not done yet if the client disconnected while the request was suspended */
    end_handler(x);
    ps_client_begin_waiting(x->client);
    free(x);
}

static bool is_read_request(const struct ps_exchange *x)
{
    return strcmp(x->req.method, "GET") == 0 || strcmp(x->req.method, "HEAD") == 0;
}

/* --- Sending --- */

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

static struct MHD_Response *create_stream_response(struct ps_reply *reply)
{
    struct stream_body *body = ps_alloc(sizeof *body);

    *body = (struct stream_body){reply->stream, reply->stream_fd};
    reply->stream = NULL;
    reply->stream_fd = -1;
    return ps_mhd.MHD_create_response_from_callback(reply->stream_bytes, (size_t)64 << 10,
                                                    read_stream, body, free_stream);
}

static struct MHD_Response *create_response(struct ps_exchange *x)
{
    struct ps_reply *reply = &x->reply;
    struct ps_buf body = reply->body;
    struct ps_feed *feed = reply->feed;

    if (feed) {
        reply->feed = NULL;
        return ps_feed_create_response(feed, x->connection);
    }
    if (reply->stream)
        return create_stream_response(reply);
    if (reply->static_body.ptr)
        return ps_mhd.MHD_create_response_from_buffer(reply->static_body.len,
                                                      (void *)(uintptr_t)reply->static_body.ptr,
                                                      MHD_RESPMEM_PERSISTENT);
    reply->body = (struct ps_buf){0};
    if (!body.ptr)
        return ps_mhd.MHD_create_response_from_buffer(0, (void *)(uintptr_t) "",
                                                      MHD_RESPMEM_PERSISTENT);
    return ps_mhd.MHD_create_response_from_buffer(body.len, body.ptr, MHD_RESPMEM_MUST_FREE);
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
        (void)ps_mhd.MHD_add_response_header(response, name, value);
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

/* The 304 response that belongs to the reply. */
static struct MHD_Response *create_not_modified(struct ps_exchange *x)
{
    struct MHD_Response *response;

    if (!x->reply.etag)
        return NULL;
    response =
        ps_mhd.MHD_create_response_from_buffer(0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
    x->reply.status = 304;
    if (response)
        add_headers(x, response);
    x->reply.status = 200;
    return response;
}

/* Caches the response for later requests or releases it. */
static void cache_or_release(struct ps_exchange *x, struct MHD_Response *response, size_t bytes)
{
    struct ps_cached_response cached = {
        .route = x->route,
        .response = response,
        .etag = x->reply.etag,
        .subject = x->reply.subject,
        .mark = x->reply.mark,
        .bytes = bytes,
    };

    if (!x->reply.is_cacheable || x->reply.status != 200 || bytes > PS_RESPONSE_CACHE_BODY_MAX ||
        !is_read_request(x) || atomic_load(&x->http->is_quiesced)) {
        ps_mhd.MHD_destroy_response(response);
        return;
    }
    cached.not_modified = create_not_modified(x);
    ps_response_cache_put(x->http->response_cache, x->uri, accepts_gzip(x), &cached);
}

/* Sends x->reply; MHD_NO if the connection must be closed. */
static enum MHD_Result send_reply(struct ps_exchange *x)
{
    struct MHD_Response *response;
    enum MHD_Result sent;
    size_t bytes;

    end_handler(x);
    set_body_etag(x);
    drop_if_not_modified(x);
    compress_body(x);
    if (x->reply.feed)
        stop_counting(x);
    bytes = x->reply.body.len; /* fixed bodies are static: only their headers use memory */
    response = create_response(x);
    if (!response)
        return MHD_NO;
    add_headers(x, response);
    sent = ps_mhd.MHD_queue_response(x->connection, x->reply.status, response);
    cache_or_release(x, response, bytes);
    return sent;
}
/* --- Cached responses --- */

static bool is_still_valid(const struct ps_http *http, const struct ps_cached_response *cached)
{
    return !cached->subject ||
           http->config.get_mark(http->config.app, cached->subject) == cached->mark;
}

/* Whether a cached response to this URL is still valid. If so, sets x->cached, which contains the
 * route too. */
static bool find_cached(struct ps_exchange *x)
{
    const struct ps_cached_response *cached;

    if (!is_read_request(x) ||
        atomic_load(&x->http->is_quiesced)) /* then responses contain Connection: close */
        return false;
    cached = ps_response_cache_find(x->http->response_cache, x->uri, accepts_gzip(x));
    if (cached && !is_still_valid(x->http, cached)) {
        ps_response_cache_drop(x->http->response_cache, cached);
        ps_response_cache_release(cached);
        cached = NULL;
    }
    x->cached = cached;
    return cached != NULL;
}

static enum MHD_Result send_cached(struct ps_exchange *x)
{
    const struct ps_cached_response *cached = x->cached;

    if (ps_etag_matches(ps_request_header(&x->req, "If-None-Match"), cached->etag))
        return ps_mhd.MHD_queue_response(x->connection, 304, cached->not_modified);
    return ps_mhd.MHD_queue_response(x->connection, 200, cached->response);
}

/* --- Checks before the body --- */

/* The checks return false after making the reply. */

static bool refuse_request(struct ps_exchange *x, unsigned http, const char *word, const char *text,
                           const char *hint)
{
    ps_reply_set_error_fields(&x->reply, http, word, text, hint);
    x->is_refused = true;
    return false;
}

static bool refuse_err(struct ps_exchange *x)
{
    ps_reply_set_error(&x->reply, &x->err);
    x->is_refused = true;
    return false;
}

/* Refuses requests whose end is ambiguous, and closes the connection after the response. */
static bool check_ambiguity(struct ps_exchange *x)
{
    const char *fault = ps_request_find_ambiguity(x->connection);

    if (!fault)
        return true;
    (void)refuse_request(x, 400, "bad_request", fault, NULL);
    ps_reply_add_header(&x->reply, "Connection", "close");
    x->is_ambiguous = true;
    return false;
}

/* The host name without its port for an error message; "NAME" if the header contains characters
 * that a host name cannot have. */
static const char *host_name(struct ps_exchange *x, const char *host)
{
    size_t len = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    size_t name =
        strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]");

    if (len == 0 || len > 253 || name < len || len > strlen(host))
        return "NAME";
    return ps_arena_copy(&x->req.arena, (struct ps_str){host, len}).ptr;
}

static bool check_host(struct ps_exchange *x)
{
    const char *host = ps_request_header(&x->req, "Host");

    if (ps_guard_accepts_host(&x->http->config.guard, host))
        return true;
    return refuse_request(
        x, 403, "forbidden", "this server does not answer to the host name in the request",
        ps_arena_printf(
            &x->req.arena,
            "start it with `perfshelf serve --host %s`, or use an address that `serve` printed",
            host_name(x, host)));
}

static bool check_site(struct ps_exchange *x)
{
    if (ps_guard_accepts_site(ps_request_header(&x->req, "Sec-Fetch-Site"),
                              is_read_request(x) ? ps_request_header(&x->req, "Sec-Fetch-Dest")
                                                 : NULL))
        return true;
    return refuse_request(x, 403, "forbidden", "requests from pages of other sites are refused",
                          "open the address of the shelf in the browser");
}

static bool check_origin(struct ps_exchange *x)
{
    if (is_read_request(x) || ps_guard_accepts_origin(ps_request_header(&x->req, "Origin"),
                                                      ps_request_header(&x->req, "Host")))
        return true;
    return refuse_request(x, 403, "forbidden",
                          "changes requested by pages of other sites are refused", NULL);
}

static bool find_route(struct ps_exchange *x)
{
    const struct ps_http_config *config = &x->http->config;
    struct ps_route_match match;
    enum ps_status status;

    if (find_cached(x)) {
        x->route = x->cached->route;
        return true;
    }
    status = ps_router_find(config->routes, config->n_routes, x->req.method, x->path, &x->req.arena,
                            &match, &x->err);
    x->route = match.route;
    memcpy(x->req.args, match.args, sizeof x->req.args);
    if (status == PS_OK)
        return true;
    if (status != PS_CONFLICT)
        return refuse_err(x);
    (void)refuse_request(x, 405, "method", x->err.text, NULL);
    ps_reply_add_header(&x->reply, "Allow", match.allow);
    return false;
}

static bool check_admission(struct ps_exchange *x)
{
    const struct ps_http_config *config = &x->http->config;

    x->is_refused = config->admit && !config->admit(&x->req, x->route, &x->reply);
    return !x->is_refused;
}

static bool read_query(struct ps_exchange *x)
{
    struct ps_str query = ps_str_from_c(x->path.ptr + x->path.len);

    return x->cached ||
           ps_url_parse_query(&x->req.arena, ps_str_skip(query, 1), &x->req.params, &x->err) ==
               PS_OK ||
           refuse_err(x);
}

/* The Content-Length, or -1 if it is absent (no body, or chunked). */
static int64_t declared_length(const struct ps_exchange *x)
{
    const char *text = ps_request_header(&x->req, "Content-Length");
    int64_t length;

    return text && ps_str_parse_i64(ps_str_from_c(text), &length) ? length : -1;
}

static uint64_t body_max(const struct ps_exchange *x)
{
    unsigned flags = x->route->flags;

    if (flags & PS_ROUTE_UPLOAD)
        return flags & PS_ROUTE_SMALL ? PS_SMALL_MAX : x->http->config.spool.max;
    return flags & PS_ROUTE_BODY ? PS_BODY_MAX : PS_DISCARD_MAX;
}

static bool check_length(struct ps_exchange *x)
{
    uint64_t max = body_max(x);
    int64_t length = declared_length(x);

    if (length < 0 || (uint64_t)length <= max)
        return true;
    ps_fail(&x->err, PS_LIMIT, "the request body of %lld bytes exceeds the limit of %llu",
            (long long)length, (unsigned long long)max);
    return refuse_err(x);
}

static bool open_sink(struct ps_exchange *x)
{
    int64_t length = declared_length(x);

    x->sink = x->route->flags & PS_ROUTE_UPLOAD ? PS_SINK_UPLOAD
              : x->route->flags & PS_ROUTE_BODY ? PS_SINK_BODY
                                                : PS_SINK_DISCARD;
    if (x->sink != PS_SINK_UPLOAD)
        return true;
    return ps_upload_create(&x->http->config.spool, &x->req,
                            ps_request_header(&x->req, "Content-Type"), body_max(x),
                            length > 0 ? (uint64_t)length : 0, &x->upload, &x->err) == PS_OK ||
           refuse_err(x);
}

/* Whether to reply before reading the body: if the client expects it (Expect header), or if the
 * body is too long to be read and discarded. */
static bool replies_before_body(const struct ps_exchange *x)
{
    return x->is_ambiguous || ps_request_header(&x->req, "Expect") ||
           declared_length(x) > (int64_t)PS_DISCARD_MAX;
}

enum MHD_Result ps_exchange_begin(struct ps_exchange *x, const char *method)
{
    if (atomic_load(&x->http->stopped))
        return MHD_NO;
    ps_client_end_waiting(x->client);
    x->headers_seen = true;
    x->is_counted = true;
    atomic_fetch_add(&x->http->in_flight, 1);
    x->req.method = method;
    x->began_ms = ps_monotonic_ms();
    if (check_ambiguity(x) && check_host(x) && check_site(x) && check_origin(x) && find_route(x) &&
        check_admission(x) && read_query(x) && check_length(x) && open_sink(x))
        return MHD_YES;
    x->sink = PS_SINK_DISCARD;
    return replies_before_body(x) ? send_reply(x) : MHD_YES;
}

/* --- Body --- */

static bool is_slow_client(const struct ps_exchange *x)
{
    const int64_t seconds = (ps_monotonic_ms() - x->began_ms) / 1000;

    return seconds > SLOW_AFTER_S && x->received < (uint64_t)seconds * SLOW_BYTES_PER_S;
}

static enum ps_status receive_bytes(struct ps_exchange *x, struct ps_str bytes)
{
    if (x->sink == PS_SINK_UPLOAD)
        return ps_upload_feed(x->upload, bytes, &x->err);
    if (x->body.len + bytes.len > PS_BODY_MAX)
        return ps_fail(&x->err, PS_LIMIT, "the request body exceeds the limit of %zu bytes",
                       PS_BODY_MAX);
    ps_buf_add_str(&x->body, bytes);
    return PS_OK;
}

/* Replies with the error; the remaining body is read and discarded. */
static void fail_body(struct ps_exchange *x)
{
    (void)refuse_err(x);
    ps_upload_free(x->upload);
    x->upload = NULL;
    ps_upload_drop_files(&x->http->config.spool, &x->req);
    x->sink = PS_SINK_DISCARD;
    x->received = 0;
}

enum MHD_Result ps_exchange_receive(struct ps_exchange *x, struct ps_str bytes)
{
    x->received += bytes.len;
    if (is_slow_client(x))
        return MHD_NO;
    if (x->sink == PS_SINK_DISCARD)
        return declared_length(x) >= 0 || x->received <= PS_DISCARD_MAX ? MHD_YES : MHD_NO;
    if (receive_bytes(x, bytes) != PS_OK)
        fail_body(x);
    return MHD_YES;
}

static void end_body(struct ps_exchange *x)
{
    if (x->sink == PS_SINK_UPLOAD && ps_upload_finish(x->upload, &x->err) != PS_OK)
        fail_body(x);
    if (x->sink == PS_SINK_BODY) {
        ps_buf_add(&x->body, "", 0);
        x->req.body = ps_buf_slice(&x->body);
    }
}

/* --- Answer --- */

static void set_error_if_failed(struct ps_exchange *x, enum ps_status status,
                                const struct ps_err *err)
{
    if (status != PS_OK)
        ps_reply_set_error(&x->reply, err);
}

static void run_handler(struct ps_exchange *x)
{
    set_error_if_failed(x, x->route->handle(&x->req, &x->reply, &x->err), &x->err);
}

/* Reason to stop a request that only reads, or PS_OK. */
static enum ps_status poll_read(void *user, struct ps_err *err)
{
    struct ps_exchange *x = user;

    if (atomic_load(&x->http->cancelled))
        return ps_fail(err, PS_UNAVAILABLE, "the server is stopping");
    if (ps_request_is_disconnected(&x->req))
        return ps_fail(err, PS_CANCELLED, "the client closed its connection");
    x->yields = ps_work_must_yield(x->http->read_work);
    return x->yields ? ps_fail(err, PS_UNAVAILABLE, "the request waits for a free worker") : PS_OK;
}

static void drop_reply(struct ps_exchange *x)
{
    ps_reply_free(&x->reply);
    ps_reply_init(&x->reply);
    x->err = (struct ps_err)PS_ERR_INIT;
}

/* If a handler was stopped, its reply is incomplete whatever it returned, and is replaced. */
static void run_within_limits(struct ps_exchange *x)
{
    struct ps_context context;

    ps_context_begin(&context, x->http->config.timeout_ms, poll_read, x);
    if (!ps_context_has_ended())
        run_handler(x);
    if (ps_context_end(&context) == PS_OK)
        return;
    drop_reply(x);
    if (!x->yields)
        set_error_if_failed(x, context.err.code, &context.err);
}

/* Runs the handler on a worker thread while the connection is suspended. A handler that deferred
 * its reply has the connection resumed by ps_request_finish, unless that was called already. */
static void run_on_worker(void *arg)
{
    struct ps_exchange *x = arg;
    int running = PS_RUNNING;

    x->yields = false;
    if (is_read_request(x))
        run_within_limits(x);
    else
        run_handler(x);
    if (x->yields) {
        ps_work_add_long(x->http->read_work, run_on_worker, x);
        return;
    }
    if (!x->is_deferred || !atomic_compare_exchange_strong(&x->deferral, &running, PS_SUSPENDED))
        ps_mhd.MHD_resume_connection(x->connection);
}

void ps_request_defer(struct ps_request *req)
{
    exchange_of(req)->is_deferred = true;
}

void ps_request_finish(struct ps_request *req, enum ps_status status, const struct ps_err *err)
{
    struct ps_exchange *x = exchange_of(req);

    if (status != PS_OK && !x->connection)
        (void)ps_fail_copy(&x->err, err);
    else
        set_error_if_failed(x, status, err);
    if (atomic_exchange(&x->deferral, PS_READY) == PS_SUSPENDED)
        ps_mhd.MHD_resume_connection(x->connection);
}

static enum MHD_Result suspend_until_finished(struct ps_exchange *x)
{
    int running = PS_RUNNING;

    ps_mhd.MHD_suspend_connection(x->connection);
    if (!atomic_compare_exchange_strong(&x->deferral, &running, PS_SUSPENDED))
        ps_mhd.MHD_resume_connection(x->connection); /* ps_request_finish was called first */
    return MHD_YES;
}

static enum MHD_Result suspend_for_worker(struct ps_exchange *x)
{
    ps_mhd.MHD_suspend_connection(x->connection);
    ps_work_add(is_read_request(x) ? x->http->read_work : x->http->write_work, run_on_worker, x);
    return MHD_YES;
}

/* The daemon must not be stopped while a connection is suspended, so the counter is incremented
 * before `stopped` is checked. */
static bool may_start_handler(struct ps_exchange *x)
{
    x->is_in_handler = true;
    atomic_fetch_add(&x->http->busy, 1);
    return !atomic_load(&x->http->stopped);
}

static enum MHD_Result start_handler(struct ps_exchange *x)
{
    if (x->cached)
        return send_cached(x);
    if (!may_start_handler(x))
        return MHD_NO;
    if (x->route->flags & PS_ROUTE_SLOW)
        return suspend_for_worker(x);
    run_handler(x);
    return x->is_deferred ? suspend_until_finished(x) : send_reply(x);
}

enum MHD_Result ps_exchange_answer(struct ps_exchange *x)
{
    if (x->is_handled)
        return send_reply(x);
    x->is_handled = true;
    if (!x->is_refused)
        end_body(x);
    return x->is_refused ? send_reply(x) : start_handler(x);
}
