/* SPDX-License-Identifier: MIT */
/*
 * stack_time.h: the time of nested frames, charged to the functions of the program itself: of
 * sampled stacks, and of traces of Python calls.
 *
 * Each moment has a whole stack, so it is charged exactly: to the innermost frame of own code, as
 * time of the kind that the frames below it tell. Comprehensions and lambdas are part of the
 * function of their file that they are called in. Below an import of a library it is start-up.
 */
#ifndef PS_QUERY_STACK_TIME_H
#define PS_QUERY_STACK_TIME_H

#include "server/query/conclusion/own_time.h"
#include "server/query/functions/stack_waits.h"

struct ps_stack_time {
    struct ps_db *db;
    const struct ps_stack_frames *frames;
    struct ps_stack_waits *waits;
    const struct ps_track_set *tracks; /* whose stacks count */
    /* Of a difference of profiles: tracks whose weights are subtracted, and the sign of the sum of
     * all, so that most of what is charged is above 0. */
    const struct ps_track_set *negated;
    int sign;
    const bool *is_left_out; /* by track id, below n_tracks: its stacks do not count */
    size_t n_tracks;
    uint32_t no_frame; /* text id of the frame of samples without frames; 0: there is none */
    double scale;      /* divisor of weights */
    bool has_calls;    /* slices are calls, not stretches of equal samples */
    /* Waits for other threads, and of event loops, do not count: the threads are recorded too. */
    bool skips_thread_waits;
    bool has_def_lines; /* lines are those of the `def` */
    /* All weights are of `class`: a profile of contention has nothing but waits, and things that
     * are counted, such as goroutines, neither work nor wait. */
    bool has_one_class;
    bool finds_locks; /* tracks are threads, and their weights are not CPU time */
    enum ps_time_class class;
};

/* What is not charged to functions, in the unit of the run. */
struct ps_stack_time_rest {
    double origins_s[PS_N_ORIGINS]; /* all that counts, by the origin of the innermost frame */
    double no_frame_s;              /* of it, in samples without a frame */
    double skipped_s;               /* waits for threads that do not count */
};

/* Fills *out, which belongs to the handle of the run. *is_charged: own code, or the package that
 * the program is, causes enough of the time. The caller frees *out, also after a failure. */
enum ps_status ps_stack_time_read(const struct ps_stack_time *stacks, struct ps_own_time *out,
                                  struct ps_stack_time_rest *rest, bool *is_charged,
                                  struct ps_err *err);

#endif
