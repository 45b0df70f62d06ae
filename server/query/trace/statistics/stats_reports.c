/* SPDX-License-Identifier: MIT */
/*
 * stats_reports.c: the views summaries and summary: reports like those of `nsys stats`, for any
 * range of any trace. A report contains the slices that start in the range, without instant events.
 */
#include <stdlib.h>

#include "server/query/trace/parameters.h"
#include "server/query/trace/statistics/stats_reports.h"
#include "server/query/trace/trace_views.h"
#include "slices/args.h"

enum value_kind { TIME, SIZE, PROJECTED };

/* All reports, with their names in nsys. */
static const struct report {
    const char *name;
    uint32_t kinds; /* kinds of slices in the report; bits 1 << enum ps_slice_kind */
    /* the report is offered only if the run has any of these kinds; 0: no such condition */
    uint32_t required_kinds;
    enum value_kind value_kind;
} reports[] = {
    {"cuda_gpu_kern_sum", 1u << PS_SLICE_KERNEL, 0, TIME},
    {"cuda_api_sum", 1u << PS_SLICE_RUNTIME, 0, TIME},
    {"cuda_gpu_mem_time_sum", 1u << PS_SLICE_MEMCPY | 1u << PS_SLICE_MEMSET, 0, TIME},
    {"cuda_gpu_mem_size_sum", 1u << PS_SLICE_MEMCPY | 1u << PS_SLICE_MEMSET, 0, SIZE},
    {"osrt_sum", 1u << PS_SLICE_OSRT, 0, TIME},
    {"nvtx_sum", PS_RANGE_KINDS, 0, TIME},
    {"nvtx_gpu_proj_sum", PS_RANGE_KINDS, PS_WORK_KINDS, PROJECTED},
};
#define N_REPORTS (sizeof reports / sizeof *reports)

struct report_builder {
    const struct report *report;
    struct ps_range range;
    struct ps_summary_rows rows;
    /* [template id]: index of the parameter "bytes"; -1: none; -2: not searched yet */
    int *bytes_param;
    size_t n_bytes_param;
};

static void report_builder_free(struct report_builder *g)
{
    ps_summary_free(&g->rows);
    free(g->bytes_param);
}

/* --- Sizes --- */

static int bytes_param(struct report_builder *g, int64_t template, struct ps_str text)
{
    size_t at = (size_t) template;

    if (at >= g->n_bytes_param) {
        size_t wider = at * 2 + 64;

        g->bytes_param = ps_grow(g->bytes_param, wider, sizeof *g->bytes_param);
        while (g->n_bytes_param < wider)
            g->bytes_param[g->n_bytes_param++] = -2;
    }
    if (g->bytes_param[at] == -2)
        g->bytes_param[at] = ps_template_param(text, PS_STR("bytes"));
    return g->bytes_param[at];
}

/* Returns the number of bytes that a copy or set moved; -1: unknown. */
static int64_t bytes_of(struct report_builder *g, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t template = ps_chunk_value(chunk, PS_COL_TEMPLATE, i);
    int64_t at = ps_chunk_value(chunk, PS_COL_ARGS_AT, i);
    struct ps_str text = ps_trace_args_template(g->rows.db, template);
    struct ps_num bytes;
    int index;

    if (!text.ptr || at < 0 || (uint64_t)at > chunk->args.len)
        return -1;
    index = bytes_param(g, template, text);
    if (index < 0)
        return -1;
    bytes = ps_args_param(text, ps_str_skip(chunk->args, (size_t)at), index);
    return bytes.kind == PS_NUM_INT ? bytes.i : -1;
}

/* --- Gathering --- */

