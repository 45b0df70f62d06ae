/* SPDX-License-Identifier: MIT */
#include "server/query/order_cache.h"

#include <stdlib.h>

#define BYTES_MAX ((size_t)16 << 20)

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
           (order->row_at ? (size_t)order->n_rows + 1 : 0) * sizeof *order->row_at;
}

static void order_free(struct ps_kept *kept)
{
    struct ps_order *order = (struct ps_order *)kept;

    free(order->ids);
    free(order->row_at);
    ps_buf_free(&order->rows);
    ps_buf_free(&order->head);
    free(kept->key);
    ps_buf_free(&order->sums);
    free(order);
}

static struct ps_kept_list orders = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .most = BYTES_MAX, .free = order_free};

struct ps_order *ps_order_find(const char *run, const char *query, struct ps_params params)
{
    PS_AUTO(ps_free_ptr) char *key = key_of(run, query, params);

    return (struct ps_order *)ps_kept_find(&orders, key);
}

void ps_order_keep(struct ps_order *order, const char *run, const char *query,
                   struct ps_params params)
{
    char *key = key_of(run, query, params);

    ps_kept_put(&orders, &order->kept, key, bytes_of(order) + strlen(key));
}

void ps_order_release(struct ps_order *order)
{
    ps_kept_release(&orders, order ? &order->kept : NULL);
}
