/* SPDX-License-Identifier: MIT */
/* groups.h: the runs that a comparison or a query names. */
#ifndef PS_QUERY_COMPARE_GROUPS_H
#define PS_QUERY_COMPARE_GROUPS_H

#include "server/catalog/store.h"
#include "server/query/query.h"

/* The parameters base and new are comma-separated lists of runs. An element is a run (an id, a
 * prefix of an id, a name, @1 for the newest, baseline:SERIES), or series:NAME or tag:K=V for
 * several runs. */

struct ps_compare_groups;
/* Finds the runs of both groups. PS_BAD_REQUEST: the kinds of the runs have no common table. The
 * caller frees *out with ps_compare_groups_free. */
enum ps_status ps_compare_groups_find(struct ps_store *store, struct ps_params params,
                                      struct ps_compare_groups **out, struct ps_err *err);
void ps_compare_groups_free(struct ps_compare_groups *groups); /* NULL is allowed */
/* Appends the complete ids of all runs: "ID,ID|ID", with | between base and new. */
void ps_compare_groups_ids(const struct ps_compare_groups *groups, struct ps_buf *out);

#define PS_SQL_RUNS_MAX 100

/* Finds the runs in a comma-separated list, which has the form of the parameter base of
 * comparisons. PS_BAD_REQUEST: a run is listed twice. */
enum ps_status ps_query_find_runs(struct ps_store *store, const char *words,
                                  char ids[PS_SQL_RUNS_MAX][PS_ID_SIZE], size_t *n,
                                  struct ps_err *err);

#endif
