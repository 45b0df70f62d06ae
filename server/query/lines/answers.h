/* SPDX-License-Identifier: MIT */
/* answers.h: the answers about source files that several runs measured. */
#ifndef PS_QUERY_LINES_ANSWERS_H
#define PS_QUERY_LINES_ANSWERS_H

#include "base/json_out.h"
#include "server/catalog/store.h"
#include "server/query/query.h"

/* GET /api/v1/lines/files: source files that line-level runs measured; with the parameter path, the
 * runs that may have measured that file. */
enum ps_status ps_query_line_files(struct ps_store *store, struct ps_params params,
                                   struct ps_json *out, struct ps_err *err);
/* GET /api/v1/lines: the measurements of the source file with the parameter path in the runs with
 * the parameter runs. */
enum ps_status ps_query_lines(struct ps_store *store, struct ps_params params, struct ps_json *out,
                              struct ps_err *err);

#endif
