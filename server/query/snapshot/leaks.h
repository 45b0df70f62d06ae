/* SPDX-License-Identifier: MIT */
/* leaks.h: memory that is allocated in a step and is still live at the end. */
#ifndef PS_QUERY_SNAPSHOT_LEAKS_H
#define PS_QUERY_SNAPSHOT_LEAKS_H

#include "server/query/snapshot/snapshot.h"

/* Finds cycles in a curve, such as those of training steps: it rises and falls at least three times
 * in about equal intervals, by at least 5 % of its maximum. Stores the positions of the lowest
 * values between the cycles in valleys, at most max. Returns their number, 0 if there are no
 * cycles. */
size_t ps_snapshot_find_cycles(const int64_t *live, size_t n, size_t *valleys, size_t max);

/* Returns the median of the bytes of steps if there are at least three and all are more than 0;
 * else 0. */
int64_t ps_snapshot_growth(const int64_t *bytes_per_step, size_t n);

struct ps_snapshot_step {
    int64_t from, to;   /* events from..to-1 */
    bool is_incomplete; /* the trace begins or ends in the step */
};

enum ps_snapshot_step_source {
    PS_SNAPSHOT_STEPS_NONE,
    PS_SNAPSHOT_STEPS_ANNOTATIONS,
    PS_SNAPSHOT_STEPS_GIVEN,
    PS_SNAPSHOT_STEPS_CYCLES,
};

struct ps_snapshot_steps {
    enum ps_snapshot_step_source source;
    struct ps_snapshot_step *items;
    size_t n;
    char *name; /* of the annotation; NULL: none */
};

/* Finds the steps from event `from` on: those between annotations of the most frequent name, else
 * cycles of the live bytes. */
enum ps_status ps_snapshot_steps_find(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                      int64_t from, struct ps_snapshot_steps *out,
                                      struct ps_err *err);
void ps_snapshot_steps_free(struct ps_snapshot_steps *steps); /* for PS_AUTO */

/* The stack that keeps most in each step. */
struct ps_snapshot_growth_row {
    uint32_t node;  /* of the tree PS_SNAPSHOT_PYTHON; 0: no stack */
    int64_t bytes;  /* median of a step */
    size_t n_steps; /* steps in which it grows; 0: no stack grows in all steps */
    bool has_steps; /* the trace has steps */
};
enum ps_status ps_snapshot_growth_find(struct ps_db *db,
                                       const struct ps_snapshot_device_row *device,
                                       const struct ps_snapshot_stacks *stacks,
                                       struct ps_snapshot_growth_row *out, struct ps_err *err);

ps_view_answer ps_view_snapshot_leaks;

#endif
