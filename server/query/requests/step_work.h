/* SPDX-License-Identifier: MIT */
/* step_work.h: the operators or the device work of a trace in steps of the scheduler. */
#ifndef PS_QUERY_STEP_WORK_H
#define PS_QUERY_STEP_WORK_H

#include "server/query/requests/requests.h"

#define PS_STEP_WORK_ROWS 8

struct ps_step_work_row {
    int64_t self_ns; /* own time of operators; durations of device work, which may overlap */
    int64_t calls;
    uint32_t name; /* text id */
};

/* Sums over a set of steps. */
struct ps_step_work {
    struct ps_step_work_row rows[PS_STEP_WORK_ROWS]; /* most time first */
    size_t n;
    int64_t steps_ns; /* of the steps that the trace has: sum of the annotations, or of the time in
                         which device work runs; 0: it has none of them */
    bool is_device;
};

/* Sums the work of the steps by set. sets[i]: the set of step i, an index in `out`; -1: none. Does
 * nothing if the run has no trace. */
enum ps_status ps_step_work_read(struct ps_db *db, const struct ps_requests *r, const int32_t *sets,
                                 struct ps_step_work *out, struct ps_err *err);

#endif
