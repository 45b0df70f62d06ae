/* SPDX-License-Identifier: MIT */
/* functions.h: the functions of a pstats dump and their calls. */
#ifndef PS_QUERY_FUNCTIONS_FUNCTIONS_H
#define PS_QUERY_FUNCTIONS_FUNCTIONS_H

#include "server/query/view.h"

ps_view_answer ps_view_function, ps_view_calltree, ps_view_graph;

/* Reads two times of a pstats dump in seconds. tottime: the sum of all own times. base: 100 % of
 * the call graph, the greater of tottime and the greatest cumulative time. */
enum ps_status ps_function_totals(struct ps_db *db, double *tottime, double *base,
                                  struct ps_err *err);

#endif
