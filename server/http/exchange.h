/* SPDX-License-Identifier: MIT */
/*
 * exchange.h: one request and its response inside the server; for this folder only.
 *
 * An exchange is created when the request line is known and freed when libmicrohttpd has finished
 * the request, successfully or not.
 */
#ifndef PS_HTTP_EXCHANGE_H
#define PS_HTTP_EXCHANGE_H

#include <microhttpd.h>
#include <stdatomic.h>

#include "server/http/clients.h"
#include "server/http/http.h"
#include "server/http/response_cache.h"
#include "server/http/router.h"
#include "server/http/work.h"

/* If a request is refused, a body of at most PS_DISCARD_MAX bytes is still read to its end, so that
 * the client receives the response: closing a connection with unread bytes resets it. */
#define PS_DISCARD_MAX ((uint64_t)64 << 20)

/* State of a deferred exchange. The handler and the server thread each set it once; the second of
 * them resumes the connection. */
enum ps_deferral { PS_RUNNING, PS_SUSPENDED, PS_READY };

enum ps_sink { PS_SINK_DISCARD, PS_SINK_BODY, PS_SINK_UPLOAD };

struct ps_exchange {
    struct ps_request req;
    struct ps_reply reply;
    struct ps_err err;
    struct ps_http *http;
    struct MHD_Connection *connection;
    struct ps_client *client;
    struct ps_str uri, path; /* raw (percent-encoded): with the query, without it */
    const struct ps_route *route;
    const struct ps_cached_response *cached; /* cached response, or NULL: the handler makes it */
    enum ps_sink sink;
    struct ps_buf body;
    struct ps_upload *upload;
    uint64_t received; /* bytes of the body received so far */
    int64_t began_ms;  /* monotonic clock */
    bool headers_seen, is_ambiguous, is_refused, is_handled, is_deferred, is_counted, is_in_handler;
    bool yields; /* the handler is to be run again, in the long lane */
    atomic_int deferral;
};

struct ps_http {
    struct ps_http_config config;
    struct MHD_Daemon *daemon;
    struct ps_work *read_work, *write_work; /* writes wait for the disk or a database */
    struct ps_response_cache *response_cache;
    struct ps_clients clients;
    atomic_uint in_flight; /* requests that have begun and not ended */
    atomic_uint busy;      /* requests in a handler, suspended, or waiting for a handler */
    atomic_bool is_quiesced, stopped;
    atomic_bool cancelled; /* requests that only read are to stop */
};

struct ps_exchange *ps_exchange_create(struct ps_http *http, const char *uri,
                                       struct MHD_Connection *connection);
void ps_exchange_free(struct ps_exchange *exchange);
/* The headers are known: checks the request and decides how its body is read. */
enum MHD_Result ps_exchange_begin(struct ps_exchange *exchange, const char *method);
enum MHD_Result ps_exchange_receive(struct ps_exchange *exchange, struct ps_str bytes);
/* The body is complete, or a deferred reply is ready. */
enum MHD_Result ps_exchange_answer(struct ps_exchange *exchange);

#endif
