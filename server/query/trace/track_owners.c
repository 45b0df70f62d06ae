/* SPDX-License-Identifier: MIT */
/* track_owners.c: reads the worker and the device of each track. */
#include <stdlib.h>

#include "server/query/trace/overview.h"

void ps_track_owners_free(struct ps_track_owners *places)
{
    free(places->items);
    *places = (struct ps_track_owners){0};
}

static void room_for(struct ps_track_owners *places, size_t track)
{
    size_t n = track * 2 + 16;

    if (track < places->n)
        return;
    places->items = ps_grow(places->items, n, sizeof *places->items);
    for (size_t i = places->n; i < n; i++)
        places->items[i] = (struct ps_track_owner){.device = -1};
    places->n = n;
}

enum ps_status ps_track_owners_read(struct ps_db *db, struct ps_track_owners *places,
                                    struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("trace_track_workers"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t track = ps_col_int(stmt, 0), worker = ps_col_int(stmt, 1);

        if (track < 0 || track > PS_TRACKS_MAX || worker < 0 || worker >= PS_WORKERS_MAX)
            continue;
        room_for(places, (size_t)track);
        places->items[track] =
            (struct ps_track_owner){.worker = (uint32_t)worker, .device = ps_col_int(stmt, 2)};
        places->has_streams = places->has_streams || ps_col_int(stmt, 3);
        if (worker >= places->n_workers)
            places->n_workers = (uint32_t)worker + 1;
    }
    return err->code;
}

struct ps_track_owner ps_track_owner_of(const struct ps_track_owners *places, uint32_t track)
{
    return track < places->n ? places->items[track] : (struct ps_track_owner){.device = -1};
}
