/* SPDX-License-Identifier: MIT */
/* memory.h: the memory events of a trace, each allocation matched to its free; and tables over rows
 * that are computed in C. */
#ifndef PS_QUERY_TRACE_MEMORY_H
#define PS_QUERY_TRACE_MEMORY_H

#include "server/query/trace/trace_views.h"

struct ps_record {
    int64_t t_ns, bytes, address, slice;
    int64_t type, device, worker;
    size_t partner; /* index + 1 of the free of an allocation, or of the allocation of a free; 0:
                       none */
};

struct ps_records {
    struct ps_record *at; /* sorted by time */
    size_t n, cap;
};

/* Reads all memory events. A free belongs to the last allocation at its address, on its device and
 * in its worker. */
enum ps_status ps_records_read(struct ps_db *db, struct ps_records *out, struct ps_err *err);
void ps_records_free(struct ps_records *records);

/* A temporary table for the SQL of a view; `values` is the memory of its columns. */
struct ps_made {
    struct ps_temp_rows temp_rows;
    int64_t *values;
};
/* Answers with a table over the rows that `make` computes for a range. Does not call `make` if the
 * page is cached. */
enum ps_status ps_view_made_table(struct ps_db *db, const struct ps_view *view,
                                  struct ps_params params,
                                  enum ps_status (*make)(struct ps_db *db, struct ps_params params,
                                                         struct ps_range range, struct ps_made *out,
                                                         struct ps_err *err),
                                  struct ps_answer *answer, struct ps_err *err);

/* Sums all slices that start in the range, by name, as the table ps_temp_operators. Ignores params.
 * The caller frees out->values. */
enum ps_status ps_slices_by_name(struct ps_db *db, struct ps_params params, struct ps_range range,
                                 struct ps_made *out, struct ps_err *err);

enum ps_status ps_view_operators(struct ps_db *db, const struct ps_view *view, int64_t id,
                                 struct ps_params params, struct ps_answer *answer,
                                 struct ps_err *err);
enum ps_status ps_view_allocations(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err);
enum ps_status ps_view_memory_operators(struct ps_db *db, const struct ps_view *view, int64_t id,
                                        struct ps_params params, struct ps_answer *answer,
                                        struct ps_err *err);

#endif
