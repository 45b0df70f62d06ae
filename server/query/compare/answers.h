/* SPDX-License-Identifier: MIT */
/* answers.h: the answers of comparisons. */
#ifndef PS_QUERY_COMPARE_ANSWERS_H
#define PS_QUERY_COMPARE_ANSWERS_H

#include "base/json_out.h"
#include "server/query/compare/groups.h"

/* GET /api/v1/compare: both groups, their headline, and the tables by which they can be compared.
 */
enum ps_status ps_query_compare(struct ps_store *store, const struct ps_compare_groups *groups,
                                struct ps_params params, struct ps_json *json, struct ps_err *err);

/* GET /api/v1/compare/{of}, the rows of the table `of`, and GET /api/v1/compare/{of}/{row}, one row
 * by its id from 1. */
enum ps_status ps_query_compare_rows(struct ps_store *store, const struct ps_compare_groups *groups,
                                     const char *of, struct ps_params params,
                                     struct ps_answer *answer, struct ps_err *err);
enum ps_status ps_query_compare_row(struct ps_store *store, const struct ps_compare_groups *groups,
                                    const char *of, int64_t row, struct ps_params params,
                                    struct ps_json *json, struct ps_err *err);

/* GET /api/v1/compare/twin/{of}: finds the row with the parameter id in the run that the parameter
 * side selects (base or new), and writes its id in the run of the other side. Each group must be
 * one run. */
enum ps_status ps_query_compare_twin(struct ps_store *store, const struct ps_compare_groups *groups,
                                     const char *of, struct ps_params params, struct ps_json *json,
                                     struct ps_err *err);

/* GET /api/v1/compare/conclusion: the rows that explain the difference; null if the rows of the
 * first table do not add up. */
enum ps_status ps_query_compare_conclusion(struct ps_store *store,
                                           const struct ps_compare_groups *groups,
                                           struct ps_json *json, struct ps_err *err);

/* GET /api/v1/compare/requests: the pairs of requests of two serving runs, and GET
 * /api/v1/compare/requests/summary: what became of them. Each group must be one run. */
enum ps_status ps_query_compare_requests(struct ps_store *store,
                                         const struct ps_compare_groups *groups,
                                         struct ps_params params, struct ps_answer *answer,
                                         struct ps_err *err);
enum ps_status ps_query_compare_requests_summary(struct ps_store *store,
                                                 const struct ps_compare_groups *groups,
                                                 struct ps_json *json, struct ps_err *err);

/* GET /api/v1/compare/sweep: what clients measured under each load, of all runs. */
enum ps_status ps_query_compare_sweep(struct ps_store *store,
                                      const struct ps_compare_groups *groups, struct ps_json *json,
                                      struct ps_err *err);

/* GET /api/v1/compare/snapshot: what is live in two memory snapshots, by stack. Each group must be
 * one run. */
enum ps_status ps_query_compare_snapshot(struct ps_store *store,
                                         const struct ps_compare_groups *groups,
                                         struct ps_params params, struct ps_json *json,
                                         struct ps_err *err);

/* GET /api/v1/compare/tree: the call trees of all runs, merged to one tree. */
enum ps_status ps_query_compare_tree(struct ps_store *store, const struct ps_compare_groups *groups,
                                     struct ps_params params, struct ps_json *json,
                                     struct ps_err *err);

#endif
