/* SPDX-License-Identifier: MIT */
/* answers.h: the lazy-import analysis, which reads several import logs. */
#ifndef PS_QUERY_IMPORTS_ANSWERS_H
#define PS_QUERY_IMPORTS_ANSWERS_H

#include "base/json_out.h"
#include "server/catalog/store.h"
#include "server/query/query.h"

/* GET /api/v1/runs/{id}/what_if; reads other import logs of the shelf too. `id` must be complete.
 * PS_NOT_FOUND: no such run, the run is not of kind importtime, or the run has no such import. */
enum ps_status ps_query_what_if(struct ps_store *store, const char *id, struct ps_params params,
                                struct ps_json *json, struct ps_err *err);

#endif
