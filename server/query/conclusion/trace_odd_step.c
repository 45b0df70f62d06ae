/* SPDX-License-Identifier: MIT */
/* trace_odd_step.c: a step that takes so much of the time of all steps that the mean step is like
 * none of them: what it did, and how its length and the median step change from run to run. */
#include "server/query/conclusion/trace_causes.h"
#include "server/query/trace/odd_step.h"
#include "slices/serving.h"

#include <inttypes.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

enum ps_status ps_step_lengths_read(struct ps_db *db, struct ps_step_lengths *out,
                                    struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_free_ptr) double *lengths = NULL;
    size_t n = 0, cap = 0;
    double all_s = 0;
    bool is_marked = true, is_one_worker = true;
    int64_t worker = 0;

    *out = (struct ps_step_lengths){.n = 0};
    ps_db_prepare(db, ps_query_sql("conclude_steps"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        const double seconds = (double)(ps_col_int(stmt, 2) - ps_col_int(stmt, 1)) / 1e9;

        worker = n ? worker : ps_col_int(stmt, 0);
        is_one_worker &= worker == ps_col_int(stmt, 0);
        is_marked &= ps_col_int(stmt, 3) != 0;
        PS_RESERVE_ONE(lengths, n, cap);
        lengths[n++] = seconds;
        all_s += seconds;
    }
    if (err->code != PS_OK || n == 0 || !is_marked || !is_one_worker)
        return err->code;
    qsort(lengths, n, sizeof *lengths, by_value);
    *out = (struct ps_step_lengths){.n = n,
                                    .longest_s = lengths[n - 1],
                                    .median_s = (lengths[(n - 1) / 2] + lengths[n / 2]) / 2,
                                    .share = all_s > 0 ? lengths[n - 1] / all_s : 0};
    out->is_odd = ps_step_dominates(out->longest_s, out->median_s, all_s, n);
    return PS_OK;
}

/* The step as a subject: the steps of a serving engine are counted from 0, as in the tab Inference;
 * others have names of their own. *prefill: tokens; 0: none, or not known. */
static struct ps_subject step_subject(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                      int64_t *prefill, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const struct ps_interval time = trace->odd.time;
    const struct ps_report_link range = {
        "timeline",
        {{"from_ns", ps_conclusion_id(c, time.start)}, {"to_ns", ps_conclusion_id(c, time.end)}}};
    struct ps_serving_step serving;

    *prefill = 0;
    ps_db_prepare(trace->db, ps_query_sql("conclude_step"), &stmt, err);
    ps_bind_int(stmt, ":start", time.start);
    ps_bind_int(stmt, ":end", time.end);
    if (trace->step || !ps_stmt_step(stmt, err))
        return ps_subject_of(c, PS_SUBJECT_PART, range, PS_STR("One step"));
    if (!ps_serving_step_parse(ps_col_text(stmt, 0), &serving))
        return ps_subject_of(c, PS_SUBJECT_OPERATOR, range, ps_col_text(stmt, 0));
    *prefill = serving.prefill.tokens > 0 ? serving.prefill.tokens : 0;
    return ps_subject_of(
        c, PS_SUBJECT_PART,
        (struct ps_report_link){"inference", {{"step", ps_conclusion_id(c, ps_col_int(stmt, 1))}}},
        ps_str_from_c(ps_arena_printf(&c->arena, "Step %" PRId64, ps_col_int(stmt, 1))));
}

/* The largest operators of the step. With devices, work of other steps may run during the step. */
static enum ps_status add_operators(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                    struct ps_err *err)
{
    struct ps_trace_time step = *trace; /* with the time of the step in place of all steps */
    struct ps_trace_rows rows;
    struct ps_row_sum sum;
    struct ps_fact top[PS_TRACE_ROWS_MAX];
    size_t n;

    step.span = (struct ps_range){trace->odd.time.start, trace->odd.time.end};
    step.wall_s = trace->longest_s;
    step.divisor = 1;
    if (trace->has_devices ||
        ps_trace_sum_rows(&step, "conclude_operators", false, &sum, err) != PS_OK)
        return err->code;
    rows = ps_trace_rows_of(&step, "conclude_operators", false, &sum, step.wall_s,
                            trace->operators_tab);
    if (ps_trace_find_top(c, &step, &rows, top, &n, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < n && top[i].values[0] >= PS_TRACE_PART_SHARE; i++) {
        top[i].code = PS_FACT_ODD_STEP_PART;
        ps_first_fact(c, top[i]);
    }
    return PS_OK;
}

enum ps_status ps_trace_add_odd_step(struct ps_conclusion *c, const struct ps_trace_time *trace,
                                     struct ps_err *err)
{
    struct ps_subject subject;
    int64_t prefill;

    if (!trace->odd.is_said)
        return err->code;
    subject = step_subject(c, trace, &prefill, err);
    ps_first_fact(c, (struct ps_fact){PS_FACT_ODD_STEP, subject,
                                      .values = {trace->longest_s, trace->odd.share,
                                                 trace->median_s, (double)prefill},
                                      .link = subject.link});
    return add_operators(c, trace, err);
}
