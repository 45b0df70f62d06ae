/* SPDX-License-Identifier: MIT */
/*
 * order_cache.h: a cache of tables between the requests for their pages. It holds the ids of a
 * filtered and sorted table, or its rows if they are expensive to compute. Runs never change, so no
 * entry becomes stale. Above 16 MiB the least recently used entries are freed. Thread-safe.
 */
#ifndef PS_QUERY_ORDER_CACHE_H
#define PS_QUERY_ORDER_CACHE_H

#include "server/query/lru_cache.h"
#include "server/query/query.h"

struct ps_order {
    struct ps_kept kept; /* entry of the LRU cache */
    uint32_t *ids;
    int64_t n;          /* number of ids; 0 for tables that are not read by id */
    int64_t total;      /* rows that pass the filter */
    int64_t of;         /* rows before the filter */
    struct ps_buf sums; /* JSON object with the sums of the columns */
    /* For tables with cached rows: the first rows, as JSON arrays that each end with a comma. */
    struct ps_buf rows;
    int64_t n_rows;
    size_t *row_at;     /* n_rows + 1 offsets in `rows`: the start of each row, and the end */
    struct ps_buf head; /* JSON array with the names of the columns */
};

/* Returns the order of `query` on `run` with these parameters (limit, offset and format are
 * ignored), or NULL if it is not cached. The caller releases it. */
struct ps_order *ps_order_find(const char *run, const char *query, struct ps_params params);
/* Adds an order to the cache. The caller may use it until it releases it. */
void ps_order_keep(struct ps_order *order, const char *run, const char *query,
                   struct ps_params params);
void ps_order_release(struct ps_order *order); /* NULL is allowed */

#endif
