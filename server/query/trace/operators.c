/* SPDX-License-Identifier: MIT */
/* operators.c: the view operators. If the run attributes device work to operators, its rows are
 * those of key_averages(); otherwise slices are summed by name. */
#include <stdlib.h>

#include "server/query/trace/allocations/memory_records.h"
#include "server/query/trace/parameters.h"
#include "server/query/trace/recording.h"
#include "server/query/trace/trace_views.h"
#include "server/runfile/trace_steps.h"

enum { NAME, KIND, FAMILY, CALLS, SELF, TOTAL, MIN, MAX, FIRST, N_COLUMNS };

struct name_row {
    int64_t value[N_COLUMNS];
};

struct by_name {
    struct ps_db *db;
    struct ps_range range;
    struct ps_step_times steps;
    bool only_steps;       /* only slices that start in counted steps */
    bool is_torch;         /* lists the profiler's own work, as key_averages() does */
    struct name_row *rows; /* in order of first appearance */
    size_t n, cap;
    uint32_t *row_by_text; /* [text id]: index in `rows` + 1; 0: none */
    size_t row_by_text_cap;
};

static struct name_row *row_of(struct by_name *sums, int64_t id)
{
    uint32_t name = ps_trace_text(sums->db, (uint32_t)id).ptr ? (uint32_t)id : 0;

    sums->row_by_text =
        ps_grow_to(sums->row_by_text, &sums->row_by_text_cap, name, sizeof *sums->row_by_text);
    if (!sums->row_by_text[name]) {
        PS_RESERVE_ONE(sums->rows, sums->n, sums->cap);
        sums->rows[sums->n++] =
            (struct name_row){.value = {[NAME] = name, [MIN] = INT64_MAX, [FIRST] = INT64_MAX}};
        sums->row_by_text[name] = (uint32_t)sums->n;
    }
    return &sums->rows[sums->row_by_text[name] - 1];
}

static void add_wrapping(int64_t *sum, int64_t value)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

/* The own time of a slice. Waits and slices that repeat the time of others have none. */
static int64_t self_time(const struct ps_chunk *chunk, uint32_t i)
{
    return ps_slice_is_no_work(ps_chunk_value(chunk, PS_COL_KIND, i))
               ? 0
               : ps_chunk_value(chunk, PS_COL_SELF, i);
}

static bool add_slices(void *user, const struct ps_chunk *chunk)
{
    struct by_name *sums = user;
    const struct ps_intervals *steps = ps_step_times_of_track(&sums->steps, chunk->track_kind);

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i),
                duration = ps_chunk_value(chunk, PS_COL_DURATION, i), *v;

        if ((!sums->is_torch && ps_chunk_value(chunk, PS_COL_KIND, i) == PS_SLICE_OVERHEAD) ||
            start < sums->range.from_ns || start >= sums->range.to_ns ||
            (sums->only_steps && !ps_intervals_contain(steps, start)))
            continue;
        v = row_of(sums, ps_chunk_value(chunk, PS_COL_NAME, i))->value;
        if (!v[CALLS]++) {
            v[KIND] = ps_chunk_value(chunk, PS_COL_KIND, i);
            v[FAMILY] = ps_chunk_value(chunk, PS_COL_FAMILY, i);
        }
        add_wrapping(&v[SELF], self_time(chunk, i));
        add_wrapping(&v[TOTAL], duration);
        v[MIN] = duration < v[MIN] ? duration : v[MIN];
        v[MAX] = duration > v[MAX] ? duration : v[MAX];
        v[FIRST] = start < v[FIRST] ? start : v[FIRST];
    }
    return true;
}

enum ps_status ps_make_slices_by_name(struct ps_db *db, struct ps_params params,
                                      struct ps_computed_table *out, struct ps_err *err)
{
    PS_AUTO(ps_track_set_free) struct ps_track_set tracks = {0};
    struct by_name sums = {.db = db, .only_steps = ps_param_get(params, "in_steps") != NULL};
    struct ps_chunk_query query = {.must_start_in_range = true,
                                   .columns = PS_COL_BIT(PS_COL_START) |
                                              PS_COL_BIT(PS_COL_DURATION) |
                                              PS_COL_BIT(PS_COL_SELF) | PS_COL_BIT(PS_COL_NAME) |
                                              PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FAMILY)};

    ps_param_range(params, &sums.range, err);
    ps_trace_is_torch(db, &sums.is_torch, err);
    if (sums.only_steps)
        ps_trace_step_times(db, &sums.steps, err);
    ps_param_tracks(db, params, &tracks, err);
    query.tracks = &tracks;
    query.range = sums.range;
    ps_trace_each_chunk(db, &query, add_slices, &sums, err);
    if (err->code == PS_OK)
        ps_computed_table_copy(out, PS_TEMP_OPERATORS, sums.rows, sums.n, sizeof *sums.rows,
                               N_COLUMNS);
    free(sums.rows);
    free(sums.row_by_text);
    ps_step_times_free(&sums.steps);
    return err->code;
}

enum ps_status ps_view_operators(struct ps_db *db, const struct ps_view *view, int64_t id,
                                 struct ps_params params, struct ps_answer *answer,
                                 struct ps_err *err)
{
    struct ps_view by_name = *view;
    bool attributed = false;

    ps_trace_is_attributed(db, &attributed, err);
    by_name.query = "slices_by_name";
    by_name.make_rows = ps_make_slices_by_name;
    return ps_view_trace_table(db, attributed ? view : &by_name, id, params, answer, err);
}
