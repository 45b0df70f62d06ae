/* SPDX-License-Identifier: MIT */
/* stats_reports.h: reports that summarise a number of many slices by name, as `nsys stats` does. */
#ifndef PS_QUERY_TRACE_STATS_REPORTS_H
#define PS_QUERY_TRACE_STATS_REPORTS_H

#include "base/intern.h"
#include "server/query/trace/memory.h"

/* Ranges that programs mark themselves. */
#define PS_RANGE_KINDS (1u << PS_SLICE_NVTX | 1u << PS_SLICE_ANNOTATION)
#define PS_WORK_KINDS  (1u << PS_SLICE_KERNEL | 1u << PS_SLICE_MEMCPY | 1u << PS_SLICE_MEMSET)

/* Slices with equal keys are summed up in one row. Compared as bytes, so it has no padding. */
struct ps_summary_key {
    uint32_t name;     /* text id */
    uint32_t category; /* text id of the domain of an NVTX range; else 0 */
    uint16_t kind;
    uint16_t spans_threads; /* 1: a range that may end on another thread */
};

struct ps_summary_row {
    struct ps_summary_key key;
    int64_t n, first_ns;
    int64_t range_ns,
        works; /* of projected ranges: their time on the host, and their device slices */
};

struct ps_summary_rows {
    struct ps_db *db;
    bool operations;              /* copies of one direction are one row: names up to " (" */
    struct ps_summary_row *items; /* in order of first appearance */
    size_t n, cap;
    struct ps_intern
        keys; /* names of operations, or keys as bytes; their ids are indices of rows */
    uint32_t *last_row_by_text; /* text id -> index + 1 of the last row with that name */
    size_t last_row_cap;
    /* All values; of[i] is the row of values[i]. */
    int64_t *values;
    uint32_t *row_of_value;
    size_t n_values, values_cap;
};

/* Returns the key of a slice; reads the columns name, kind, flags and, for NVTX ranges, category.
 */
struct ps_summary_key ps_summary_slice_key(const struct ps_chunk *chunk, uint32_t i);
/* Returns the row of the slices with this key; adds it if necessary. */
struct ps_summary_row *ps_summary_get_row(struct ps_summary_rows *rows, struct ps_summary_key key);
void ps_summary_add(struct ps_summary_rows *rows, struct ps_summary_row *row, int64_t start_ns,
                    int64_t value);
/* Summarises the rows as the table ps_temp_summary. */
void ps_summary_compute_table(const struct ps_summary_rows *rows, struct ps_computed_table *out);
void ps_summary_free(struct ps_summary_rows *rows); /* for PS_AUTO */

/* Adds the device work of each range of the host, by its name: from the start of the first to the
 * end of the last work that was launched inside the range. */
enum ps_status ps_summary_add_projected(struct ps_range range, struct ps_summary_rows *rows,
                                        struct ps_err *err);

/* ps_view_summaries lists the reports that have rows; ps_view_summary is one of them as a table. */
enum ps_status ps_view_summaries(struct ps_db *db, const struct ps_view *view, int64_t id,
                                 struct ps_params params, struct ps_answer *answer,
                                 struct ps_err *err);
enum ps_status ps_view_summary(struct ps_db *db, const struct ps_view *view, int64_t id,
                               struct ps_params params, struct ps_answer *answer,
                               struct ps_err *err);

#endif
