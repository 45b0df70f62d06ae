/* SPDX-License-Identifier: MIT */
/* trace_summary_rows.c: values under names, and what the values of each come to. */
#include <stdlib.h>

#include "server/query/trace_summary.h"
#include "slices/stats.h"

enum { NAME, KIND, STYLE, COUNT, TOTAL, MEDIAN, MIN, MAX, STDDEV, FIRST, RANGES, WORKS, N_LENT };

static uint32_t new_row(struct ps_summary_rows *rows, uint32_t name, int64_t kind, bool style)
{
    PS_PUSH_ROOM(rows->at, rows->n, rows->cap);
    rows->at[rows->n++] = (struct ps_summary_row){
        .name = name, .kind = (uint8_t)kind, .style = style, .first_ns = INT64_MAX};
    return (uint32_t)rows->n;
}

/* "Memcpy HtoD (Pinned -> Device)" and "Memcpy HtoD (Pageable -> Device)" are one operation. */
static uint32_t row_of_operation(struct ps_summary_rows *rows, uint32_t name, int64_t kind)
{
    uint32_t count = rows->parts.count;
    uint32_t part = ps_intern_id(&rows->parts, ps_operation(ps_trace_text(rows->db, name)));

    if (part < count)
        return rows->part_rows[part];
    PS_PUSH_ROOM(rows->part_rows, part, rows->parts_cap);
    rows->part_rows[part] = new_row(rows, name, kind, false);
    return rows->part_rows[part];
}

static void widen(struct ps_summary_rows *rows, size_t place)
{
    size_t wider = place * 2 + 128;

    rows->place = ps_grow(rows->place, wider, sizeof *rows->place);
    memset(rows->place + rows->n_place, 0, (wider - rows->n_place) * sizeof *rows->place);
    rows->n_place = wider;
}

struct ps_summary_row *ps_summary_row_of(struct ps_summary_rows *rows, int64_t id, int64_t kind,
                                         bool style)
{
    uint32_t name = ps_trace_text(rows->db, (uint32_t)id).at ? (uint32_t)id : 0;
    size_t place = (size_t)name * 2 + style;

    if (place >= rows->n_place)
        widen(rows, place);
    if (!rows->place[place])
        rows->place[place] = rows->operations ? row_of_operation(rows, name, kind)
                                              : new_row(rows, name, kind, style);
    return &rows->at[rows->place[place] - 1];
}

void ps_summary_add(struct ps_summary_rows *rows, struct ps_summary_row *row, int64_t start_ns,
                    int64_t value)
{
    row->n++;
    row->first_ns = start_ns < row->first_ns ? start_ns : row->first_ns;
    if (rows->n_values == rows->values_cap) {
        rows->values_cap = rows->values_cap ? rows->values_cap * 2 : 1024;
        rows->values = ps_grow(rows->values, rows->values_cap, sizeof *rows->values);
        rows->of = ps_grow(rows->of, rows->values_cap, sizeof *rows->of);
    }
    rows->of[rows->n_values] = (uint32_t)(row - rows->at);
    rows->values[rows->n_values++] = value > 0 ? value : 0;
}

/* The values of each row together: those of row r are [ends[r - 1], ends[r]). */
static int64_t *by_row(const struct ps_summary_rows *rows, size_t *ends)
{
    int64_t *sorted = ps_grow(NULL, rows->n_values + 1, sizeof *sorted);
    size_t at = 0;

    for (size_t r = 0; r < rows->n; r++) {
        ends[r] = at;
        at += (size_t)rows->at[r].n;
    }
    for (size_t i = 0; i < rows->n_values; i++)
        sorted[ends[rows->of[i]]++] = rows->values[i];
    return sorted;
}

static int64_t bits_of(double real)
{
    int64_t bits;

    memcpy(&bits, &real, sizeof bits);
    return bits;
}

void ps_summary_lend(const struct ps_summary_rows *rows, struct ps_made *out)
{
    PS_AUTO(ps_free_ptr) size_t *ends = ps_grow(NULL, rows->n + 1, sizeof *ends);
    PS_AUTO(ps_free_ptr) int64_t *values = by_row(rows, ends);

    out->values = ps_grow(NULL, rows->n * N_LENT + 1, sizeof *out->values);
    out->lent = (struct ps_lent){.n = rows->n, .reals = 1u << MEDIAN | 1u << STDDEV};
    for (size_t c = 0; c < N_LENT; c++)
        out->lent.column[c] = out->values + c * rows->n;
    for (size_t r = 0; r < rows->n; r++) {
        const struct ps_summary_row *row = &rows->at[r];
        struct ps_stats stats = ps_stats_of(values + ends[r] - row->n, (size_t)row->n);
        const int64_t lent[N_LENT] = {row->name,     row->kind,     row->style,
                                      row->n,        stats.total,   bits_of(stats.median),
                                      stats.min,     stats.max,     bits_of(stats.stddev),
                                      row->first_ns, row->range_ns, row->works};

        for (size_t c = 0; c < N_LENT; c++)
            out->values[c * rows->n + r] = lent[c];
    }
}

void ps_summary_free(struct ps_summary_rows *rows)
{
    free(rows->at);
    free(rows->place);
    free(rows->part_rows);
    free(rows->values);
    free(rows->of);
    ps_intern_free(&rows->parts);
    *rows = (struct ps_summary_rows){.db = NULL};
}
