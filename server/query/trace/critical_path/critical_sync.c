/* SPDX-License-Identifier: MIT */
/*
 * critical_sync.c: what waits for what, from slices of the category cuda_sync. Kineto writes them
 * with enable_cuda_sync_events. An event stands for the work that was launched last on its stream
 * before the call of cudaEventRecord.
 */
#include <stdlib.h>

#include "server/query/trace/critical_path/critical.h"

#define LAUNCHES_MAX 4096 /* of other threads on the same stream that are passed over */

struct record {
    int64_t correlation;
    uint32_t slice;
};

struct by_end {
    int64_t end;
    struct ps_cp_sync sync;
};

/* How much work of a stream was launched by calls that start before ns, as an index in by_stream.
 */
static size_t count_launched(const struct ps_cp_slices *slices, const struct ps_cp_track *track,
                             int64_t ns)
{
    size_t low = track->first_launched, high = track->end_launched;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (slices->items[slices->items[slices->by_stream[middle]].call].start < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The work of a stream that was launched last before ns; PS_CP_NONE. */
static uint32_t launched_before(const struct ps_cp_slices *slices, uint32_t track, int64_t ns)
{
    const struct ps_cp_track *stream = &slices->tracks[track];
    size_t n = count_launched(slices, stream, ns);

    return n > stream->first_launched ? slices->by_stream[n - 1] : PS_CP_NONE;
}

/* The work that the same thread launched next on the stream of a wait. */
static uint32_t launched_after(const struct ps_cp_slices *slices, const struct ps_cp_slice *wait)
{
    const struct ps_cp_slice *call = &slices->items[wait->call];
    uint32_t track = ps_cp_find_track(slices, ps_track_of_slice(wait->id));
    const struct ps_cp_track *stream = &slices->tracks[track];
    size_t first = count_launched(slices, stream, call->start);

    for (size_t i = first; i < stream->end_launched && i < first + LAUNCHES_MAX; i++)
        if (ps_track_of_slice(slices->items[slices->by_stream[i]].launch) ==
            ps_track_of_slice(call->id))
            return slices->by_stream[i];
    return PS_CP_NONE;
}

static struct record *list_records(const struct ps_cp_slices *slices, size_t *n)
{
    struct record *records = NULL;
    size_t cap = 0;

    *n = 0;
    for (size_t i = 0; i < slices->n; i++) {
        if (slices->items[i].kind != PS_SLICE_RUNTIME || slices->items[i].correlation < 0)
            continue;
        PS_RESERVE_ONE(records, *n, cap);
        records[(*n)++] = (struct record){slices->items[i].correlation, (uint32_t)i};
    }
    ps_sort_records(records, *n, sizeof *records);
    return records;
}

static uint32_t find_record(const struct record *records, size_t n, int64_t correlation)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (records[middle].correlation < correlation)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && records[low].correlation == correlation ? records[low].slice : PS_CP_NONE;
}

/* The track of the stream on which the event of a wait was recorded; PS_CP_NONE: unknown. */
static uint32_t awaited_track(const struct ps_cp_slices *slices, const struct ps_cp_slice *sync)
{
    int64_t device = slices->tracks[ps_cp_find_track(slices, ps_track_of_slice(sync->id))].device;

    for (uint32_t t = 0; t < slices->n_tracks; t++) {
        const struct ps_cp_track *track = &slices->tracks[t];

        if (!track->is_thread && track->stream >= 0 && track->stream == sync->stream &&
            (device < 0 || track->device == device))
            return t;
    }
    return PS_CP_NONE;
}

static bool sync_of(const struct ps_cp_slices *slices, uint32_t i, const struct record *records,
                    size_t n_records, struct ps_cp_sync *out)
{
    const struct ps_cp_slice *slice = &slices->items[i];
    uint32_t record, track;

    *out = (struct ps_cp_sync){.slice = i, .from = PS_CP_NONE, .to = PS_CP_NONE};
    if (ps_cp_is_named(slices, slice, "Stream Wait Event"))
        out->kind = PS_CP_STREAM_WAIT;
    else if (ps_cp_is_named(slices, slice, "Event Sync"))
        out->kind = PS_CP_EVENT_SYNC;
    else if (ps_cp_is_named(slices, slice, "Stream Sync"))
        out->kind = PS_CP_STREAM_SYNC;
    else if (ps_cp_is_named(slices, slice, "Context Sync"))
        out->kind = PS_CP_CONTEXT_SYNC;
    else
        return false;
    if (out->kind >= PS_CP_STREAM_SYNC)
        return slice->call != PS_CP_NONE;
    record = slice->record >= 0 ? find_record(records, n_records, slice->record) : PS_CP_NONE;
    track = awaited_track(slices, slice);
    if (record != PS_CP_NONE && track != PS_CP_NONE)
        out->from = launched_before(slices, track, slices->items[record].start);
    if (out->kind == PS_CP_STREAM_WAIT && slice->call != PS_CP_NONE)
        out->to = launched_after(slices, slice);
    return slice->call != PS_CP_NONE;
}

size_t ps_cp_syncs(const struct ps_cp_slices *slices, struct ps_cp_sync **out)
{
    size_t n = 0, cap = 0, n_records;
    struct record *records = list_records(slices, &n_records);
    struct by_end *list = NULL;

    for (size_t i = 0; i < slices->n; i++) {
        struct ps_cp_sync sync;

        if (slices->items[i].kind != PS_SLICE_SYNC ||
            !sync_of(slices, (uint32_t)i, records, n_records, &sync))
            continue;
        PS_RESERVE_ONE(list, n, cap);
        list[n++] = (struct by_end){slices->items[i].end, sync};
    }
    ps_sort_records(list, n, sizeof *list);
    *out = ps_alloc_array(n + 1, sizeof **out);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = list[i].sync;
    free(list);
    free(records);
    return n;
}
