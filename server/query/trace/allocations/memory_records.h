/* SPDX-License-Identifier: MIT */
/* memory_records.h: the memory events of a trace, in which allocations are matched to frees, and
 * the tables of a trace that are computed in C. */
#ifndef PS_QUERY_TRACE_MEMORY_H
#define PS_QUERY_TRACE_MEMORY_H

#include "server/query/view.h"
#include "server/runfile/trace.h"

struct ps_memory_record {
    int64_t t_ns, bytes, address, slice;
    int64_t type, device, worker;
    /* for an allocation index + 1 of its free, for a free index + 1 of its allocation; 0: none */
    size_t partner;
};

struct ps_memory_records {
    struct ps_memory_record *items; /* in the order of time */
    size_t n, cap;
};

/* Reads all memory events. A free belongs to the previous event with the same address, device and
 * worker if that event is an allocation. The caller frees *out with ps_memory_records_free. */
enum ps_status ps_memory_records_read(struct ps_db *db, struct ps_memory_records *out,
                                      struct ps_err *err);
void ps_memory_records_free(struct ps_memory_records *records);

/* Compute the temporary tables of the views allocations and memory_operators. */
ps_make_rows ps_make_allocation_rows;
ps_make_rows ps_make_memory_operators;
/* Sums the slices of the tracks of params that start in its range by name, as the temporary table
 * ps_temp_operators; with the parameter in_steps only those that start in counted steps. */
ps_make_rows ps_make_slices_by_name;
/* The table ps_temp_modules: with the parameter in_steps the sums of calls that start in counted
 * steps, else empty. */
ps_make_rows ps_make_module_steps;

ps_view_answer ps_view_operators;

#endif
