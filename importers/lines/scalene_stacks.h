/* SPDX-License-Identifier: MIT */
/*
 * scalene_stacks.h: reads "memory_stacks" of Scalene's JSON file: how much memory was allocated, by
 * Python stack.
 *
 *     [[[frame, ...], MiB], ...]    frames from the outermost to the innermost
 *
 * What the numbers are, from the source of Scalene 2.4: each time that the memory of the process
 * has grown by the sampling window (--allocation-sampling-window, 1 MiB) since the last sample, all
 * of this growth is given to the stack of the allocation that exceeded the window. So memory that
 * was freed again within a window is absent, and memory that was freed later is not subtracted. The
 * stack has only frames of files that Scalene profiles. The last frame is the line that allocates;
 * samples at a line without an instruction that can allocate are left out.
 */
#ifndef PS_IMPORTERS_LINES_SCALENE_STACKS_H
#define PS_IMPORTERS_LINES_SCALENE_STACKS_H

#include <cjson/cJSON.h>

#include "base/err.h"
#include "importers/sink.h"

struct ps_scalene_stacks {
    uint64_t n_read, n_rejected;
    int64_t bytes; /* sum of the stacks that were stored */
};

/* Writes the stacks to the sink, as one track. `list`: the value of "memory_stacks", or NULL.
 * PS_LIMIT: the sum exceeds what can be stored. */
enum ps_status ps_scalene_write_stacks(struct ps_sink *out, const cJSON *list,
                                       struct ps_scalene_stacks *result, struct ps_err *err);

#endif
