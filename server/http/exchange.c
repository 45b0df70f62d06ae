/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* POLLRDHUP */
#include "server/http/exchange.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/context.h"
#include "server/http/ambiguity.h"

/* A connection is closed if after SLOW_AFTER_S seconds its body has arrived at less than
 * SLOW_BYTES_PER_S. */
#define SLOW_AFTER_S     30
#define SLOW_BYTES_PER_S 256

static struct ps_exchange *exchange_of(const struct ps_request *req)
{
    return (struct ps_exchange *)(uintptr_t)req; /* req is the first member */
}

/* A local request (local.h) has no connection: no headers, no cookies, no client address. */
static const char *request_value(const struct ps_request *req, enum MHD_ValueKind kind,
                                 const char *name)
{
    struct MHD_Connection *connection = exchange_of(req)->connection;

    return connection ? MHD_lookup_connection_value(connection, kind, name) : NULL;
}

static const union MHD_ConnectionInfo *connection_info(const struct ps_request *req,
                                                       enum MHD_ConnectionInfoType what)
{
    struct MHD_Connection *connection = exchange_of(req)->connection;

    return connection ? MHD_get_connection_info(connection, what) : NULL;
}

const char *ps_request_header(const struct ps_request *req, const char *name)
{
    return request_value(req, MHD_HEADER_KIND, name);
}

const char *ps_request_param(const struct ps_request *req, const char *key)
{
    return ps_pairs_get(&req->params, key);
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
    x->client =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    x->req.app = http->config.app;
    x->req.user_name = "";
    ps_reply_init(&x->reply);
    raw = ps_arena_copy(&x->req.arena, ps_str_from_c(uri));
    x->uri = raw;
    x->path = (struct ps_str){raw.ptr, strcspn(raw.ptr, "?")};
    atomic_init(&x->deferral, PS_RUNNING);
    return x;
}

void ps_exchange_handler_done(struct ps_exchange *x)
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
    ps_exchange_handler_done(x);
    ps_client_begin_waiting(x->client);
    free(x);
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

static bool known_host(struct ps_exchange *x)
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

static bool is_read(const struct ps_exchange *x)
{
    return strcmp(x->req.method, "GET") == 0 || strcmp(x->req.method, "HEAD") == 0;
}

static bool own_site(struct ps_exchange *x)
{
    if (ps_guard_accepts_site(ps_request_header(&x->req, "Sec-Fetch-Site"),
                              is_read(x) ? ps_request_header(&x->req, "Sec-Fetch-Dest") : NULL))
        return true;
    return refuse_request(x, 403, "forbidden", "requests from pages of other sites are refused",
                          "open the address of the shelf in the browser");
}

static bool own_origin(struct ps_exchange *x)
{
    if (is_read(x) || ps_guard_accepts_origin(ps_request_header(&x->req, "Origin"),
                                              ps_request_header(&x->req, "Host")))
        return true;
    return refuse_request(x, 403, "forbidden",
                          "changes requested by pages of other sites are refused", NULL);
}

