/* SPDX-License-Identifier: MIT */
/* stats_rows.c: collects the values of slices in rows by name, and computes the statistics of each
 * row. */
#include <stdlib.h>

#include "server/query/trace/statistics/stats_reports.h"
#include "slices/stats.h"

struct ps_str ps_operation_name(struct ps_str name)
{
    for (size_t i = 0; i + 1 < name.len; i++)
        if (name.ptr[i] == ' ' && name.ptr[i + 1] == '(')
            return (struct ps_str){name.ptr, i};
    return name;
}

enum {
    NAME,
    KIND,
    STYLE,
    COUNT,
    TOTAL,
    MEDIAN,
    MIN,
    MAX,
    STDDEV,
    FIRST,
    RANGES,
    WORKS,
    CATEGORY,
    N_COLUMNS
};

struct ps_summary_key ps_summary_slice_key(const struct ps_chunk *chunk, uint32_t i)
{
    struct ps_summary_key key = {.name = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i),
                                 .kind = (uint16_t)ps_chunk_value(chunk, PS_COL_KIND, i)};

    if (key.kind == PS_SLICE_NVTX) {
        key.category = (uint32_t)ps_chunk_value(chunk, PS_COL_CATEGORY, i);
        key.spans_threads = (ps_chunk_value(chunk, PS_COL_FLAGS, i) & PS_SLICE_ASYNC) != 0;
    }
    return key;
}

/* Returns the element of last_row_by_text for a name. It saves most searches for a row, because
 * slices with equal keys are often adjacent. */
static uint32_t *last_row_slot(struct ps_summary_rows *rows, uint32_t name)
{
    rows->last_row_by_text = ps_grow_to(rows->last_row_by_text, &rows->last_row_cap, name,
                                        sizeof *rows->last_row_by_text);
    return &rows->last_row_by_text[name];
}

/* Returns the string that identifies the row of a key. With rows->operations it is the name of the
 * operation, so "Memcpy HtoD (Pinned -> Device)" and "Memcpy HtoD (Pageable -> Device)" are one
 * row. */
static struct ps_str row_identity(const struct ps_summary_rows *rows,
                                  const struct ps_summary_key *key)
{
    if (rows->merges_operations)
        return ps_operation_name(ps_trace_text(rows->db, key->name));
    return (struct ps_str){(const char *)key, sizeof *key};
}

struct ps_summary_row *ps_summary_get_row(struct ps_summary_rows *rows, struct ps_summary_key key)
{
    uint32_t *last, row;

    if (!ps_trace_text(rows->db, key.name).ptr)
        key.name = 0;
    last = last_row_slot(rows, key.name);
    if (*last &&
        (rows->merges_operations || memcmp(&rows->items[*last - 1].key, &key, sizeof key) == 0))
        return &rows->items[*last - 1];
    row = ps_intern_add(&rows->keys, row_identity(rows, &key));
    if (row == rows->n) {
        PS_RESERVE_ONE(rows->items, rows->n, rows->cap);
        rows->items[rows->n++] = (struct ps_summary_row){.key = key, .first_ns = INT64_MAX};
    }
    *last = row + 1;
    return &rows->items[row];
}

void ps_summary_add(struct ps_summary_rows *rows, struct ps_summary_row *row, int64_t start_ns,
                    int64_t value)
{
    row->n++;
    row->first_ns = start_ns < row->first_ns ? start_ns : row->first_ns;
    if (rows->n_values == rows->values_cap) {
        rows->values_cap = rows->values_cap ? rows->values_cap * 2 : 1024;
        rows->values = ps_grow(rows->values, rows->values_cap, sizeof *rows->values);
        rows->row_of_value =
            ps_grow(rows->row_of_value, rows->values_cap, sizeof *rows->row_of_value);
    }
    rows->row_of_value[rows->n_values] = (uint32_t)(row - rows->items);
    rows->values[rows->n_values++] = value > 0 ? value : 0;
}

/* Returns the values grouped by row, in an array that the caller frees. The values of row r are at
 * [ends[r] - items[r].n, ends[r]). */
static int64_t *group_values(const struct ps_summary_rows *rows, size_t *ends)
{
    int64_t *sorted = ps_grow(NULL, rows->n_values + 1, sizeof *sorted);
    size_t at = 0;

    for (size_t r = 0; r < rows->n; r++) {
        ends[r] = at;
        at += (size_t)rows->items[r].n;
    }
    for (size_t i = 0; i < rows->n_values; i++)
        sorted[ends[rows->row_of_value[i]]++] = rows->values[i];
    return sorted;
}

static int64_t double_bits(double real)
{
    int64_t bits;

    memcpy(&bits, &real, sizeof bits);
    return bits;
}

void ps_summary_compute_table(const struct ps_summary_rows *rows, struct ps_computed_table *out)
{
    PS_AUTO(ps_free_ptr) size_t *ends = ps_grow(NULL, rows->n + 1, sizeof *ends);
    PS_AUTO(ps_free_ptr) int64_t *values = group_values(rows, ends);

    ps_computed_table_alloc(out, PS_TEMP_SUMMARY, rows->n, N_COLUMNS);
    out->temp_rows.real_columns = 1u << MEDIAN | 1u << STDDEV;
    for (size_t r = 0; r < rows->n; r++) {
        const struct ps_summary_row *row = &rows->items[r];
        struct ps_stats stats = ps_stats_compute(values + ends[r] - row->n, (size_t)row->n);
        const int64_t temp_rows[N_COLUMNS] = {
            [NAME] = row->key.name,
            [KIND] = row->key.kind,
            [STYLE] = row->key.spans_threads,
            [COUNT] = row->n,
            [TOTAL] = stats.total,
            [MEDIAN] = double_bits(stats.median),
            [MIN] = stats.min,
            [MAX] = stats.max,
            [STDDEV] = double_bits(stats.stddev),
            [FIRST] = row->first_ns,
            [RANGES] = row->range_ns,
            [WORKS] = row->n_works,
            [CATEGORY] = row->key.category,
        };

        for (size_t c = 0; c < N_COLUMNS; c++)
            out->values[c * rows->n + r] = temp_rows[c];
    }
}

void ps_summary_free(struct ps_summary_rows *rows)
{
    free(rows->items);
    free(rows->last_row_by_text);
    free(rows->values);
    free(rows->row_of_value);
    ps_intern_free(&rows->keys);
    *rows = (struct ps_summary_rows){.db = NULL};
}
