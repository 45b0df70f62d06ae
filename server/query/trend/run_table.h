/* SPDX-License-Identifier: MIT */
/*
 * run_table.h: the rows of a table of results in one run, in memory. A trend over the commits of
 * years reads them from each run file once, for all its rows. Only this folder includes it.
 */
#ifndef PS_QUERY_TREND_RUN_TABLE_H
#define PS_QUERY_TREND_RUN_TABLE_H

#include "server/query/compare/compare.h"
#include "server/query/lru_cache.h"

struct ps_run_table_row {
    uint32_t name, place; /* offsets of their texts */
    uint32_t name_len, place_len;
    double values[PS_HEAD_METRICS]; /* NAN: none */
};

/* Which metrics of a table a run has. */
struct ps_run_presence {
    bool has_table;
    bool is_cut;                    /* the profile of the run leaves out rows */
    double values[PS_HEAD_METRICS]; /* 0; NAN: the run lacks the metric */
};

struct ps_run_table {
    struct ps_cache_entry cache_entry;
    struct ps_run_table_row *rows;
    size_t n, cap;
    struct ps_buf texts;
    struct ps_run_presence presence;
};

/* Reads which metrics of a table a run has. */
enum ps_status ps_run_presence_read(struct ps_store *store, const char *id,
                                    const struct ps_query_comparison *head,
                                    struct ps_run_presence *out, struct ps_err *err);

/* Returns the table of a run; NULL: a failure. Release it with ps_run_table_release. */
const struct ps_run_table *ps_run_table_read(struct ps_store *store,
                                             const struct ps_compare_table *table, const char *id,
                                             struct ps_err *err);
void ps_run_table_release(const struct ps_run_table *table); /* NULL is allowed */
/* Returns row `i` as a comparison reads it. */
struct ps_compare_input ps_run_table_input(const struct ps_run_table *table, size_t i);

#endif
