/* SPDX-License-Identifier: MIT */
/* stats_reports.h: reports that put a figure of many slices under their names, as `nsys stats`
 * does. */
#ifndef PS_QUERY_TRACE_STATS_REPORTS_H
#define PS_QUERY_TRACE_STATS_REPORTS_H

#include "base/intern.h"
#include "server/query/trace/memory.h"

/* Ranges that people put around their code. */
#define PS_RANGE_KINDS (1u << PS_SLICE_NVTX | 1u << PS_SLICE_ANNOTATION)
#define PS_WORK_KINDS  (1u << PS_SLICE_KERNEL | 1u << PS_SLICE_MEMCPY | 1u << PS_SLICE_MEMSET)

/* What slices have in common that are summed up. No padding. */
struct ps_summary_key {
    uint32_t name;     /* text id */
    uint32_t category; /* likewise: of ranges, where their domain stands; else 0 */
    uint16_t kind;
    uint16_t style; /* 1: a range that may end on another thread */
};

struct ps_summary_row {
    struct ps_summary_key key;
    int64_t n, first_ns;
    int64_t range_ns, works; /* of ranges projected to the device */
};

struct ps_summary_rows {
    struct ps_db *db;
    bool operations;           /* copies of one direction are a row: names up to their " (" */
    struct ps_summary_row *at; /* in order of first appearance */
    size_t n, cap;
    struct ps_intern keys; /* operations, or keys as they lie; ids are rows */
    uint32_t *last;        /* text id -> row of the last with that name, + 1 */
    size_t n_last;
    /* The values, each with its row. */
    int64_t *values;
    uint32_t *of;
    size_t n_values, values_cap;
};

/* Of the columns name, kind, flags and, where there are ranges, category. */
struct ps_summary_key ps_summary_key_of(const struct ps_chunk *chunk, uint32_t i);
/* The row of slices with this key. */
struct ps_summary_row *ps_summary_row_of(struct ps_summary_rows *rows, struct ps_summary_key key);
void ps_summary_add(struct ps_summary_rows *rows, struct ps_summary_row *row, int64_t start_ns,
                    int64_t value);
/* The rows as the table ps_temp_summary. */
void ps_summary_table(const struct ps_summary_rows *rows, struct ps_made *out);
void ps_summary_free(struct ps_summary_rows *rows); /* for PS_AUTO */

/* What devices did for each range of the host, by its name: from the first to the last work that
 * was launched inside. */
enum ps_status ps_summary_project(struct ps_range range, struct ps_summary_rows *rows,
                                  struct ps_err *err);

/* Which reports hold anything; and one of them as a table. */
enum ps_status ps_view_summaries(struct ps_db *db, const struct ps_view *view, int64_t id,
                                 struct ps_params params, struct ps_answer *answer,
                                 struct ps_err *err);
enum ps_status ps_view_summary(struct ps_db *db, const struct ps_view *view, int64_t id,
                               struct ps_params params, struct ps_answer *answer,
                               struct ps_err *err);

#endif
