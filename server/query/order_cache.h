/* SPDX-License-Identifier: MIT */
/*
 * order_cache.h: the ids of a filtered and sorted table, or its rows where they are dear to make,
 * kept between the pages of a scroll. Runs never change, so an entry is never wrong; the least
 * recently used go when all together hold more than 16 MiB. Thread-safe.
 */
#ifndef PS_QUERY_ORDER_CACHE_H
#define PS_QUERY_ORDER_CACHE_H

#include "server/query/lru_cache.h"
#include "server/query/query.h"

struct ps_order {
    struct ps_kept kept; /* of the cache */
    uint32_t *ids;
    int64_t n;          /* ids; 0 for tables that are not looked up by id */
    int64_t total;      /* rows after the filter */
    int64_t of;         /* rows before it */
    struct ps_buf sums; /* finished JSON object */
    /* Of tables whose rows are kept, the first of them: JSON arrays, each with a comma behind it.
     */
    struct ps_buf rows;
    int64_t n_rows;
    size_t *row_at;     /* n_rows + 1 places: where each begins */
    struct ps_buf head; /* finished JSON array of the columns' names */
};

/* The order of `query` on `run` under these params (all but limit, offset and format count); NULL
 * when it is not there. Release it. */
struct ps_order *ps_order_find(const char *run, const char *query, struct ps_params params);
/* Puts an order in; the caller keeps using it until its release. */
void ps_order_keep(struct ps_order *order, const char *run, const char *query,
                   struct ps_params params);
void ps_order_release(struct ps_order *order); /* NULL is fine */

#endif