static bool add_slices(void *user, const struct ps_chunk *chunk)
{
    struct report_builder *g = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i), start, value, flags;

        if (kind < 0 || kind >= PS_N_SLICE_KINDS || !(g->report->kinds >> kind & 1))
            continue;
        start = ps_chunk_value(chunk, PS_COL_START, i);
        flags = ps_chunk_value(chunk, PS_COL_FLAGS, i);
        if (start < g->range.from_ns || start >= g->range.to_ns || flags & PS_SLICE_INSTANT)
            continue;
        value = g->report->value_kind == SIZE ? bytes_of(g, chunk, i)
                                              : ps_chunk_value(chunk, PS_COL_DURATION, i);
        if (value < 0)
            continue;
        ps_summary_add(&g->rows, ps_summary_get_row(&g->rows, ps_summary_slice_key(chunk, i)),
                       start, value);
    }
    return true;
}

static enum ps_status gather_rows(struct report_builder *g, struct ps_err *err)
{
    struct ps_chunk_query query = {
        .slice_kinds = g->report->kinds,
        .range = g->range,
        .must_start_in_range = true,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS),
    };

    if (g->report->kinds & 1u << PS_SLICE_NVTX)
        query.columns |= PS_COL_BIT(PS_COL_CATEGORY);
    if (g->report->value_kind == SIZE) {
        query.columns |= PS_COL_BIT(PS_COL_TEMPLATE) | PS_COL_BIT(PS_COL_ARGS_AT);
        query.wants_args = true;
    }
    return ps_trace_each_chunk(g->rows.db, &query, add_slices, g, err);
}

/* --- Views --- */

static const struct report *report_of(struct ps_params params)
{
    const char *name = ps_param_get(params, "report");

    for (size_t i = 0; name && i < N_REPORTS; i++)
        if (strcmp(reports[i].name, name) == 0)
            return &reports[i];
    return NULL;
}

static enum ps_status make_report(struct ps_db *db, struct ps_params params,
                                  struct ps_computed_table *out, struct ps_err *err)
{
    PS_AUTO(report_builder_free)
    struct report_builder g = {.report = report_of(params), .rows = {.db = db}};

    g.rows.merges_operations = (g.report->kinds & 1u << PS_SLICE_MEMCPY) != 0;
    ps_param_range(params, &g.range, err);
    if (g.report->value_kind == PROJECTED)
        ps_summary_add_projected(g.range, &g.rows, err);
    else
        gather_rows(&g, err);
    if (err->code == PS_OK)
        ps_summary_compute_table(&g.rows, out);
    return err->code;
}

enum ps_status ps_view_summary(struct ps_db *db, const struct ps_view *view, int64_t id,
                               struct ps_params params, struct ps_answer *answer,
                               struct ps_err *err)
{
    static const char *const queries[] = {
        [TIME] = "summary_times", [SIZE] = "summary_sizes", [PROJECTED] = "summary_projected"};
    const struct report *report = report_of(params);
    struct ps_view report_view = *view;

    if (!report)
        return ps_fail(err, PS_BAD_REQUEST,
                       "the parameter report must be one of those in summaries");
    report_view.query = queries[report->value_kind];
    report_view.make_rows = make_report;
    return ps_view_trace_table(db, &report_view, id, params, answer, err);
}

enum ps_status ps_view_summaries(struct ps_db *db, const struct ps_view *view, int64_t id,
                                 struct ps_params params, struct ps_answer *answer,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_json json = ps_json_writer(&answer->body);
    uint32_t kinds = 0;

    (void)view, (void)id, (void)params;
    ps_db_prepare(db, ps_query_sql("trace_kinds"), &stmt, err);
    while (ps_stmt_step(stmt, err))
        kinds |= (uint32_t)ps_col_int(stmt, 0);
    ps_json_object(&json);
    ps_json_key(&json, "reports");
    ps_json_array(&json);
    for (size_t i = 0; i < N_REPORTS; i++)
        if (kinds & reports[i].kinds &&
            (!reports[i].required_kinds || kinds & reports[i].required_kinds))
            ps_json_str(&json, ps_str_from_c(reports[i].name));
    ps_json_end(&json);
    ps_json_end(&json);
    return err->code;
}
