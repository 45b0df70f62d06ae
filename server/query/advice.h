/* SPDX-License-Identifier: MIT */
/* advice.h: what a reader can do about a finding of a trace or a note of a memory snapshot, as
 * codes. The sentences stand in one table, apart from the facts that they follow. What to call
 * instead of a library function stands in conclusion/known_calls.c. */
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
    /* of memory snapshots */
    PS_ADVICE_KEEP_SEGMENTS,
    PS_ADVICE_ONE_BUFFER,
    PS_N_ADVICE
};

/* The sentences of each, without a space before them; NULL for PS_NO_ADVICE. */
extern const char *const ps_advice_words[PS_N_ADVICE];

#endif
