/* SPDX-License-Identifier: MIT */
/*
 * sweep.c: finds the slice that is open at a time.
 *
 * The times must be in ascending order, so that each row is opened and closed only once,
 * independent of the nesting depth.
 */
#include "importers/trace/sweep.h"

static void close_ended(struct tr_sweep *sweep, int64_t time)
{
    while (sweep->n && tr_slice_end_ns(sweep->track, sweep->open_rows[sweep->n - 1]) <= time)
        sweep->n--;
}

uint32_t tr_sweep_advance(struct tr_sweep *sweep, int64_t time)
{
    const struct tr_track *track = sweep->track;

    for (; sweep->next_row < track->n && track->start[sweep->next_row] <= time; sweep->next_row++) {
        uint32_t row = sweep->next_row;

        tr_scratch_count_row(track->scratch, row);
        if (track->duration[row] == 0 || (sweep->accepts && !sweep->accepts(track, row)))
            continue;
        close_ended(sweep, track->start[row]);
        TR_SCRATCH_PUSH(track->scratch, sweep->open_rows, sweep->n, sweep->cap);
        sweep->open_rows[sweep->n++] = row;
    }
    close_ended(sweep, time);
    return sweep->n ? sweep->open_rows[sweep->n - 1] : TR_NO_ROW;
}

void tr_sweep_free(struct tr_sweep *sweep)
{
    if (sweep->open_rows)
        tr_scratch_free(sweep->track->scratch, sweep->open_rows);
    sweep->open_rows = NULL;
}
