/* SPDX-License-Identifier: MIT */
#include "server/query/requests/step_work.h"

#include <stdlib.h>

#include "base/hash_table.h"
#include "importers/kinds.h"
#include "server/query/trace/inference/inference.h"
#include "slices/intervals.h"

/* The sum of a name in a set. */
struct sum {
    struct ps_step_work_row row;
    int32_t set;
};

struct work_reader {
    const struct ps_inference *inference;
    const int32_t *set_of_step; /* by index of the step in `inference`; -1: none */
    struct sum *sums;
    size_t n, cap;
    struct ps_hash_table by_name; /* name and set -> index in sums */
};

static bool is_sum_of(const void *sums, uint32_t index, const void *key)
{
    const struct sum *sum = &((const struct sum *)sums)[index], *wanted = key;

    return sum->row.name == wanted->row.name && sum->set == wanted->set;
}

static void add_work(struct work_reader *reader, int64_t step, const struct ps_chunk *chunk,
                     uint32_t row, int64_t ns)
{
    struct sum key = {.row.name = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, row)};
    uint32_t index;

    key.set = step < 0 ? -1 : reader->set_of_step[step];
    if (key.set < 0)
        return;
    index = ps_hash_table_add(&reader->by_name,
                              ps_hash_u64((uint64_t)key.row.name << 32 | (uint32_t)key.set),
                              (uint32_t)reader->n, is_sum_of, reader->sums, &key);
    if (index == reader->n) {
        PS_RESERVE_ONE(reader->sums, reader->n, reader->cap);
        reader->sums[reader->n++] = key;
    }
    reader->sums[index].row.calls++;
    reader->sums[index].row.self_ns = ps_add_saturated(reader->sums[index].row.self_ns, ns);
}

static void visit_operator(void *user, size_t step, const struct ps_chunk *chunk, uint32_t row,
                           int64_t self_ns)
{
    add_work(user, (int64_t)step, chunk, row, self_ns);
}

static bool visit_stream(void *user, const struct ps_chunk *chunk)
{
    struct work_reader *reader = user;

    if (ps_track_owner_of(&reader->inference->owners, chunk->track).worker !=
        reader->inference->worker)
        return true;
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t launch = ps_chunk_value(chunk, PS_COL_LAUNCH, i);

        if (launch > 0 && ps_slice_on_device(ps_chunk_value(chunk, PS_COL_KIND, i)))
            add_work(reader, ps_inference_step_of(reader->inference, launch), chunk, i,
                     ps_chunk_value(chunk, PS_COL_DURATION, i));
    }
    return true;
}

static enum ps_status read_sums(struct ps_db *db, struct work_reader *reader, struct ps_err *err)
{
    const struct ps_chunk_query streams = {
        .track_kinds = 1u << PS_TRACK_STREAM,
        .range = PS_RANGE_ALL,
        .columns = PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_NAME) |
                   PS_COL_BIT(PS_COL_LAUNCH)};

    if (reader->inference->is_host)
        return ps_inference_each_operator(db, reader->inference, visit_operator, reader, err);
    return ps_trace_each_chunk(db, &streams, visit_stream, reader, err);
}

static int by_time(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;

    if (x->row.self_ns != y->row.self_ns)
        return x->row.self_ns > y->row.self_ns ? -1 : 1;
    return x->row.name < y->row.name ? -1 : x->row.name > y->row.name;
}

/* Finds the set of each step of the trace, and adds up the times of the steps. */
static void find_sets(const struct ps_requests *r, const int32_t *sets,
                      const struct ps_inference *inference, int32_t *set_of_step,
                      struct ps_step_work *out)
{
    struct ps_id_index {
        int64_t id; /* first member, the sort key */
        size_t index;
    };
    PS_AUTO(ps_free_ptr)
    struct ps_id_index *steps = ps_alloc_array(inference->n + 1, sizeof *steps);

    for (size_t i = 0; i < inference->n; i++) {
        steps[i] = (struct ps_id_index){inference->steps[i].id, i};
        set_of_step[i] = -1;
    }
    ps_sort_records(steps, inference->n, sizeof *steps);
    for (size_t i = 0; i < r->n_steps; i++) {
        size_t low = 0, high = inference->n;
        const struct ps_inference_step *step;

        if (sets[i] < 0 || r->steps[i].step == 0)
            continue;
        while (low < high) {
            size_t middle = low + (high - low) / 2;

            if (steps[middle].id < r->steps[i].step)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == inference->n || steps[low].id != r->steps[i].step)
            continue;
        step = &inference->steps[steps[low].index];
        set_of_step[steps[low].index] = sets[i];
        out[sets[i]].steps_ns = ps_add_saturated(
            out[sets[i]].steps_ns,
            inference->is_host ? step->host_end_ns - step->host_start_ns : step->busy_ns);
    }
}

static bool has_trace(struct ps_db *db, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf kind = {0};

    ps_db_prepare(db, ps_query_sql("run_kind"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return false;
    ps_buf_add_str(&kind, ps_col_text(stmt, 0));
    return kind.ptr && ps_kind_has(kind.ptr, PS_HAS_DEVICES);
}

enum ps_status ps_step_work_read(struct ps_db *db, const struct ps_requests *r, const int32_t *sets,
                                 struct ps_step_work *out, struct ps_err *err)
{
    PS_AUTO(ps_inference_free) struct ps_inference inference = {0};
    PS_AUTO(ps_free_ptr) int32_t *set_of_step = NULL;
    struct work_reader reader = {.inference = &inference};

    if (!has_trace(db, err) || ps_inference_read(db, &inference, err) != PS_OK)
        return err->code;
    set_of_step = ps_alloc_array(inference.n + 1, sizeof *set_of_step);
    reader.set_of_step = set_of_step;
    find_sets(r, sets, &inference, set_of_step, out);
    read_sums(db, &reader, err);
    if (reader.n)
        qsort(reader.sums, reader.n, sizeof *reader.sums, by_time);
    for (size_t i = 0; i < reader.n; i++) {
        struct ps_step_work *work = &out[reader.sums[i].set];

        work->is_device = !inference.is_host;
        if (work->n < PS_STEP_WORK_ROWS)
            work->rows[work->n++] = reader.sums[i].row;
    }
    free(reader.sums);
    ps_hash_table_free(&reader.by_name);
    return err->code;
}
