/* SPDX-License-Identifier: MIT */
/* trace_views.h: what the views of traces share. Only files of this folder include it. */
#ifndef PS_QUERY_TRACE_TRACE_VIEWS_H
#define PS_QUERY_TRACE_TRACE_VIEWS_H

#include "server/query/views.h"
#include "server/runfile/trace.h"

/* A list of numbers that grows. */
struct ps_ints {
    int64_t *at;
    size_t n, cap;
};
void ps_ints_add(struct ps_ints *list, int64_t value);
void ps_ints_free(struct ps_ints *list); /* for PS_AUTO too */

/* from_ns and to_ns; what is not given is without end. */
enum ps_status ps_param_range(struct ps_params params, struct ps_range *out, struct ps_err *err);
/* The same where a picture is drawn: what is not given is the end of the trace, from < to. */
enum ps_status ps_param_window(struct ps_db *db, struct ps_params params, struct ps_range *out,
                               struct ps_err *err);
/* "3,4" as numbers of at least 1, at most `most`; none when it is not given. */
enum ps_status ps_param_ids(struct ps_params params, const char *key, size_t most,
                            struct ps_ints *out, struct ps_err *err);
/* Least start and greatest end of all that has a time; 0, 0 for an empty trace. */
enum ps_status ps_trace_span(struct ps_db *db, struct ps_range *out, struct ps_err *err);

/* Whether a run is a trace of torch: others have no operators. */
enum ps_status ps_trace_is_torch(struct ps_db *db, bool *out, struct ps_err *err);
/* Whether device work is given to what launched it. */
enum ps_status ps_trace_is_attributed(struct ps_db *db, bool *out, struct ps_err *err);

/* Where a slice ends; damaged runs may hold any numbers. */
static inline int64_t ps_end_ns(int64_t start_ns, int64_t duration_ns)
{
    int64_t end;

    return __builtin_add_overflow(start_ns, duration_ns, &end) ? INT64_MAX / 4 : end;
}

/* Key and array, digits straight into the answer. */
void ps_json_ints(struct ps_json *json, const char *key, const int64_t *values, size_t n);
/* What a copy or a set does, of its name: "Memcpy HtoD (Pinned -> Device)" up to " (". */
struct ps_str ps_operation(struct ps_str name);
/* A text of the trace as a string, "" when there is none. */
void ps_json_text(struct ps_json *json, const char *key, struct ps_db *db, int64_t text);

/* Rows of the table `packed` (schema/run.sql). */
enum ps_packed_family { PS_PACKED_FLOWS = 1, PS_PACKED_COUNTS = 2, PS_PACKED_MEMORY = 3 };
enum { PS_FLOW_KIND, PS_FLOW_FROM, PS_FLOW_TO, PS_FLOW_FROM_NS, PS_FLOW_TO_NS };
enum { PS_COUNT_T, PS_COUNT_VALUE };
enum {
    PS_MEMORY_T,
    PS_MEMORY_TYPE,
    PS_MEMORY_DEVICE,
    PS_MEMORY_BYTES,
    PS_MEMORY_ADDRESS,
    PS_MEMORY_ALLOCATED,
    PS_MEMORY_RESERVED,
    PS_MEMORY_SLICE,
    PS_MEMORY_OUTSIDE,
    PS_MEMORY_WORKER
};
#define PS_PACKED_COLUMNS 10

struct ps_packed {
    size_t n;
    const int64_t *column[PS_PACKED_COLUMNS]; /* those asked for */
};
struct ps_packed_query {
    enum ps_packed_family family;
    int64_t part;          /* the series; else 0 */
    struct ps_range range; /* parts with rows that touch it */
    uint32_t columns;      /* bits 1 << column */
};
/* Shows the parts in the order they were written. visit returns false to stop. */
enum ps_status ps_packed_each(struct ps_db *db, const struct ps_packed_query *query,
                              bool (*visit)(void *user, const struct ps_packed *part), void *user,
                              struct ps_err *err);

/* Share of each pixel that the slices of a track cover at depth 0, 0..255. */
void ps_window_busy(const struct ps_window *window, int64_t *share);
/* The same for work of a device on any depth. */
void ps_window_busy_device(const struct ps_window *window, int64_t *share);

enum ps_status ps_view_timeline(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err);
enum ps_status ps_view_window(struct ps_db *db, const struct ps_view *view, int64_t id,
                              struct ps_params params, struct ps_answer *answer,
                              struct ps_err *err);
enum ps_status ps_view_names(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);
enum ps_status ps_view_slice(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);
enum ps_status ps_view_curves(struct ps_db *db, const struct ps_view *view, int64_t id,
                              struct ps_params params, struct ps_answer *answer,
                              struct ps_err *err);
enum ps_status ps_view_named(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);
enum ps_status ps_view_find(struct ps_db *db, const struct ps_view *view, int64_t id,
                            struct ps_params params, struct ps_answer *answer, struct ps_err *err);
enum ps_status ps_view_flame(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err);
/* A table of a range: checks from_ns, to_ns and the switches, then as ps_view_table. */
enum ps_status ps_view_trace_table(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err);

#endif