static bool known_route(struct ps_exchange *x)
{
    const struct ps_http_config *config = &x->http->config;
    struct ps_route_match match;
    enum ps_status status;

    if (ps_exchange_find_cached(x)) {
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

static bool is_admitted(struct ps_exchange *x)
{
    const struct ps_http_config *config = &x->http->config;

    x->is_refused = config->admit && !config->admit(&x->req, x->route, &x->reply);
    return !x->is_refused;
}

static bool readable_query(struct ps_exchange *x)
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

static uint64_t longest_body(const struct ps_exchange *x)
{
    unsigned flags = x->route->flags;

    if (flags & PS_ROUTE_UPLOAD)
        return flags & PS_ROUTE_SMALL ? PS_SMALL_MAX : x->http->config.spool.max;
    return flags & PS_ROUTE_BODY ? PS_BODY_MAX : PS_DISCARD_MAX;
}

static bool fitting_length(struct ps_exchange *x)
{
    uint64_t max = longest_body(x);
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
                            ps_request_header(&x->req, "Content-Type"), longest_body(x),
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
    if (check_ambiguity(x) && known_host(x) && own_site(x) && own_origin(x) && known_route(x) &&
        is_admitted(x) && readable_query(x) && fitting_length(x) && open_sink(x))
        return MHD_YES;
    x->sink = PS_SINK_DISCARD;
    return replies_before_body(x) ? ps_exchange_send(x) : MHD_YES;
}

/* --- Body --- */

static bool is_slow_route(const struct ps_exchange *x)
{
    const int64_t seconds = (ps_monotonic_ms() - x->began_ms) / 1000;

    return seconds > SLOW_AFTER_S && x->received < (uint64_t)seconds * SLOW_BYTES_PER_S;
}

static enum ps_status receive_bytes(struct ps_exchange *x, struct ps_str bytes)
{
    if (x->sink == PS_SINK_UPLOAD)
        return ps_upload_feed(x->upload, bytes, &x->err);
    if (x->body.len + bytes.len > PS_BODY_MAX)
        return ps_fail(&x->err, PS_LIMIT, "the body is over %zu bytes", PS_BODY_MAX);
    ps_buf_str(&x->body, bytes);
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
    if (is_slow_route(x))
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

static void finish_deferred(struct ps_exchange *x, enum ps_status status, const struct ps_err *err)
{
    if (status != PS_OK)
        ps_reply_set_error(&x->reply, err);
}

static void run_handler(struct ps_exchange *x)
{
    finish_deferred(x, x->route->handle(&x->req, &x->reply, &x->err), &x->err);
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
    if (ps_context_leave(&context) == PS_OK)
        return;
    drop_reply(x);
    if (!x->yields)
        finish_deferred(x, context.err.code, &context.err);
}

/* Runs the handler on a worker thread while the connection is suspended. A handler that deferred
 * its reply has the connection resumed by ps_request_finish, unless that was called already. */
static void run_slow(void *arg)
{
    struct ps_exchange *x = arg;
    int running = PS_RUNNING;

    x->yields = false;
    if (is_read(x))
        run_within_limits(x);
    else
        run_handler(x);
    if (x->yields) {
        ps_work_add_long(x->http->read_work, run_slow, x);
        return;
    }
    if (!x->is_deferred || !atomic_compare_exchange_strong(&x->deferral, &running, PS_SUSPENDED))
        MHD_resume_connection(x->connection);
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
        finish_deferred(x, status, err);
    if (atomic_exchange(&x->deferral, PS_READY) == PS_SUSPENDED)
        MHD_resume_connection(x->connection);
}

static enum MHD_Result wait_for_finish(struct ps_exchange *x)
{
    int running = PS_RUNNING;

    MHD_suspend_connection(x->connection);
    if (!atomic_compare_exchange_strong(&x->deferral, &running, PS_SUSPENDED))
        MHD_resume_connection(x->connection); /* ps_request_finish was called first */
    return MHD_YES;
}

static enum MHD_Result wait_for_slow(struct ps_exchange *x)
{
    MHD_suspend_connection(x->connection);
    ps_work_add(is_read(x) ? x->http->read_work : x->http->write_work, run_slow, x);
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
        return ps_exchange_send_cached(x);
    if (!may_start_handler(x))
        return MHD_NO;
    if (x->route->flags & PS_ROUTE_SLOW)
        return wait_for_slow(x);
    run_handler(x);
    return x->is_deferred ? wait_for_finish(x) : ps_exchange_send(x);
}

enum MHD_Result ps_exchange_answer(struct ps_exchange *x)
{
    if (x->is_handled)
        return ps_exchange_send(x);
    x->is_handled = true;
    if (!x->is_refused)
        end_body(x);
    return x->is_refused ? ps_exchange_send(x) : start_handler(x);
}
