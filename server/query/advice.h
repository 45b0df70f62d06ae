/* SPDX-License-Identifier: MIT */
/* advice.h: what a reader can do about a cause or a finding, as codes. The sentences stand in one
 * table, apart from the facts that they follow. What to call instead of a library function stands
 * in conclusion/known_calls.c. */
#ifndef PS_QUERY_ADVICE_H
#define PS_QUERY_ADVICE_H

enum ps_advice {
    PS_NO_ADVICE,
    /* of traces */
    PS_ADVICE_LOAD_AHEAD,
    PS_ADVICE_FEWER_LAUNCHES,
    PS_ADVICE_PINNED_COPIES,
    PS_ADVICE_FUSE_KERNELS,
    PS_ADVICE_LARGER_BATCHES,
    PS_ADVICE_COMMUNICATE_LESS,
    PS_ADVICE_MIXED_PRECISION,
    PS_ADVICE_KEEP_BATCH,
    PS_ADVICE_DISTRIBUTED,
    PS_ADVICE_NCCL,
    PS_ADVICE_DEVICE_BACKEND,
    PS_ADVICE_FUSE_OPTIMIZER,
    PS_ADVICE_ONCE_BEFORE_LOOP,
    PS_ADVICE_ASYNC_COPIES,
    PS_ADVICE_HELP_LATE_RANK,
    PS_ADVICE_RECORD_OTHER_RANKS,
    PS_ADVICE_SMALLER_COMMUNICATION,
    PS_ADVICE_RECORD_LAUNCHES,
    PS_ADVICE_FREED_AT_END,
    PS_ADVICE_FIRST_LAUNCH,
    PS_ADVICE_NO_BLOCKING_CALL,
    PS_ADVICE_LAUNCH_LESS_TORCH,
    PS_ADVICE_LAUNCH_LESS,
    PS_ADVICE_RECORD_REPLAYS,
    PS_ADVICE_RECORD_COMPILED,
    PS_ADVICE_EQUAL_SHAPES,
    PS_ADVICE_RECORD_QUEUED,
    PS_ADVICE_WARM_UP,
    PS_ADVICE_WHOLE_TENSOR,
    PS_ADVICE_CONCATENATE_ONCE,
    /* of memory snapshots */
    PS_ADVICE_KEEP_SEGMENTS,
    PS_ADVICE_ONE_BUFFER,
    PS_ADVICE_RECORD_HISTORY,
    PS_ADVICE_ORDER_LIFETIMES,
    PS_ADVICE_EXPANDABLE_SEGMENTS,
    /* of functions and imports */
    PS_ADVICE_LAZY_IN_MODULES,
    PS_ADVICE_LAZY_IMPORT,
    PS_ADVICE_WORK_LATER,
    PS_ADVICE_JOIN_CALLS,
    PS_N_ADVICE
};

/* The sentences of each, without a space before them; NULL for PS_NO_ADVICE. */
extern const char *const ps_advice_words[PS_N_ADVICE];

#endif
