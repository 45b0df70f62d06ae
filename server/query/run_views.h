/* SPDX-License-Identifier: MIT */
/* run_views.h: the views of a run: the URLs below /api/v1/runs/{id}/. */
#ifndef PS_QUERY_RUN_VIEWS_H
#define PS_QUERY_RUN_VIEWS_H

#include "server/catalog/store.h"
#include "server/query/query.h"

/* GET /api/v1/runs/{id}/{view}: `view` is the rest of the path ("imports", "imports/tree",
 * "functions/12"). PS_NOT_FOUND: no such run, or runs of this kind have no such view. Appends to
 * answer->body, which the caller frees, also after a failure. */
enum ps_status ps_query_view(struct ps_store *store, const char *id, const char *view,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);

/* Returns the path of view i (from 0) of a kind of run, with "{}" in place of a row id. Returns
 * NULL if the kind has at most i views. */
const char *ps_query_view_path(const char *kind, size_t i);

#endif
