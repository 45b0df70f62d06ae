/* SPDX-License-Identifier: MIT */
/* answers.h: the answers of the search across runs. */
#ifndef PS_QUERY_SEARCH_ANSWERS_H
#define PS_QUERY_SEARCH_ANSWERS_H

#include "base/json_out.h"
#include "server/catalog/store.h"
#include "server/query/query.h"

/* GET /api/v1/search: functions, modules, operators, kernels and lines that match the parameter q,
 * in all runs. */
enum ps_status ps_query_search(struct ps_store *store, struct ps_params params, struct ps_json *out,
                               struct ps_err *err);
/* GET /api/v1/search/runs: the runs that have the name of the parameters of, name and module. */
enum ps_status ps_query_occurrences(struct ps_store *store, struct ps_params params,
                                    struct ps_json *out, struct ps_err *err);

#endif
