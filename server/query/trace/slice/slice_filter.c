/* SPDX-License-Identifier: MIT */
#include "server/query/trace/slice/slice_filter.h"
#include "server/query/trace/parameters.h"

enum ps_status ps_slice_filter_read(struct ps_db *db, struct ps_params params,
                                    struct ps_slice_filter *out, struct ps_err *err)
{
    int64_t track = 0;

    *out = (struct ps_slice_filter){.only_steps = ps_param_get(params, "in_steps") != NULL};
    ps_param_range(params, &out->range, err);
    ps_param_tracks(db, params, &out->set, err);
    ps_param_int(params, "track", 1, UINT32_MAX, 0, &track, err);
    out->track = (uint32_t)track;
    if (out->only_steps)
        ps_trace_step_times(db, &out->steps, err);
    return err->code;
}

void ps_slice_filter_free(struct ps_slice_filter *filter)
{
    ps_step_times_free(&filter->steps);
    ps_track_set_free(&filter->set);
}

bool ps_slice_filter_has(const struct ps_slice_filter *filter, const struct ps_chunk *chunk,
                         uint32_t i)
{
    int64_t start = ps_chunk_value(chunk, PS_COL_START, i);

    return start >= filter->range.from_ns && start < filter->range.to_ns &&
           (!filter->only_steps ||
            ps_intervals_contain(ps_step_times_of_track(&filter->steps, chunk->track_kind), start));
}
