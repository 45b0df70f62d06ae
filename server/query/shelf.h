/* SPDX-License-Identifier: MIT */
/* shelf.h: answers about the shelf and about its runs as a whole. */
#ifndef PS_QUERY_SHELF_H
#define PS_QUERY_SHELF_H

#include "base/json_out.h"
#include "server/catalog/store.h"
#include "server/query/query.h"

/* GET /api/v1/shelf without "version" and "listen": writes its keys into the object that is open in
 * `out`. */
enum ps_status ps_query_shelf(struct ps_store *store, struct ps_json *out, struct ps_err *err);
/* GET /api/v1/activity: imports and removals. */
enum ps_status ps_query_activity(struct ps_store *store, struct ps_params params,
                                 struct ps_json *out, struct ps_err *err);
/* GET /api/v1/deleted: {"rows":[...]}, the deleted runs that can be recovered, last deleted first.
 */
enum ps_status ps_query_deleted(struct ps_store *store, struct ps_json *out, struct ps_err *err);
/* GET /api/v1/runs: {"total","rows"}: the runs on the shelf, page by page. */
enum ps_status ps_query_runs(struct ps_store *store, struct ps_params params, struct ps_json *out,
                             struct ps_err *err);
/* GET /api/v1/runs/{id}: the object RUN of docs/api.md. `id` must be a complete id. */
enum ps_status ps_query_run(struct ps_store *store, const char *id, struct ps_json *out,
                            struct ps_err *err);
/* GET /api/v1/runs/RUN/companions: runs of other kinds that were recorded at the same time. */
enum ps_status ps_query_companions(struct ps_store *store, const char *id, struct ps_json *out,
                                   struct ps_err *err);
/* GET /api/v1/runs/RUN/timeline_notes: the notes that users wrote on the timeline of a run. */
enum ps_status ps_query_timeline_notes(struct ps_store *store, const char *id, struct ps_json *out,
                                       struct ps_err *err);

#endif
