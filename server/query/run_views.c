/* SPDX-License-Identifier: MIT */
/* run_views.c: the table of all views, and which of them a run has. */
#include "server/query/run_views.h"

#include <stdlib.h>
#include <string.h>

#include "importers/kinds.h"
#include "server/catalog/readers.h"
#include "server/query/conclusion/conclusion.h"
#include "server/query/functions/functions.h"
#include "server/query/functions/stack_tree.h"
#include "server/query/imports/imports.h"
#include "server/query/lines/source.h"
#include "server/query/memory/memory.h"
#include "server/query/ranks/ranks.h"
#include "server/query/reports/reports.h"
#include "server/query/requests/goodput.h"
#include "server/query/requests/requests.h"
#include "server/query/snapshot/leaks.h"
#include "server/query/snapshot/lifetimes.h"
#include "server/query/snapshot/segments.h"
#include "server/query/snapshot/snapshot.h"
#include "server/query/trace/allocations/memory_records.h"
#include "server/query/trace/inference/inference.h"
#include "server/query/trace/statistics/stats_reports.h"
#include "server/query/trace/trace_views.h"
#include "server/query/trace/utilisation/overview.h"
#include "server/query/trace/xla/xla.h"

static const struct ps_view views[] = {
    {PS_HAS_IMPORTS, "imports", ps_view_table, "imports", NULL},
    {PS_HAS_IMPORTS, "imports/tree", ps_view_import_tree, NULL, NULL},
    {PS_HAS_IMPORTS, "imports/{}", ps_view_import, NULL, NULL},
    {PS_HAS_IMPORTS, "packages", ps_view_table, "packages", NULL},
    {PS_HAS_CALLS, "functions", ps_view_table, "functions", NULL},
    {PS_HAS_CALLS, "functions/{}", ps_view_function, NULL, NULL},
    {PS_HAS_CALLS, "files", ps_view_table, "files", NULL},
    {PS_HAS_CALLS, "calltree", ps_view_calltree, NULL, NULL},
    {PS_HAS_CALLS, "graph", ps_view_graph, NULL, NULL},
    {PS_HAS_PRINTED_FUNCTIONS, "functions", ps_view_report_rows, "functions", NULL},
    {PS_HAS_PRINTED_FUNCTIONS, "files", ps_view_report_rows, "report_files", NULL},
    {PS_HAS_PRINTED_FUNCTIONS, "reports", ps_view_table, "reports", NULL},
    {PS_HAS_CATEGORIES, "categories", ps_view_memory_categories, NULL, NULL},
    {PS_HAS_ACTIONS, "actions", ps_view_table, "actions", NULL},
    {PS_HAS_ACTIONS, "sections", ps_view_table, "sections", NULL},
    {PS_HAS_PRINTED_OPERATORS, "reports", ps_view_table, "reports", NULL},
    {PS_HAS_PRINTED_OPERATORS, "operators", ps_view_report_rows, "printed_operators", NULL},
    {PS_HAS_LINES, "line_functions", ps_view_table, "line_functions", NULL},
    {PS_HAS_LINES, "line_files", ps_view_table, "line_files", NULL},
    {PS_HAS_LINES, "source", ps_view_source, NULL, NULL},
    {PS_HAS_LINES, "sources", ps_view_sources, NULL, NULL},
    {PS_HAS_CALLS | PS_HAS_TIMELINE, "source", ps_view_attached_source, NULL, NULL},
    {PS_HAS_MEMORY, "memory", ps_view_memory, NULL, NULL},
    {PS_HAS_SPANS, "spans", ps_view_table, "spans", NULL},
    {PS_HAS_TIMELINE, "timeline", ps_view_timeline, NULL, NULL},
    {PS_HAS_TIMELINE, "window", ps_view_window, NULL, NULL},
    {PS_HAS_TIMELINE, "names", ps_view_names, NULL, NULL},
    {PS_HAS_TIMELINE, "curves", ps_view_curves, NULL, NULL},
    {PS_HAS_TIMELINE, "slices/{}", ps_view_slice, NULL, NULL},
    {PS_HAS_TIMELINE, "named", ps_view_named, NULL, NULL},
    {PS_HAS_TIMELINE, "area", ps_view_area, NULL, NULL},
    {PS_HAS_TIMELINE, "slices", ps_view_trace_table, "slices_by_name", ps_make_slices_by_name},
    {PS_HAS_TIMELINE, "find", ps_view_find, NULL, NULL},
    {PS_HAS_TIMELINE, "flame", ps_view_flame, NULL, NULL},
    {PS_HAS_TIMELINE, "operators", ps_view_operators, "operators", NULL},
    {PS_HAS_TIMELINE, "kernels", ps_view_trace_table, "kernels", NULL},
    {PS_HAS_TIMELINE, "steps", ps_view_trace_table, "steps", NULL},
    {PS_HAS_TIMELINE, "gaps", ps_view_trace_table, "gaps", NULL},
    {PS_HAS_TIMELINE, "modules", ps_view_trace_table, "modules", NULL},
    {PS_HAS_TIMELINE, "allocations", ps_view_trace_table, "allocations", ps_make_allocation_rows},
    {PS_HAS_TIMELINE, "memory_operators", ps_view_trace_table, "memory_operators",
     ps_make_memory_operators},
    {PS_HAS_TIMELINE, "operators_at", ps_view_operators_at, NULL, NULL},
    {PS_HAS_TIMELINE, "critical_path", ps_view_critical_path, NULL, NULL},
    {PS_HAS_TIMELINE, "overview", ps_view_overview, NULL, NULL},
    {PS_HAS_TIMELINE, "utilisation", ps_view_utilisation, NULL, NULL},
    {PS_HAS_TIMELINE, "parts", ps_view_parts, NULL, NULL},
    {PS_HAS_TIMELINE, "findings", ps_view_findings, NULL, NULL},
    {PS_HAS_TIMELINE, "workers", ps_view_workers, NULL, NULL},
    {PS_HAS_TIMELINE, "inference", ps_view_inference, NULL, NULL},
    {PS_HAS_TIMELINE, "inference/parts", ps_view_inference_parts, NULL, NULL},
    {PS_HAS_TIMELINE, "roofline", ps_view_roofline, NULL, NULL},
    {PS_HAS_TIMELINE, "ranks", ps_view_ranks, NULL, NULL},
    {PS_HAS_TIMELINE, "ranks/calls", ps_view_rank_calls, NULL, NULL},
    {PS_HAS_TIMELINE, "ranks/step", ps_view_rank_step, NULL, NULL},
    {PS_HAS_TIMELINE, "summaries", ps_view_summaries, NULL, NULL},
    {PS_HAS_TIMELINE, "summary", ps_view_summary, NULL, NULL},
    {PS_HAS_XLA, "xla_steps", ps_view_trace_table, "xla_steps", ps_make_xla_steps},
    {PS_HAS_XLA, "xla_operators", ps_view_trace_table, "xla_operators", ps_make_xla_operators},
    {PS_HAS_REQUESTS, "goodput", ps_view_goodput, NULL, NULL},
    {PS_HAS_MEASUREMENTS, "measurements", ps_view_table, "measurements", NULL},
    {PS_HAS_MEASUREMENTS, "measurements/{}", ps_view_measurement, NULL, NULL},
    {PS_HAS_STACKS, "stack_flame", ps_view_stack_flame, NULL, NULL},
    {PS_HAS_STACKS, "stack_functions", ps_view_table, "stack_functions", ps_make_stack_functions},
    {PS_HAS_STACKS, "sandwich", ps_view_sandwich, NULL, NULL},
    {PS_HAS_STACKS, "stack_threads", ps_view_stack_threads, NULL, NULL},
    {PS_HAS_SAMPLE_TYPES, "sample-types", ps_view_sample_types, NULL, NULL},
    {PS_HAS_SNAPSHOT, "snapshot", ps_view_snapshot, NULL, NULL},
    {PS_HAS_SNAPSHOT, "snapshot/timeline", ps_view_snapshot_timeline, NULL, NULL},
    {PS_HAS_SNAPSHOT, "snapshot/curve", ps_view_snapshot_curve, NULL, NULL},
    {PS_HAS_SNAPSHOT, "snapshot/live", ps_view_snapshot_live, NULL, NULL},
    {PS_HAS_SNAPSHOT, "snapshot/flame", ps_view_snapshot_flame, NULL, NULL},
    {PS_HAS_SNAPSHOT, "snapshot/segments", ps_view_snapshot_segments, NULL, NULL},
    {PS_HAS_SNAPSHOT, "snapshot/lifetimes", ps_view_snapshot_lifetimes, NULL, NULL},
    {PS_HAS_SNAPSHOT, "snapshot/allocation", ps_view_snapshot_allocation, NULL, NULL},
    {PS_HAS_SNAPSHOT, "snapshot/leaks", ps_view_snapshot_leaks, NULL, NULL},
    {PS_HAS_REQUESTS, "requests", ps_view_table, "requests", ps_make_request_rows},
    {PS_HAS_REQUESTS, "requests/summary", ps_view_requests_summary, NULL, NULL},
    {PS_HAS_REQUESTS, "requests/window", ps_view_requests_window, NULL, NULL},
    {PS_HAS_REQUESTS, "requests/{}", ps_view_request, NULL, NULL},
    {PS_HAS_REQUESTS, "engine-steps", ps_view_table, "engine_steps", NULL},
    {PS_HAS_REQUESTS, "engine-steps/{}", ps_view_engine_step, NULL, NULL},
    {PS_HAS_BOTTLENECK, "bound", ps_view_bound, NULL, NULL},
    {PS_HAS_PROCESSES, "processes", ps_view_processes, NULL, NULL},
    {0, "conclusion", ps_view_conclusion, NULL, NULL},
    {0, "notes", ps_view_table, "notes", NULL},
};

