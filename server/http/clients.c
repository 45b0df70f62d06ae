/* SPDX-License-Identifier: MIT */
#include "server/http/clients.h"

#include <linux/sockios.h>
#include <linux/tcp.h> /* its struct tcp_info has more fields than that of netinet/tcp.h */
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"

static int64_t now_s(void)
{
    return ps_monotonic_coarse_ms() / 1000 + 1; /* never 0 */
}

void ps_clients_init(struct ps_clients *clients, size_t n_max)
{
    pthread_mutex_init(&clients->lock, NULL);
    clients->first = NULL;
    clients->n_open = 0;
    clients->n_max = n_max;
}

void ps_clients_destroy(struct ps_clients *clients)
{
    pthread_mutex_destroy(&clients->lock);
}

/* Closes the connection at once. SO_LINGER with 0 drops unsent data, which the kernel would
 * otherwise keep. libmicrohttpd notices the end and reports that the connection was closed. */
static void reset_connection(struct ps_clients *clients, struct ps_client *client)
{
    const struct linger none = {.l_onoff = 1, .l_linger = 0};

    clients->n_open -= !client->is_closing;
    client->is_closing = true;
    (void)setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    (void)shutdown(client->fd, SHUT_RDWR);
}

/* Closes the connection that has waited longest for a request. None waits: closes none. */
static void reset_longest_waiting(struct ps_clients *clients)
{
    struct ps_client *longest = NULL;
    int64_t longest_since = 0;

    for (struct ps_client *client = clients->first; client; client = client->next) {
        int64_t since = atomic_load_explicit(&client->waiting_since_s, memory_order_relaxed);

        /* of the same second, the oldest connection, which is later in the list */
        if (client->is_closing || since == 0 || (longest && since > longest_since))
            continue;
        longest = client;
        longest_since = since;
    }
    if (longest)
        reset_connection(clients, longest);
}

struct ps_client *ps_client_add(struct ps_clients *clients, int fd)
{
    struct ps_client *client = ps_alloc(sizeof *client);

    client->fd = fd;
    atomic_init(&client->waiting_since_s, now_s());
    pthread_mutex_lock(&clients->lock);
    if (clients->n_open >= clients->n_max)
        reset_longest_waiting(clients);
    clients->n_open++;
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
    clients->n_open -= !client->is_closing;
    *client->link = client->next;
    if (client->next)
        client->next->link = client->link;
    pthread_mutex_unlock(&clients->lock);
    free(client);
}

void ps_client_begin_waiting(struct ps_client *client)
{
    atomic_store_explicit(&client->waiting_since_s, now_s(), memory_order_relaxed);
}

void ps_client_end_waiting(struct ps_client *client)
{
    atomic_store_explicit(&client->waiting_since_s, 0, memory_order_relaxed);
}

/* Whether the client has not acknowledged all data that was sent to it. *acked: number of bytes
 * that it has acknowledged since it connected. */
static bool has_unacknowledged_data(const struct ps_client *client, uint64_t *acknowledged_out)
{
    struct tcp_info info;
    socklen_t len = sizeof info;
    int waiting = 0;

    if (ioctl(client->fd, SIOCOUTQ, &waiting) != 0 || waiting == 0 ||
        getsockopt(client->fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0 ||
        len < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked)
        return false;
    *acknowledged_out = info.tcpi_bytes_acked;
    return true;
}

/* Whether the client reads at less than the minimum rate, measured over windows of `window_s`
 * seconds. */
static bool reads_too_slowly(struct ps_client *client, int64_t now, int64_t window_s)
{
    uint64_t acknowledged_out, floor;

    if (!has_unacknowledged_data(client, &acknowledged_out)) {
        client->window_start_s = 0;
        return false;
    }
    if (client->window_start_s != 0 && now - client->window_start_s < window_s)
        return false;
    floor = client->acknowledged + (uint64_t)(now - client->window_start_s) * PS_READ_RATE_MIN;
    if (client->window_start_s != 0 && acknowledged_out < floor)
        return true;
    client->window_start_s = now;
    client->acknowledged = acknowledged_out;
    return false;
}

void ps_clients_sweep(struct ps_clients *clients, int64_t patience_s)
{
    int64_t now = now_s();

    pthread_mutex_lock(&clients->lock);
    for (struct ps_client *client = clients->first; client; client = client->next) {
        int64_t since = atomic_load_explicit(&client->waiting_since_s, memory_order_relaxed);

        if ((since != 0 && now - since > patience_s) ||
            reads_too_slowly(client, now, patience_s / 4))
            reset_connection(clients, client);
    }
    pthread_mutex_unlock(&clients->lock);
}
