/* SPDX-License-Identifier: MIT */
/* sweep.c: finds the slice that is open at a time, for times in ascending order: each row is opened
 * and closed once, however deep they are nested. */
#include "importers/trace/import.h"

static int64_t end_of(const struct tr_track *track, uint32_t row)
{
    return track->start[row] + track->duration[row];
}

static void close_until(struct tr_sweep *sweep, int64_t time)
{
    while (sweep->n && end_of(sweep->track, sweep->open[sweep->n - 1]) <= time)
        sweep->n--;
}

uint32_t tr_sweep(struct tr_sweep *sweep, int64_t time)
{
    const struct tr_track *track = sweep->track;

    for (; sweep->next < track->n && track->start[sweep->next] <= time; sweep->next++) {
        uint32_t row = sweep->next;

        tr_room_row(track->room, row);
        if (track->duration[row] == 0 || (sweep->takes && !sweep->takes(track, row)))
            continue;
        close_until(sweep, track->start[row]);
        TR_PUSH_ROOM(track->room, sweep->open, sweep->n, sweep->cap);
        sweep->open[sweep->n++] = row;
    }
    close_until(sweep, time);
    return sweep->n ? sweep->open[sweep->n - 1] : TR_NO_ROW;
}

void tr_sweep_free(struct tr_sweep *sweep)
{
    if (sweep->open)
        tr_room_free(sweep->track->room, sweep->open);
    sweep->open = NULL;
}
