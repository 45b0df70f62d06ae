/* SPDX-License-Identifier: MIT */
/*
 * http.c: the daemon, and the callbacks with which libmicrohttpd reports the start and the end of
 * connections and requests.
 */
#define _GNU_SOURCE /* accept4 */
#include "server/http/http.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "server/http/exchange.h"
#include "server/http/libmicrohttpd.h"

#define MEMORY_PER_CLIENT 32768 /* bytes; request and response headers, and a block of the body */
#define SPARE_PART        8 /* 1 of 8 connections is kept free of clients that send no request */

/* Called with the raw URI of a request, before libmicrohttpd decodes it: afterwards %2F looks like
 * a slash, and a string ends at %00. Hides the query from libmicrohttpd: it would store each
 * parameter in the memory of the client, and close the connection without an answer if no memory is
 * left for one. */
static void *on_request_line(void *cls, const char *uri, struct MHD_Connection *connection)
{
    struct ps_exchange *x = ps_exchange_create(cls, uri, connection);
    char *query = strchr((char *)(uintptr_t)uri, '?');

    if (query && query[1])
        query[1] = '\0';
    return x;
}

static size_t keep_escapes(void *cls, struct MHD_Connection *connection, char *text)
{
    (void)cls, (void)connection;
    return strlen(text);
}

/* Called when the headers are known (without data), for each chunk of the body, and when the body
 * is complete or the connection was resumed (without data). */
static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **context)
{
    struct ps_exchange *x = *context;
    struct ps_str bytes = {data, *size};

    (void)cls, (void)connection, (void)url, (void)version;
    if (!x->headers_seen)
        return ps_exchange_begin(x, method);
    if (bytes.len == 0)
        return ps_exchange_answer(x);
    *size = 0;
    return ps_exchange_receive(x, bytes);
}

static void on_end(void *cls, struct MHD_Connection *connection, void **context,
                   enum MHD_RequestTerminationCode how)
{
    (void)cls, (void)connection, (void)how;
    ps_exchange_free(*context);
    *context = NULL;
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct ps_http *http = cls;
    const union MHD_ConnectionInfo *info;

    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        ps_client_remove(&http->clients, *context);
        return;
    }
    info = ps_mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *context = ps_client_add(&http->clients, info->connect_fd);
}

void ps_http_sweep(struct ps_http *http)
{
    ps_clients_sweep(&http->clients, 2 * (int64_t)http->config.idle_s);
}

static struct MHD_Daemon *start_daemon(struct ps_http *http)
{
    const struct ps_http_config *config = &http->config;
    /* poll, not epoll: with edge-triggered epoll, libmicrohttpd 0.9.75 misses the end of a stream
     * that arrives with its last bytes, and the upload of a disconnected client would be kept until
     * the idle limit. */
    unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                     (config->tls_key ? MHD_USE_TLS : 0);

    struct MHD_OptionItem options[] = {
        {MHD_OPTION_LISTEN_SOCKET, config->listen_fd, NULL},
        {MHD_OPTION_THREAD_POOL_SIZE, config->threads, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, config->connections, NULL},
        {MHD_OPTION_PER_IP_CONNECTION_LIMIT, config->per_address, NULL},
        {MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, config->idle_s, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, MEMORY_PER_CLIENT, NULL},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, http},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)on_request_line, http},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)keep_escapes, http},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)on_end, http},
        {config->tls_key ? MHD_OPTION_HTTPS_MEM_KEY : MHD_OPTION_END, 0,
         (void *)(uintptr_t)config->tls_key},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)config->tls_cert},
        {MHD_OPTION_END, 0, NULL},
    };

    return ps_mhd.MHD_start_daemon(flags, 0, NULL, NULL, on_request, http, MHD_OPTION_ARRAY,
                                   options, MHD_OPTION_END);
}

static void free_http(struct ps_http *http)
{
    ps_work_free(http->read_work);
    ps_work_free(http->write_work);
    ps_response_cache_free(http->response_cache);
    ps_clients_destroy(&http->clients);
    ps_close_fd(&http->config.listen_fd);
    free(http);
}

enum ps_status ps_http_start(const struct ps_http_config *config, struct ps_http **out,
                             struct ps_err *err)
{
    struct ps_http *http = ps_alloc(sizeof *http);
    enum ps_status status;

    http->config = *config;
    ps_clients_init(&http->clients, config->connections - config->connections / SPARE_PART);
    http->response_cache = ps_response_cache_create();
    status = ps_mhd_load(err);
    if (status == PS_OK)
        status = ps_work_create(config->slow_threads, config->slow_threads, &http->read_work, err);
    if (status == PS_OK)
        status = ps_work_create(config->slow_threads, 0, &http->write_work, err);
    if (status == PS_OK) {
        http->daemon = start_daemon(http);
        http->config.listen_fd = -1; /* owned by the daemon until ps_http_quiesce */
        if (!http->daemon)
            status =
                ps_fail(err, PS_IO,
                        config->tls_key ? "the HTTPS server cannot start; check that certificate "
                                          "and key belong together and are PEM files"
                                        : "the HTTP server cannot start");
    }
    if (status != PS_OK) {
        free_http(http);
        return status;
    }
    *out = http;
    return PS_OK;
}

/* Accepts the connections in the kernel's queue: they would be reset when the socket is closed. */
static void accept_waiting(struct ps_http *http, int fd)
{
    struct sockaddr_storage from;
    socklen_t len = sizeof from;
    int client;

    while ((client = accept4(fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK)) >=
           0) {
        (void)ps_mhd.MHD_add_connection(http->daemon, client, (struct sockaddr *)&from, len);
        len = sizeof from;
    }
}

void ps_http_quiesce(struct ps_http *http)
{
    if (atomic_exchange(&http->is_quiesced, true))
        return;
    http->config.listen_fd = ps_mhd.MHD_quiesce_daemon(http->daemon);
    if (http->config.listen_fd >= 0)
        accept_waiting(http, http->config.listen_fd);
    ps_close_fd(&http->config.listen_fd);
}

void ps_http_cancel(struct ps_http *http)
{
    atomic_store(&http->cancelled, true);
}

unsigned ps_http_count_requests(struct ps_http *http)
{
    return atomic_load(&http->in_flight);
}

void ps_http_stop(struct ps_http *http)
{
    if (!http)
        return;
    ps_http_quiesce(http);
    atomic_store(&http->stopped, true);
    while (atomic_load(&http->busy) > 0)
        ps_sleep_ms(1);
    ps_mhd.MHD_stop_daemon(http->daemon);
    free_http(http);
}
