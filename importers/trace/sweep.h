/* SPDX-License-Identifier: MIT */
/* sweep.h: the slice of a track that is open at a time. */
#ifndef PS_TRACE_SWEEP_H
#define PS_TRACE_SWEEP_H

#include "importers/trace/track.h"

/* Returns the innermost slice that is open at `time` (start <= time < end), TR_NO_ROW if
 * there is none. Times must not decrease from call to call. */
struct tr_sweep {
    const struct tr_track *track;
    /* whether a row is considered; NULL: all rows */
    bool (*accepts)(const struct tr_track *track, uint32_t row);
    uint32_t *open_rows;
    size_t n, cap;
    uint32_t next_row; /* first row that starts after the time of the last call */
};
uint32_t tr_sweep_advance(struct tr_sweep *sweep, int64_t time);
void tr_sweep_free(struct tr_sweep *sweep);

#endif
