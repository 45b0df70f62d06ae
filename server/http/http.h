/* SPDX-License-Identifier: MIT */
/*
 * http.h: the server: libmicrohttpd on a pool of polling threads, behind a table of routes. Nothing
 * outside this folder includes microhttpd.h.
 *
 * Life: ps_listen -> ps_http_start -> ... -> ps_http_quiesce -> ps_http_in_flight until 0 ->
 * ps_http_stop.
 */
#ifndef PS_HTTP_HTTP_H
#define PS_HTTP_HTTP_H

#include "server/http/guard.h"
#include "server/http/request.h"
#include "server/http/upload.h"

struct ps_http;

struct ps_http_config {
    const struct ps_route *routes; /* must outlive the server */
    size_t n_routes;
    int listen_fd; /* bound and listening; the server's from now on, also when the start fails */
    struct ps_guard guard;
    struct ps_spool spool;
    unsigned threads;      /* that talk to clients */
    unsigned slow_threads; /* for PS_ROUTE_SLOW handlers: so many for writes, and for reads as many
                              in each lane of work.h */
    unsigned timeout_ms;   /* of such a handler that reads; 0: none */
    unsigned connections;  /* more clients than this wait in the kernel's queue */
    unsigned per_address;  /* of them from one address; 0: as many */
    unsigned idle_s;       /* a client that neither sends nor reads for so long is cut off */
    void *app;             /* for handlers: req->app */
    /* Whether who asks may use a route: false after making the reply. Sets req->who. Called when
     * the headers are known, on a thread that talks to clients. NULL: everybody may everything. */
    bool (*admit)(struct ps_request *req, const struct ps_route *route, struct ps_reply *reply);
    /* A number that stands for what the subject of an answer is now, 0 when there is none: see
     * ps_reply_again. Called from any thread. NULL when no handler names a subject. */
    uint64_t (*mark)(void *app, const char *subject);
    const char *tls_cert, *tls_key; /* PEM, both or neither: HTTPS */
};

enum ps_status ps_http_start(const struct ps_http_config *config, struct ps_http **out,
                             struct ps_err *err);

/* To be called every few seconds: cuts off clients that take longer than twice idle_s over the
 * headers of a request, or read their answer too slowly. */
void ps_http_sweep(struct ps_http *http);

/* No new connections; what was begun goes on and is told to close. */
void ps_http_quiesce(struct ps_http *http);
/* Ends the PS_ROUTE_SLOW handlers that read: what runs and what comes is answered with 503. */
void ps_http_cancel(struct ps_http *http);
/* Requests being received, worked on or answered; event streams do not count. */
unsigned ps_http_in_flight(struct ps_http *http);
/* Ends the server. Every deferred request must be finished and every feed ended. NULL is fine. */
void ps_http_stop(struct ps_http *http);

#endif
