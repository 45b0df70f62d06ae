/* SPDX-License-Identifier: MIT */
/* track_owners.c: reads the worker and the device of each track. */
#include <stdlib.h>

#include "server/query/trace/utilisation/overview.h"

void ps_track_owners_free(struct ps_track_owners *owners)
{
    free(owners->items);
    *owners = (struct ps_track_owners){0};
}

static void reserve_track(struct ps_track_owners *owners, size_t track)
{
    size_t n = track * 2 + 16;

    if (track < owners->n)
        return;
    owners->items = ps_grow(owners->items, n, sizeof *owners->items);
    for (size_t i = owners->n; i < n; i++)
        owners->items[i] = (struct ps_track_owner){.device = -1};
    owners->n = n;
}

enum ps_status ps_track_owners_read(struct ps_db *db, struct ps_track_owners *owners,
                                    struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("trace_track_workers"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t track = ps_col_int(stmt, 0), worker = ps_col_int(stmt, 1);

        if (track < 0 || track > PS_TRACKS_MAX || worker < 0 || worker >= PS_WORKERS_MAX)
            continue;
        reserve_track(owners, (size_t)track);
        owners->items[track] =
            (struct ps_track_owner){.worker = (uint32_t)worker, .device = ps_col_int(stmt, 2)};
        owners->has_streams = owners->has_streams || ps_col_int(stmt, 3);
        if (worker >= owners->n_workers)
            owners->n_workers = (uint32_t)worker + 1;
    }
    return err->code;
}

struct ps_track_owner ps_track_owner_of(const struct ps_track_owners *owners, uint32_t track)
{
    return track < owners->n ? owners->items[track] : (struct ps_track_owner){.device = -1};
}