/* Returns whether a path matches a pattern, and stores the number in place of "{}" in *id, 0 if
 * there is none. "imports/12" matches "imports/{}" with id 12. */
static bool path_matches(const char *pattern, const char *path, int64_t *id)
{
    size_t fixed = strcspn(pattern, "{");

    *id = 0;
    if (!pattern[fixed])
        return strcmp(pattern, path) == 0;
    return strncmp(pattern, path, fixed) == 0 &&
           ps_str_parse_i64(ps_str_from_c(path + fixed), id) && *id > 0;
}

static bool kind_matches(unsigned has, const char *kind)
{
    return !has || ps_kind_has(kind, has);
}

/* Returns the view that a run of `kind` has at `path`, or NULL. Different kinds may have different
 * views at the same path. */
static const struct ps_view *find_view(const char *path, const char *kind, int64_t *id)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (path_matches(views[i].path, path, id) && kind_matches(views[i].needs_any, kind))
            return &views[i];
    return NULL;
}

const char *ps_query_view_path(const char *kind, size_t i)
{
    for (size_t k = 0; k < sizeof views / sizeof *views; k++)
        if (kind_matches(views[k].needs_any, kind) && i-- == 0)
            return views[k].path;
    return NULL;
}

enum ps_status ps_query_view(struct ps_store *store, const char *id, const char *view,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    int64_t row = 0;
    const struct ps_view *found;
    struct ps_run_brief brief = {.name = NULL};
    struct ps_db *db = NULL;

    ps_store_read_brief(store, id, &brief, err);
    free(brief.name);
    free(brief.user_name);
    if (err->code != PS_OK)
        return err->code;
    found = find_view(view, brief.kind, &row);
    if (!found)
        return ps_fail(err, PS_NOT_FOUND, "%s runs have no view %s", brief.kind, view);
    answer->type = "application/json";
    if (ps_run_acquire(store, id, &db, err) == PS_OK)
        found->answer(db, found, row, params, answer, err);
    ps_run_release(db);
    return err->code;
}
