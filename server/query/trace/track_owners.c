/* SPDX-License-Identifier: MIT */
/* track_owners.c: the worker and the device of each track. */
#include <stdlib.h>

#include "server/query/trace/overview.h"

void ps_track_places_free(struct ps_track_places *places)
{
    free(places->at);
    *places = (struct ps_track_places){0};
}

static void room_for(struct ps_track_places *places, size_t track)
{
    size_t n = track * 2 + 16;

    if (track < places->n)
        return;
    places->at = ps_grow(places->at, n, sizeof *places->at);
    for (size_t i = places->n; i < n; i++)
        places->at[i] = (struct ps_track_place){.device = -1};
    places->n = n;
}

enum ps_status ps_track_places_read(struct ps_db *db, struct ps_track_places *places,
                                    struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    enum ps_status status = ps_db_prepare(db, ps_sql_text("trace_track_workers"), &stmt, err);

    if (status != PS_OK)
        return status;
    while (ps_stmt_row(stmt, err)) {
        int64_t track = ps_col_int(stmt, 0), worker = ps_col_int(stmt, 1);

        if (track < 0 || track > PS_TRACKS_MAX || worker < 0 || worker >= PS_WORKERS_MAX)
            continue;
        room_for(places, (size_t)track);
        places->at[track] =
            (struct ps_track_place){.worker = (uint32_t)worker, .device = ps_col_int(stmt, 2)};
        places->streams = places->streams || ps_col_int(stmt, 3);
        if (worker >= places->n_workers)
            places->n_workers = (uint32_t)worker + 1;
    }
    return err->code;
}

struct ps_track_place ps_track_place(const struct ps_track_places *places, uint32_t track)
{
    return track < places->n ? places->at[track] : (struct ps_track_place){.device = -1};
}
