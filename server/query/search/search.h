/* SPDX-License-Identifier: MIT */
/* search.h: the index of the names in runs, which the search across runs reads. Only this folder
 * includes it. */
#ifndef PS_QUERY_SEARCH_SEARCH_H
#define PS_QUERY_SEARCH_SEARCH_H

#include "server/query/compare/compare.h"

#define PS_SEARCH_RUNS_MAX 20000 /* runs of a shelf that are searched, the newest */
#define PS_SEARCH_NAMES    200   /* names of each table of a run, the hottest */

struct ps_search_coverage {
    int64_t indexed;    /* runs whose names are in the index */
    int64_t unreadable; /* further runs, whose files could not be read */
    int64_t runs;       /* runs on the shelf */
};

/* Adds runs to the index, the newest first, and removes those that are no longer on the shelf,
 * until all are done or `budget_ms` has passed. Adds or removes at least one run. */
enum ps_status ps_search_update(struct ps_store *store, int64_t budget_ms,
                                struct ps_search_coverage *out, struct ps_err *err);

/* Splits the name and place of a row of a table into the name that users know and its module (of
 * lines: the file). Texts are slices of `row`, or are stored in *buf. */
void ps_search_split_name(enum ps_compare_names names, const struct ps_compare_input *row,
                          struct ps_buf *buf, struct ps_str *name, struct ps_str *module);

#endif
