/* SPDX-License-Identifier: MIT */
/*
 * http.h: the HTTP server: libmicrohttpd with a pool of polling threads, serving a table of routes.
 * Nothing outside this folder includes microhttpd.h.
 *
 * One thread starts and stops it, in this order; the other functions may be called from any thread:
 *
 *     struct ps_http *http = NULL;
 *
 *     ps_listen("127.0.0.1:7700", &listener, err);
 *     config.listen_fd = listener.fd;
 *     ps_http_start(&config, &http, err);
 *     ...                             handlers run on other threads from now on
 *     ps_http_quiesce(http);
 *     wait until ps_http_count_requests(http) is 0
 *     ps_http_stop(http);
 */
#ifndef PS_HTTP_HTTP_H
#define PS_HTTP_HTTP_H

#include "server/http/guard.h"
#include "server/http/request.h"
#include "server/http/upload.h"

struct ps_http;

struct ps_http_config {
    const struct ps_route *routes; /* must stay valid until ps_http_stop */
    size_t n_routes;
    int listen_fd; /* bound and listening; owned by the server, even if the start fails */
    struct ps_guard guard;
    struct ps_spool spool;
    unsigned threads; /* threads that read requests and send responses */
    /* threads for PS_ROUTE_SLOW handlers: this number for writes, and this number in each lane of
     * work.h for reads */
    unsigned slow_threads;
    unsigned timeout_ms; /* time limit of a PS_ROUTE_SLOW handler that reads; 0: none */
    /* maximum number of open connections; from 7 of 8 on, a new one closes the one that has waited
     * longest for a request. If all have requests, further clients wait in the kernel's queue. */
    unsigned connections;
    unsigned per_address; /* maximum number of connections from one address; 0: no limit */
    unsigned idle_s;      /* seconds without traffic after which a connection is closed */
    void *app;            /* for handlers: req->app */
    /* Whether the client may use the route; if not, makes the reply and returns false. Sets
     * req->user_name and req->right. Called on a thread that serves connections, when the headers
     * are known. NULL: everything is allowed. */
    bool (*admit)(struct ps_request *req, const struct ps_route *route, struct ps_reply *reply);
    /* Returns the mark, a version number, of the subject of a reply; 0: the subject does not exist.
     * See ps_reply_allow_caching. Called from any thread. NULL if no handler names a subject. */
    uint64_t (*get_mark)(void *app, const char *subject);
    const char *tls_cert, *tls_key; /* PEM; both set: HTTPS, both NULL: HTTP */
};

enum ps_status ps_http_start(const struct ps_http_config *config, struct ps_http **out,
                             struct ps_err *err);

/* Call this every few seconds. Closes connections that need longer than twice idle_s for the
 * headers of a request or read their response too slowly. */
void ps_http_sweep(struct ps_http *http);

/* Accepts no new connections. Current requests continue; their responses ask clients to close. */
void ps_http_quiesce(struct ps_http *http);
/* Cancels the requests that run PS_ROUTE_SLOW handlers and only read: running and later ones are
 * answered with 503. */
void ps_http_cancel(struct ps_http *http);
/* Number of requests being received, handled or answered; event streams are not counted. */
unsigned ps_http_count_requests(struct ps_http *http);
/* Stops the server. Every deferred request must be finished and every feed ended. NULL is
 * allowed. */
void ps_http_stop(struct ps_http *http);

#endif
