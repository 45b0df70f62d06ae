/* SPDX-License-Identifier: MIT */
/* view.h: a view of a run, and what views have in common. */
#ifndef PS_QUERY_VIEW_H
#define PS_QUERY_VIEW_H

#include "server/query/query.h"
#include "server/query/rowset.h"
#include "server/runfile/db.h"

struct ps_view;
/* Answers the view. `id`: the number in place of {} in its path; 0: the path has no {}. */
typedef enum ps_status ps_view_answer(struct ps_db *db, const struct ps_view *view, int64_t id,
                                      struct ps_params params, struct ps_answer *answer,
                                      struct ps_err *err);

/* A view of a run: a URL below /api/v1/runs/{run}/. */
struct ps_view {
    /* PS_HAS_* flags (importers/kinds.h); runs whose kind has one of them have the view; 0: all
     * runs */
    unsigned needs_any;
    const char *path; /* "imports", "imports/tree", "imports/{}" */
    ps_view_answer *answer;
    const char *query; /* name of the statement of ps_view_table; NULL for other views */
    /* computes the temporary table that the query reads; NULL: the query reads none */
    ps_make_rows *make_rows;
};

/* The rows of the statement view->query. */
ps_view_answer ps_view_table;

/* Prepares the named query and binds its parameter :id. The caller releases *out. */
enum ps_status ps_query_prepare(struct ps_db *db, const char *query, int64_t id,
                                struct ps_stmt **out, struct ps_err *err);

#endif
