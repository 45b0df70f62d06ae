/* SPDX-License-Identifier: MIT */
#include "server/query/order_cache.h"

#include <pthread.h>
#include <stdlib.h>

#define BYTES_MAX ((size_t)16 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ps_order *newest; /* most recently used first */
static size_t bytes_held;

static char *key_of(const char *run, const char *query, struct ps_params params)
{
    struct ps_buf key = {0};

    ps_buf_printf(&key, "%s\n%s", run, query);
    for (size_t i = 0; i < params.n; i++) {
        const char *name = params.at[i].key;

        if (strcmp(name, "limit") != 0 && strcmp(name, "offset") != 0 &&
            strcmp(name, "format") != 0)
            ps_buf_printf(&key, "\n%s=%s", name, params.at[i].value);
    }
    return key.at;
}

static size_t bytes_of(const struct ps_order *order)
{
    return sizeof *order + (size_t)order->n * sizeof *order->ids + order->sums.cap +
           order->rows.cap + order->head.cap +
           (order->row_at ? (size_t)order->n_rows + 1 : 0) * sizeof *order->row_at +
           strlen(order->key);
}

static void order_free(struct ps_order *order)
{
    free(order->ids);
    free(order->row_at);
    ps_buf_free(&order->rows);
    ps_buf_free(&order->head);
    free(order->key);
    ps_buf_free(&order->sums);
    free(order);
}

struct ps_order *ps_order_find(const char *run, const char *query, struct ps_params params)
{
    PS_AUTO(ps_free_ptr) char *key = key_of(run, query, params);
    struct ps_order *found = NULL;

    pthread_mutex_lock(&lock);
    for (struct ps_order **at = &newest; *at; at = &(*at)->next) {
        if (strcmp((*at)->key, key) != 0)
            continue;
        found = *at;
        *at = found->next;
        found->next = newest;
        newest = found;
        found->users++;
        break;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* With the lock held: the oldest unused entries go until the rest fits. */
static void evict(void)
{
    while (bytes_held > BYTES_MAX) {
        struct ps_order **oldest = NULL, *gone;

        for (struct ps_order **at = &newest; *at; at = &(*at)->next)
            if (!(*at)->users)
                oldest = at;
        if (!oldest)
            return;
        gone = *oldest;
        *oldest = gone->next;
        bytes_held -= bytes_of(gone);
        order_free(gone);
    }
}

void ps_order_keep(struct ps_order *order, const char *run, const char *query,
                   struct ps_params params)
{
    order->key = key_of(run, query, params);
    pthread_mutex_lock(&lock);
    order->kept = true;
    order->users = 1;
    order->next = newest;
    newest = order;
    bytes_held += bytes_of(order);
    pthread_mutex_unlock(&lock);
}

void ps_order_release(struct ps_order *order)
{
    if (!order)
        return;
    if (!order->kept) { /* it failed half-way */
        order_free(order);
        return;
    }
    pthread_mutex_lock(&lock);
    order->users--;
    evict();
    pthread_mutex_unlock(&lock);
}
