/* SPDX-License-Identifier: MIT */
/* answers.h: the answers about metrics over a series or a tag. */
#ifndef PS_QUERY_TREND_ANSWERS_H
#define PS_QUERY_TREND_ANSWERS_H

#include "base/json_out.h"
#include "server/catalog/store.h"
#include "server/query/query.h"

/* GET /api/v1/trend: a metric over the runs of a series or of a tag. */
enum ps_status ps_query_trend(struct ps_store *store, struct ps_params params,
                              struct ps_answer *answer, struct ps_err *err);
/* GET /api/v1/trend/rows: the rows of a table whose metric changed most over a series or a tag. */
enum ps_status ps_query_trend_rows(struct ps_store *store, struct ps_params params,
                                   struct ps_json *json, struct ps_err *err);

#endif
