/* SPDX-License-Identifier: MIT */
/*
 * clients.h: the connections there are, and whom patience ends for; inside this folder only.
 *
 * libmicrohttpd cuts off who is silent; who sends a byte of a header now and then is not silent.
 * So from its connection, or from the end of its last request, a client has a limited time to bring
 * the headers of its next one. Who reads an answer a byte at a time is not silent either: what it
 * acknowledges is counted while something waits to be read by it.
 */
#ifndef PS_HTTP_CLIENTS_H
#define PS_HTTP_CLIENTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define PS_READ_SLOWEST 256

struct ps_client {
    struct ps_client *next, **link;
    int fd;
    atomic_int_least64_t since_s; /* since when headers are awaited; 0: a request is on its way */
    int64_t reading_s; /* the sweep's own: since when something waits to be read by it, or 0 */
    uint64_t read;     /* and what it had acknowledged then */
};

struct ps_clients {
    pthread_mutex_t lock;
    struct ps_client *first;
};

void ps_clients_init(struct ps_clients *clients);
void ps_clients_done(struct ps_clients *clients);

/* A connection begins and ends; fd must be open all the time between. */
struct ps_client *ps_client_add(struct ps_clients *clients, int fd);
void ps_client_remove(struct ps_clients *clients, struct ps_client *client);

void ps_client_awaits(struct ps_client *client); /* headers, from now on */
void ps_client_busy(struct ps_client *client);   /* they have come */

/* Shuts down the connections of those who took longer than `patience_s`, and of those who in a
 * quarter of it read less than PS_READ_SLOWEST bytes a second of what there was for them. */
void ps_clients_sweep(struct ps_clients *clients, int64_t patience_s);

#endif
