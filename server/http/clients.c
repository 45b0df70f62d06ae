/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* CLOCK_MONOTONIC_COARSE */
#include "server/http/clients.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/mem.h"

static int64_t now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec + 1; /* never 0 */
}

void ps_clients_init(struct ps_clients *clients)
{
    pthread_mutex_init(&clients->lock, NULL);
    clients->first = NULL;
}

void ps_clients_done(struct ps_clients *clients)
{
    pthread_mutex_destroy(&clients->lock);
}

struct ps_client *ps_client_add(struct ps_clients *clients, int fd)
{
    struct ps_client *client = ps_alloc(sizeof *client);

    client->fd = fd;
    atomic_init(&client->since_s, now_s());
    pthread_mutex_lock(&clients->lock);
    client->next = clients->first;
    client->link = &clients->first;
    if (clients->first)
        clients->first->link = &client->next;
    clients->first = client;
    pthread_mutex_unlock(&clients->lock);
    return client;
}

void ps_client_remove(struct ps_clients *clients, struct ps_client *client)
{
    pthread_mutex_lock(&clients->lock);
    *client->link = client->next;
    if (client->next)
        client->next->link = client->link;
    pthread_mutex_unlock(&clients->lock);
    free(client);
}

void ps_client_awaits(struct ps_client *client)
{
    atomic_store_explicit(&client->since_s, now_s(), memory_order_relaxed);
}

void ps_client_busy(struct ps_client *client)
{
    atomic_store_explicit(&client->since_s, 0, memory_order_relaxed);
}

void ps_clients_sweep(struct ps_clients *clients, int64_t patience_s)
{
    int64_t now = now_s();

    pthread_mutex_lock(&clients->lock);
    for (struct ps_client *client = clients->first; client; client = client->next) {
        int64_t since = atomic_load_explicit(&client->since_s, memory_order_relaxed);

        if (since != 0 && now - since > patience_s)
            (void)shutdown(client->fd, SHUT_RDWR);
    }
    pthread_mutex_unlock(&clients->lock);
}
