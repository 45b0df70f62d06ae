/* SPDX-License-Identifier: MIT */
/* packed_rows.h: reads packed columns of a trace. */
#ifndef PS_QUERY_TRACE_PACKED_ROWS_H
#define PS_QUERY_TRACE_PACKED_ROWS_H

#include "server/runfile/trace.h"
#include "slices/packed.h"

struct ps_packed {
    size_t n;
    /* [column]: n values; NULL if the column was not requested */
    const int64_t *column[PS_PACKED_COLUMNS_MAX];
};
struct ps_packed_query {
    enum ps_packed_family family;
    int64_t part;          /* PS_PACKED_COUNTS: id of the series; else 0 */
    struct ps_range range; /* visit only parts with times in this range */
    uint32_t columns;      /* bit mask of the requested columns: 1 << column */
};
/* Calls visit for each part, in the order of the run file, until visit returns false. *part is
 * valid during the call. */
enum ps_status ps_packed_each(struct ps_db *db, const struct ps_packed_query *query,
                              bool (*visit)(void *user, const struct ps_packed *part), void *user,
                              struct ps_err *err);

#endif
