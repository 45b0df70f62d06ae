/* SPDX-License-Identifier: MIT */
/*
 * module_steps.c: the cost of each nn.Module in the counted steps. The table `module` has the cost
 * in the complete run, by the same rules (importers/trace/modules.c): modules are merged by the
 * path of modules around them, and an operator belongs to the innermost module around it.
 */
#include <stdlib.h>

#include "base/intern.h"
#include "server/query/trace/allocations/memory_records.h"
#include "server/runfile/trace_steps.h"
#include "slices/args.h"

enum { ID, CALLS, HOST_SELF, HOST_TOTAL, DEVICE_SELF, DEVICE_TOTAL, N_COLUMNS };

struct module_sum {
    int64_t value[N_COLUMNS];
    uint32_t parent; /* index; UINT32_MAX: outermost */
};

/* The innermost module around a row of a track; index + 1, 0: none. */
struct around {
    uint32_t module;
    bool is_counted; /* the call of the module started in a step */
};

struct reader {
    struct ps_db *db;
    struct ps_step_times steps;
    struct module_sum *sums; /* parents before children */
    size_t n, cap;
    struct ps_intern paths;  /* parent id and name -> index in sums */
    uint8_t *template_kinds; /* by template: 0 unknown, 1 a module, 2 other */
    size_t n_templates;
    uint32_t track;
    struct around *around; /* by row of the track */
    size_t n_around;
};

static void reader_free(struct reader *r)
{
    ps_step_times_free(&r->steps);
    ps_intern_free(&r->paths);
    free(r->sums);
    free(r->template_kinds);
    free(r->around);
}

static struct ps_str path_of(uint32_t parent, struct ps_str name, struct ps_buf *out)
{
    out->len = 0;
    ps_buf_add(out, (const char *)&parent, sizeof parent);
    ps_buf_add_str(out, name);
    return ps_buf_slice(out);
}

static enum ps_status read_modules(struct reader *r, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    ps_db_prepare(r->db, ps_query_sql("module_paths"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        const int64_t id = ps_col_int(stmt, 0), parent = ps_col_int(stmt, 1);

        if (id != (int64_t)r->n + 1 || parent < 0 || parent >= id)
            return ps_fail(err, PS_INTERNAL, "the run file is damaged: module %lld", (long long)id);
        PS_RESERVE_ONE(r->sums, r->n, r->cap);
        r->sums[r->n] = (struct module_sum){.value = {[ID] = id},
                                            .parent = parent ? (uint32_t)parent - 1 : UINT32_MAX};
        if (ps_intern_add(&r->paths, path_of(r->sums[r->n].parent, ps_col_text(stmt, 2), &path)) !=
            r->n)
            return ps_fail(err, PS_INTERNAL, "the run file is damaged: two modules have one path");
        r->n++;
    }
    return err->code;
}

static bool is_module(struct reader *r, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t template = ps_chunk_value(chunk, PS_COL_TEMPLATE, i);
    struct ps_str text;

    if (ps_chunk_value(chunk, PS_COL_KIND, i) != PS_SLICE_PYTHON || template <= PS_TEMPLATE_WHOLE)
        return false;
    text = ps_trace_args_template(r->db, template);
    if (!text.ptr) /* so the id is small */
        return false;
    r->template_kinds = ps_grow_to(r->template_kinds, &r->n_templates, (size_t) template, 1);
    if (!r->template_kinds[template])
        r->template_kinds[template] =
            ps_template_param(text, PS_STR("Python module id")) >= 0 ? 1 : 2;
    return r->template_kinds[template] == 1;
}

static void plus(int64_t *sum, int64_t value)
{
    *sum = ps_add_saturated(*sum, value);
}

/* Adds a call. Returns the place of what is inside of it. */
static struct around add_call(struct reader *r, const struct ps_chunk *chunk, uint32_t i,
                              struct around outer, bool in_step, struct ps_buf *path)
{
    const struct ps_str word = PS_STR("nn.Module: "),
                        name =
                            ps_trace_text(r->db, (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i));
    const int64_t duration = ps_chunk_value(chunk, PS_COL_DURATION, i);
    uint32_t index = ps_intern_find(
        &r->paths,
        path_of(outer.module ? outer.module - 1 : UINT32_MAX,
                ps_str_starts_with(name, word) ? ps_str_skip(name, word.len) : name, path));
    int64_t *value;

    if (index >= r->n)
        return outer;
    value = r->sums[index].value;
    if (in_step) {
        value[CALLS]++;
        plus(&value[HOST_SELF], duration);
        plus(&value[HOST_TOTAL], duration);
        if (outer.module && outer.is_counted)
            plus(&r->sums[outer.module - 1].value[HOST_SELF], -duration);
    }
    return (struct around){index + 1, in_step};
}

static bool visit_chunk(void *user, const struct ps_chunk *chunk)
{
    struct reader *r = user;
    const struct ps_intervals *steps = ps_step_times_of_track(&r->steps, chunk->track_kind);
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    if (chunk->track != r->track) {
        r->track = chunk->track;
        if (r->n_around) /* memset needs a pointer even for no bytes */
            memset(r->around, 0, r->n_around * sizeof *r->around);
    }
    r->around =
        ps_grow_to(r->around, &r->n_around, (size_t)chunk->first + chunk->n, sizeof *r->around);
    for (uint32_t i = 0; i < chunk->n; i++) {
        const uint32_t row = chunk->first + i;
        const int64_t back = ps_chunk_value(chunk, PS_COL_PARENT, i),
                      kind = ps_chunk_value(chunk, PS_COL_KIND, i);
        const bool in_step = ps_intervals_contain(steps, ps_chunk_value(chunk, PS_COL_START, i));
        struct around around = back > 0 && back <= row ? r->around[row - back] : (struct around){0};

        if (is_module(r, chunk, i))
            around = add_call(r, chunk, i, around, in_step, &path);
        else if (around.module && in_step && (kind == PS_SLICE_OP || kind == PS_SLICE_ANNOTATION))
            plus(&r->sums[around.module - 1].value[DEVICE_SELF],
                 ps_chunk_value(chunk, PS_COL_DEVICE_SELF, i));
        r->around[row] = around;
    }
    return true;
}

static void add_totals(struct reader *r)
{
    for (size_t i = 0; i < r->n; i++)
        r->sums[i].value[DEVICE_TOTAL] = r->sums[i].value[DEVICE_SELF];
    for (size_t i = r->n; i-- > 0;)
        if (r->sums[i].parent != UINT32_MAX)
            plus(&r->sums[r->sums[i].parent].value[DEVICE_TOTAL], r->sums[i].value[DEVICE_TOTAL]);
}

enum ps_status ps_make_module_steps(struct ps_db *db, struct ps_params params,
                                    struct ps_computed_table *out, struct ps_err *err)
{
    PS_AUTO(reader_free) struct reader r = {.db = db};
    const struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_THREAD,
        .range = PS_RANGE_ALL,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_PARENT) |
                   PS_COL_BIT(PS_COL_TEMPLATE) | PS_COL_BIT(PS_COL_DEVICE_SELF)};

    if (!ps_param_get(params, "in_steps"))
        return err->code; /* the complete run is in the table `module` */
    ps_trace_step_times(db, &r.steps, err);
    read_modules(&r, err);
    if (err->code == PS_OK && r.n > 0)
        ps_trace_each_chunk(db, &query, visit_chunk, &r, err);
    add_totals(&r);
    if (err->code == PS_OK)
        ps_computed_table_copy(out, PS_TEMP_MODULES, r.sums, r.n, sizeof *r.sums, N_COLUMNS);
    return err->code;
}
