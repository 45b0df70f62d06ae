/* SPDX-License-Identifier: MIT */
/* memory.h: memory events of a trace with each allocation matched to what freed it; tables
 * over what is computed in C. */
#ifndef PS_QUERY_TRACE_MEMORY_H
#define PS_QUERY_TRACE_MEMORY_H

#include "server/query/trace/trace_views.h"

struct ps_record {
    int64_t t_ns, bytes, address, slice;
    int64_t type, device, worker;
    size_t partner; /* an allocation's free, a free's allocation: index + 1; 0 none */
};

struct ps_records {
    struct ps_record *at; /* by time */
    size_t n, cap;
};

/* All of them. A free belongs to the last allocation at its address on its device, in its worker.
 */
enum ps_status ps_records_read(struct ps_db *db, struct ps_records *out, struct ps_err *err);
void ps_records_free(struct ps_records *records);

/* A temporary table for the SQL of a view; `values` owns the numbers of its columns. */
struct ps_made {
    struct ps_temp_rows temp_rows;
    int64_t *values;
};
/* A table over what `make` computes for a range; it is not called when the page is kept. */
enum ps_status ps_view_made_table(struct ps_db *db, const struct ps_view *view,
                                  struct ps_params params,
                                  enum ps_status (*make)(struct ps_db *db, struct ps_params params,
                                                         struct ps_range range, struct ps_made *out,
                                                         struct ps_err *err),
                                  struct ps_answer *answer, struct ps_err *err);

/* All slices that start in the range, summed by name, as the table ps_temp_operators. params are
 * ignored. The caller frees out->values. */
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
