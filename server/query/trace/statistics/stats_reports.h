/* SPDX-License-Identifier: MIT */
/* stats_reports.h: reports like those of `nsys stats`: statistics of a value (duration, size) of
 * many slices, by name. */
#ifndef PS_QUERY_TRACE_STATS_REPORTS_H
#define PS_QUERY_TRACE_STATS_REPORTS_H

#include "base/intern.h"
#include "server/query/trace/allocations/memory_records.h"

/* Kinds of the ranges that programs mark in their code. */
#define PS_RANGE_KINDS (1u << PS_SLICE_NVTX | 1u << PS_SLICE_ANNOTATION)
#define PS_WORK_KINDS  (1u << PS_SLICE_KERNEL | 1u << PS_SLICE_MEMCPY | 1u << PS_SLICE_MEMSET)

/* Slices with equal keys are one row. Keys are compared as bytes, so the struct has no padding. */
struct ps_summary_key {
    uint32_t name;     /* text id */
    uint32_t category; /* of an NVTX range: text id of its domain; else 0 */
    uint16_t kind;
    uint16_t spans_threads; /* 1: the range may end on another thread */
};

struct ps_summary_row {
    struct ps_summary_key key;
    int64_t n, first_ns;
    /* of projected ranges: their total time on the host, and the number of their device slices */
    int64_t range_ns, n_works;
};

struct ps_summary_rows {
    struct ps_db *db;
    /* all copies in one direction are one row; a name counts up to " (" */
    bool merges_operations;
    struct ps_summary_row *items; /* the rows, in order of first appearance */
    size_t n, cap;
    /* names of operations, or struct ps_summary_key as bytes; ids are indices of `items` */
    struct ps_intern keys;
    /* [text id]: index + 1 of the last used row with this name; 0: none */
    uint32_t *last_row_by_text;
    size_t last_row_cap;
    /* All values; row_of_value[i] is the index of the row of values[i]. */
    int64_t *values;
    uint32_t *row_of_value;
    size_t n_values, values_cap;
};

/* Returns the name of a copy or set up to " (": "Memcpy HtoD" of "Memcpy HtoD (Pinned ->
 * Device)". */
struct ps_str ps_operation_name(struct ps_str name);
/* Returns the key of slice `i` of a chunk, which must contain the columns name, kind, flags and,
 * for NVTX ranges, category. */
struct ps_summary_key ps_summary_slice_key(const struct ps_chunk *chunk, uint32_t i);
/* Returns the row with this key, and adds it if it does not exist. Valid until the next row is
 * added. */
struct ps_summary_row *ps_summary_get_row(struct ps_summary_rows *rows, struct ps_summary_key key);
void ps_summary_add(struct ps_summary_rows *rows, struct ps_summary_row *row, int64_t start_ns,
                    int64_t value);
/* Computes the statistics of all rows as the temporary table ps_temp_summary. */
void ps_summary_compute_table(const struct ps_summary_rows *rows, struct ps_computed_table *out);
void ps_summary_free(struct ps_summary_rows *rows); /* usable with PS_AUTO */

/* Adds a value for each range of the host that starts in `range`: the time from the first start to
 * the last end of the device work that was launched in it (nvtx_projection.c). */
enum ps_status ps_summary_add_projected(struct ps_range range, struct ps_summary_rows *rows,
                                        struct ps_err *err);

/* ps_view_summaries lists the names of the reports that have rows; ps_view_summary answers with the
 * rows of one report. */
ps_view_answer ps_view_summaries;
ps_view_answer ps_view_summary;

#endif
