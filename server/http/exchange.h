/* SPDX-License-Identifier: MIT */
/*
 * exchange.h: one request and its answer on their way through the server; inside this folder only.
 *
 * It is made when the request line is known and freed when libmicrohttpd is done with the request,
 * whatever became of it.
 */
#ifndef PS_HTTP_EXCHANGE_H
#define PS_HTTP_EXCHANGE_H

#include <microhttpd.h>
#include <stdatomic.h>
#include <time.h>

#include "server/http/clients.h"
#include "server/http/http.h"
#include "server/http/ready.h"
#include "server/http/router.h"
#include "server/http/work.h"

/* A refused request whose body is no longer than this is read to its end first: the client then
 * surely sees the answer, for a connection that is closed on unread bytes is reset. */
#define PS_DISCARD_MAX ((uint64_t)64 << 20)

/* Where a deferred exchange is: both sides write it once, who comes second wakes the connection. */
enum ps_deferral { PS_RUNNING, PS_SUSPENDED, PS_READY };

enum ps_sink { PS_SINK_DISCARD, PS_SINK_BODY, PS_SINK_UPLOAD };

struct ps_exchange {
    struct ps_request req;
    struct ps_reply reply;
    struct ps_err err;
    struct ps_http *http;
    struct MHD_Connection *connection;
    struct ps_client *client;
    struct ps_str uri, path; /* raw, with and without the query */
    const struct ps_route *route;
    const struct ps_ready *ready; /* the answer, or NULL: the handler makes it */
    enum ps_sink sink;
    struct ps_buf body;
    struct ps_upload *upload;
    uint64_t received; /* bytes of the body */
    struct timespec began;
    bool headers_seen, ambiguous, refused, handled, deferred, counted, busy;
    bool yields; /* it is to be handled once more, in the long lane */
    atomic_int deferral;
};

struct ps_http {
    struct ps_http_config config;
    struct MHD_Daemon *daemon;
    struct ps_work *reads, *writes; /* writes wait for the disk or a database */
    struct ps_ready_set *ready;
    struct ps_clients clients;
    atomic_uint in_flight; /* begun and not ended */
    atomic_uint busy;      /* in a handler, suspended, or waiting for one */
    atomic_bool quiesced, stopped;
    atomic_bool cancelled; /* requests that read are to end */
};

/* Sends exchange->reply; MHD_NO when the connection must be cut. */
enum MHD_Result ps_exchange_send(struct ps_exchange *exchange);
/* Whether what was answered at this address before still holds: then exchange->ready, which has
 * the route too. */
bool ps_exchange_recall(struct ps_exchange *exchange);
/* Sends exchange->ready. */
enum MHD_Result ps_exchange_send_again(struct ps_exchange *exchange);

struct ps_exchange *ps_exchange_create(struct ps_http *http, const char *uri,
                                       struct MHD_Connection *connection);
void ps_exchange_free(struct ps_exchange *exchange);
/* It is neither in a handler nor suspended any more. */
void ps_exchange_worked(struct ps_exchange *exchange);
/* The headers are known: decides what becomes of the request. */
enum MHD_Result ps_exchange_begin(struct ps_exchange *exchange, const char *method);
enum MHD_Result ps_exchange_receive(struct ps_exchange *exchange, struct ps_str bytes);
/* The body is complete, or a deferred answer is ready. */
enum MHD_Result ps_exchange_answer(struct ps_exchange *exchange);

#endif
