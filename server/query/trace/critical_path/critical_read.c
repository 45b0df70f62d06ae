/* SPDX-License-Identifier: MIT */
/*
 * critical_read.c: reads the slices of one step of one worker. Only chunks that overlap the step
 * are decoded, so the time does not depend on the length of the trace. Python functions are left
 * out: they are not part of the graph.
 */
#include <stdlib.h>

#include "server/query/trace/critical_path/critical.h"
#include "server/query/trace/time_range.h"
#include "server/query/trace/utilisation/overview.h"
#include "slices/args.h"

#define COLUMNS                                                                                    \
    (PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_NAME) |            \
     PS_COL_BIT(PS_COL_CATEGORY) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS) |            \
     PS_COL_BIT(PS_COL_FAMILY) | PS_COL_BIT(PS_COL_LAUNCH))

struct reader {
    struct ps_cp_slices *slices;
    struct ps_track_owners owners;
};

static void reader_free(struct reader *r)
{
    ps_track_owners_free(&r->owners);
}

static bool is_wanted(int64_t kind, int64_t flags)
{
    if (flags & (PS_SLICE_INSTANT | PS_SLICE_ASYNC))
        return false;
    return kind == PS_SLICE_OP || kind == PS_SLICE_ANNOTATION || kind == PS_SLICE_RUNTIME ||
           kind == PS_SLICE_SYNC || ps_slice_on_device(kind);
}

static void add_slice(struct ps_cp_slices *s, const struct ps_chunk *chunk, uint32_t i,
                      struct ps_range range)
{
    int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);
    int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
    int64_t end = ps_end_ns(start, ps_chunk_value(chunk, PS_COL_DURATION, i));
    int64_t flags = ps_chunk_value(chunk, PS_COL_FLAGS, i);
    uint32_t name = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i);

    if (!is_wanted(kind, flags) || end < start || start > range.to_ns || end < range.from_ns)
        return;
    if (s->n == PS_CP_SLICES_MAX) {
        s->is_too_large = true;
        return;
    }
    PS_RESERVE_ONE(s->items, s->n, s->cap);
    s->items[s->n++] =
        (struct ps_cp_slice){.id = ps_slice_id(chunk->track, chunk->first + i),
                             .start = start,
                             .end = end,
                             .launch = ps_chunk_value(chunk, PS_COL_LAUNCH, i),
                             /* arrays are as long as the greatest name: none of a damaged file */
                             .name = ps_trace_text(s->db, name).ptr ? name : 0,
                             .category = (uint32_t)ps_chunk_value(chunk, PS_COL_CATEGORY, i),
                             .call = PS_CP_NONE,
                             .kind = (uint8_t)kind,
                             .family = (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i),
                             .part = PS_CP_OTHER,
                             .flags = (uint16_t)flags,
                             .correlation = -1,
                             .record = -1,
                             .stream = -1,
                             .node = PS_CP_NONE,
                             .end_node = PS_CP_NONE};
    s->has_device_work = s->has_device_work || ps_slice_on_device(kind);
    s->has_launches = s->has_launches || (ps_slice_on_device(kind) && s->items[s->n - 1].launch);
    s->has_sync = s->has_sync || kind == PS_SLICE_SYNC;
}

static bool add_chunk(void *user, const struct ps_chunk *chunk)
{
    struct reader *r = user;
    struct ps_cp_slices *s = r->slices;
    bool is_thread = chunk->track_kind == PS_TRACK_THREAD;
    struct ps_cp_track *track;

    if (ps_track_owner_of(&r->owners, chunk->track).worker != s->worker)
        return true;
    if (s->n_tracks == 0 || s->tracks[s->n_tracks - 1].id != chunk->track) {
        if (s->n_tracks == PS_CP_TRACKS_MAX) {
            s->is_too_large = true;
            return false;
        }
        PS_RESERVE_ONE(s->tracks, s->n_tracks, s->tracks_cap);
        s->tracks[s->n_tracks++] = (struct ps_cp_track){.id = chunk->track,
                                                        .is_thread = is_thread,
                                                        .device = -1,
                                                        .stream = -1,
                                                        .first = s->n,
                                                        .end = s->n};
    }
    for (uint32_t i = 0; i < chunk->n && !s->is_too_large; i++)
        add_slice(s, chunk, i, is_thread ? s->host : s->whole);
    track = &s->tracks[s->n_tracks - 1];
    track->end = s->n;
    return !s->is_too_large;
}

