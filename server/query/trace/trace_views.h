/* SPDX-License-Identifier: MIT */
/* trace_views.h: the views of traces and stacks. */
#ifndef PS_QUERY_TRACE_TRACE_VIEWS_H
#define PS_QUERY_TRACE_TRACE_VIEWS_H

#include "server/query/view.h"

ps_view_answer ps_view_timeline;
ps_view_answer ps_view_window;
ps_view_answer ps_view_names;
ps_view_answer ps_view_slice;
ps_view_answer ps_view_operators_at;
ps_view_answer ps_view_roofline;
ps_view_answer ps_view_critical_path;
ps_view_answer ps_view_curves;
ps_view_answer ps_view_named;
ps_view_answer ps_view_area;
ps_view_answer ps_view_find;
ps_view_answer ps_view_flame;
/* Checks the parameters from_ns, to_ns, tracks, on and the parameters that are 0 or 1, then calls
 * ps_view_table. */
ps_view_answer ps_view_trace_table;

#endif
