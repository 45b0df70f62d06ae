/* SPDX-License-Identifier: MIT */
/* memory.h: the memory events of a trace, each allocation matched to its free. */
#ifndef PS_QUERY_TRACE_MEMORY_H
#define PS_QUERY_TRACE_MEMORY_H

#include "server/query/trace/trace_views.h"

struct ps_memory_record {
    int64_t t_ns, bytes, address, slice;
    int64_t type, device, worker;
    size_t partner; /* index + 1 of the free of an allocation, or of the allocation of a free; 0:
                       none */
};

struct ps_memory_records {
    struct ps_memory_record *items; /* sorted by time */
    size_t n, cap;
};

/* Reads all memory events. A free belongs to the last allocation at its address, on its device and
 * in its worker. */
enum ps_status ps_memory_records_read(struct ps_db *db, struct ps_memory_records *out,
                                      struct ps_err *err);
void ps_memory_records_free(struct ps_memory_records *records);

/* The temporary tables of the views of the same names. */
ps_make_rows ps_make_allocation_rows;
ps_make_rows ps_make_memory_operators;
/* Sums all slices that start in the range of params, by name, as the table ps_temp_operators. */
ps_make_rows ps_make_slices_by_name;

enum ps_status ps_view_operators(struct ps_db *db, const struct ps_view *view, int64_t id,
                                 struct ps_params params, struct ps_answer *answer,
                                 struct ps_err *err);

#endif