uint32_t ps_cp_find_track(const struct ps_cp_slices *slices, int64_t id)
{
    size_t low = 0, high = slices->n_tracks; /* by id, since chunks are read in this order */

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (slices->tracks[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < slices->n_tracks && slices->tracks[low].id == id ? (uint32_t)low : PS_CP_NONE;
}

uint32_t ps_cp_find(const struct ps_cp_slices *slices, int64_t id)
{
    uint32_t track = ps_cp_find_track(slices, ps_track_of_slice(id));
    size_t low, high, end;

    if (track == PS_CP_NONE)
        return PS_CP_NONE;
    low = slices->tracks[track].first;
    high = end = slices->tracks[track].end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (slices->items[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && slices->items[low].id == id ? (uint32_t)low : PS_CP_NONE;
}

bool ps_cp_is_named(const struct ps_cp_slices *slices, const struct ps_cp_slice *slice,
                    const char *name)
{
    return ps_str_eq_c(ps_trace_text(slices->db, slice->name), name);
}

struct by_start {
    int64_t start;
    uint32_t slice;
};

static void set_calls(struct ps_cp_slices *s)
{
    struct by_start *list = ps_alloc_array(s->n + 1, sizeof *list);
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        struct ps_cp_slice *slice = &s->items[i];

        if (!slice->launch)
            continue;
        slice->call = ps_cp_find(s, slice->launch);
        if (slice->call != PS_CP_NONE && ps_cp_is_work(slice))
            list[n++] = (struct by_start){s->items[slice->call].start, (uint32_t)i};
    }
    ps_sort_records(list, n, sizeof *list);
    s->by_launch = ps_alloc_array(n + 1, sizeof *s->by_launch);
    s->n_by_launch = n;
    for (size_t i = 0; i < n; i++)
        s->by_launch[i] = list[i].slice;
    s->by_stream = ps_alloc_array(n + 1, sizeof *s->by_stream);
    n = 0;
    for (size_t t = 0; t < s->n_tracks; t++) {
        struct ps_cp_track *track = &s->tracks[t];

        track->first_launched = n;
        for (size_t i = track->first; i < track->end; i++)
            if (ps_cp_is_work(&s->items[i]) && s->items[i].call != PS_CP_NONE)
                list[n++] = (struct by_start){s->items[s->items[i].call].start, (uint32_t)i};
        track->end_launched = n;
        ps_sort_records(list + track->first_launched, n - track->first_launched, sizeof *list);
    }
    for (size_t i = 0; i < n; i++)
        s->by_stream[i] = list[i].slice;
    free(list);
}

/* Reads the arguments of waits and of cudaEventRecord calls. */
static int64_t number_of(struct ps_str template, struct ps_str args, const char *key)
{
    struct ps_num value =
        ps_args_param(template, args, ps_template_param(template, ps_str_from_c(key)));

    return value.kind == PS_NUM_INT && value.i >= 0 ? value.i : -1;
}

static bool add_numbers(void *user, const struct ps_chunk *chunk)
{
    struct ps_cp_slices *s = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t template = ps_chunk_value(chunk, PS_COL_TEMPLATE, i);
        int64_t offset = ps_chunk_value(chunk, PS_COL_ARGS_AT, i);
        int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);
        struct ps_str text, args;
        struct ps_cp_slice *slice;
        uint32_t found;

        if ((kind != PS_SLICE_SYNC && kind != PS_SLICE_RUNTIME) || template <= PS_TEMPLATE_WHOLE ||
            offset < 0 || (uint64_t)offset > chunk->args.len)
            continue;
        found = ps_cp_find(s, ps_slice_id(chunk->track, chunk->first + i));
        if (found == PS_CP_NONE)
            continue;
        slice = &s->items[found];
        if (kind == PS_SLICE_RUNTIME && !ps_cp_is_named(s, slice, "cudaEventRecord") &&
            !ps_cp_is_named(s, slice, "cudaEventRecordWithFlags"))
            continue;
        text = ps_trace_args_template(s->db, template);
        args = ps_str_skip(chunk->args, (size_t)offset);
        slice->correlation = number_of(text, args, "correlation");
        slice->record = number_of(text, args, "wait_on_cuda_event_record_corr_id");
        slice->stream = number_of(text, args, "wait_on_stream");
    }
    return true;
}

static enum ps_status read_streams(struct ps_cp_slices *s, struct ps_err *err)
{
    const struct ps_track_row *rows;
    size_t n;

    if (ps_trace_get_tracks(s->db, &rows, &n, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < n; i++) {
        uint32_t found = ps_cp_find_track(s, rows[i].id);

        if (found == PS_CP_NONE)
            continue;
        s->tracks[found].device = rows[i].device;
        s->tracks[found].stream = rows[i].stream;
    }
    return err->code;
}

enum ps_status ps_cp_read(struct ps_cp_slices *slices, struct ps_err *err)
{
    PS_AUTO(reader_free) struct reader r = {.slices = slices};
    struct ps_chunk_query query = {.track_kinds = 1u << PS_TRACK_THREAD | 1u << PS_TRACK_STREAM |
                                                  1u << PS_TRACK_SYNC,
                                   .columns = COLUMNS};

    query.range.from_ns =
        slices->host.from_ns < slices->whole.from_ns ? slices->host.from_ns : slices->whole.from_ns;
    query.range.to_ns = ps_end_ns(
        slices->host.to_ns > slices->whole.to_ns ? slices->host.to_ns : slices->whole.to_ns, 1);
    if (ps_track_owners_read(slices->db, &r.owners, err) != PS_OK ||
        ps_trace_each_chunk(slices->db, &query, add_chunk, &r, err) != PS_OK ||
        read_streams(slices, err) != PS_OK)
        return err->code;
    set_calls(slices);
    query.columns =
        PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_TEMPLATE) | PS_COL_BIT(PS_COL_ARGS_AT);
    query.wants_args = true;
    return slices->has_sync && !slices->is_too_large
               ? ps_trace_each_chunk(slices->db, &query, add_numbers, slices, err)
               : err->code;
}

void ps_cp_slices_free(struct ps_cp_slices *slices)
{
    free(slices->items);
    free(slices->tracks);
    free(slices->by_launch);
    free(slices->by_stream);
}
