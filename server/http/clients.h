/* SPDX-License-Identifier: MIT */
/*
 * clients.h: the open connections, and time limits for slow ones. Private to this folder.
 *
 * libmicrohttpd closes connections without traffic, but not a connection that receives one byte of
 * a header now and then. A client therefore has a limited time for the headers of a request,
 * counted from the start of the connection or the end of its previous request. A client that reads
 * a response one byte at a time is not without traffic either: the bytes it acknowledges are
 * counted while data is waiting for it. While almost all connections are in use, each new one
 * closes the one that has waited longest for a request.
 */
#ifndef PS_HTTP_CLIENTS_H
#define PS_HTTP_CLIENTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PS_READ_RATE_MIN 256

struct ps_client {
    struct ps_client *next, **link;
    int fd;
    /* monotonic time (s) since which the headers of a request are awaited; 0 during a request */
    atomic_int_least64_t waiting_since_s;
    bool is_closing; /* its connection was shut down */
    /* for ps_clients_sweep only: monotonic time (s) at which the current window of the read rate
     * began; 0: no data waits for the client */
    int64_t window_start_s;
    uint64_t acknowledged; /* bytes that the client had acknowledged at window_start_s */
};

struct ps_clients {
    pthread_mutex_t lock;
    struct ps_client *first; /* the newest */
    size_t n_open;           /* number of those that are not closing */
    size_t n_max;
};

/* `n_max`: number of open connections from which on a new one closes one that waits. */
void ps_clients_init(struct ps_clients *clients, size_t n_max);
void ps_clients_destroy(struct ps_clients *clients);

/* Register and unregister a connection. fd must stay open until it is unregistered. */
struct ps_client *ps_client_add(struct ps_clients *clients, int fd);
void ps_client_remove(struct ps_clients *clients, struct ps_client *client);

void ps_client_begin_waiting(struct ps_client *client); /* waits for headers from now on */
void ps_client_end_waiting(struct ps_client *client);   /* has received the headers */

/* Shuts down connections that wait longer than `patience_s` seconds for headers, and connections
 * that read less than PS_READ_RATE_MIN bytes a second for patience_s / 4 seconds although data was
 * waiting. */
void ps_clients_sweep(struct ps_clients *clients, int64_t patience_s);

#endif
