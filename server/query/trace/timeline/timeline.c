/* SPDX-License-Identifier: MIT */
/* timeline.c: the view timeline: the data that does not depend on the window: tracks, counters,
 * devices, steps, and the overview of the complete trace. */
#include <stdlib.h>

#include "server/query/trace/packed_rows.h"
#include "server/query/trace/recording.h"
#include "server/query/trace/timeline/busy_pixels.h"
#include "server/query/trace/timeline/layers.h"
#include "server/query/trace/trace_json.h"
#include "server/query/trace/trace_views.h"

#define OVERVIEW_TRACKS 8
/* number of tracks with the most slices whose busy time is measured; OVERVIEW_TRACKS are shown */
#define OVERVIEW_CANDIDATES 24
#define PX_MAX              8192

static enum ps_status write_origin(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("trace_origin"), &stmt, err);
    ps_json_key(json, "origin_us");
    ps_json_str(json, ps_stmt_step(stmt, err) ? ps_col_text(stmt, 0) : (struct ps_str){NULL, 0});
    return err->code;
}

enum ps_status ps_json_track_names(struct ps_stmt *names, int64_t track, struct ps_json *json,
                                   struct ps_err *err)
{
    ps_bind_int(names, ":id", track);
    if (ps_stmt_step(names, err)) {
        ps_json_key(json, "name");
        ps_col_write_json(names, 0, json);
        ps_json_key(json, "tid");
        ps_col_write_json(names, 1, json);
    }
    ps_stmt_rewind(names);
    return err->code;
}

static enum ps_status write_track(struct ps_db *db, struct ps_stmt *names,
                                  const struct ps_track_row *track, struct ps_json *json,
                                  struct ps_err *err)
{
    ps_json_object(json);
    ps_json_key_int(json, "id", track->id);
    ps_json_key_int(json, "process", track->process_id);
    ps_json_key_int(json, "kind", track->kind);
    ps_json_track_names(names, track->id, json, err);
    ps_json_key_int(json, "device", track->device);
    ps_json_key_int(json, "stream", track->stream);
    ps_json_key_int(json, "slices", track->n_slices);
    ps_json_key_int(json, "depth", track->depth);
    ps_json_key_int(json, "start_ns", track->start_ns);
    ps_json_key_int(json, "end_ns", track->end_ns);
    ps_json_layers(db, track->id, json, err);
    ps_json_end(json);
    return err->code;
}

static enum ps_status write_tracks(struct ps_db *db, const struct ps_track_row *tracks, size_t n,
                                   struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *names = NULL;

    ps_db_prepare(db, ps_query_sql("track_names"), &names, err);
    ps_json_key(json, "tracks");
    ps_json_array(json);
    for (size_t i = 0; i < n && err->code == PS_OK; i++)
        write_track(db, names, &tracks[i], json, err);
    ps_json_end(json);
    return err->code;
}

/* The memory peaks of a device in bytes. allocated, reserved: -1: not recorded. running: sum of
 * allocations minus frees so far; running_peak: its maximum. */
struct peak {
    int64_t type, device, worker, allocated, reserved, running, running_peak;
};

struct peaks {
    struct peak *items;
    size_t n, cap;
};

static struct peak *peak_of(struct peaks *peaks, const struct ps_packed *part, size_t i)
{
    int64_t type = part->column[PS_MEMORY_TYPE][i], device = part->column[PS_MEMORY_DEVICE][i],
            worker = part->column[PS_MEMORY_WORKER][i];

    for (size_t k = 0; k < peaks->n; k++) {
        struct peak *peak = &peaks->items[k];

        if (peak->type == type && peak->device == device && peak->worker == worker)
            return peak;
    }
    PS_RESERVE_ONE(peaks->items, peaks->n, peaks->cap);
    peaks->items[peaks->n] = (struct peak){type, device, worker, -1, -1, 0, 0};
    return &peaks->items[peaks->n++];
}

static bool add_peaks(void *user, const struct ps_packed *part)
{
    struct peaks *peaks = user;

    for (size_t i = 0; i < part->n; i++) {
        struct peak *peak = peak_of(peaks, part, i);
        int64_t allocated = part->column[PS_MEMORY_ALLOCATED][i],
                reserved = part->column[PS_MEMORY_RESERVED][i];

        peak->allocated = allocated > peak->allocated ? allocated : peak->allocated;
        peak->reserved = reserved > peak->reserved ? reserved : peak->reserved;
        if (__builtin_add_overflow(peak->running, part->column[PS_MEMORY_BYTES][i], &peak->running))
            peak->running = 0;
        peak->running_peak =
            peak->running > peak->running_peak ? peak->running : peak->running_peak;
    }
    return true;
}

/* Writes the key "label", such as "CUDA 0". The device types are those of c10/core/DeviceType.h. */
static void write_label(const struct peak *peak, struct ps_json *json)
{
    static const char *const names[] = {[0] = "CPU",  [1] = "CUDA", [6] = "HIP",  [9] = "XLA",
                                        [12] = "XPU", [13] = "MPS", [15] = "HPU", [19] = "MTIA"};
    bool known =
        peak->type >= 0 && (size_t)peak->type < sizeof names / sizeof *names && names[peak->type];
    PS_AUTO(ps_buf_free) struct ps_buf label = {0};

    ps_buf_puts(&label, known ? names[peak->type] : "device");
    if (!known)
        ps_buf_printf(&label, " type %lld", (long long)peak->type);
    if (peak->device >= 0)
        ps_buf_printf(&label, " %lld", (long long)peak->device);
    ps_json_key(json, "label");
    ps_json_str(json, ps_buf_slice(&label));
}

static void write_peak(const struct peak *peak, struct ps_json *json)
{
    ps_json_object(json);
    ps_json_key_int(json, "device_type", peak->type);
    ps_json_key_int(json, "device", peak->device);
    ps_json_key_int(json, "worker", peak->worker);
    write_label(peak, json);
    ps_json_key_int(json, "peak_bytes",
                    peak->allocated >= 0 ? peak->allocated : peak->running_peak);
    ps_json_key(json, "reserved_peak_bytes");
    ps_json_num(json, peak->reserved >= 0 ? ps_int(peak->reserved) : (struct ps_num){0});
    ps_json_end(json);
}

static enum ps_status write_memory(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    static const struct ps_packed_query query = {
        PS_PACKED_MEMORY,
        0,
        {INT64_MIN, INT64_MAX},
        1u << PS_MEMORY_TYPE | 1u << PS_MEMORY_DEVICE | 1u << PS_MEMORY_BYTES |
            1u << PS_MEMORY_ALLOCATED | 1u << PS_MEMORY_RESERVED | 1u << PS_MEMORY_WORKER};
    struct peaks peaks = {0};
    PS_AUTO(ps_free_ptr) struct peak *release = NULL;

    ps_packed_each(db, &query, add_peaks, &peaks, err);
    release = peaks.items;
    ps_json_key(json, "memory");
    ps_json_array(json);
    for (size_t i = 0; i < peaks.n; i++)
        write_peak(&peaks.items[i], json);
    ps_json_end(json);
    return err->code;
}

/* A track that may be shown in the overview: its index, the number of its slices, the sum of its
 * busy shares, and the busy share of each pixel (0..255). */
struct candidate {
    size_t track_index;
    int64_t slices, busy;
    int64_t *share;
};

static int by_slices(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->slices != y->slices
               ? (x->slices < y->slices) - (x->slices > y->slices)
               : (x->track_index > y->track_index) - (x->track_index < y->track_index);
}

static int by_busy(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->busy != y->busy
               ? (x->busy < y->busy) - (x->busy > y->busy)
               : (x->track_index > y->track_index) - (x->track_index < y->track_index);
}

static int by_track_index(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return (x->track_index > y->track_index) - (x->track_index < y->track_index);
}

static enum ps_status measure_track(struct ps_db *db, const struct ps_track_row *track,
                                    struct ps_range span, uint32_t px, struct ps_window *window,
                                    struct candidate *out, struct ps_err *err)
{
    if (ps_trace_read_window(db, track->id, span.from_ns, span.to_ns, px, window, err) != PS_OK)
        return err->code;
    out->share = ps_grow(NULL, px, sizeof *out->share);
    ps_window_busy_shares(window, out->share);
    for (uint32_t x = 0; x < px; x++)
        out->busy += out->share[x];
    return PS_OK;
}

static size_t select_tracks(enum ps_track_kind kind, const struct ps_track_row *tracks, size_t n,
                            struct candidate *out)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        if (tracks[i].kind <= kind && tracks[i].n_slices > 0)
            out[found++] = (struct candidate){i, tracks[i].n_slices, 0, NULL};
    return found;
}

/* Stores the OVERVIEW_CANDIDATES threads and streams with the most slices, the most first, and
 * returns their number. If there are none, stores other tracks. */
static size_t select_candidates(const struct ps_track_row *tracks, size_t n, struct candidate *out)
{
    size_t found = select_tracks(PS_TRACK_STREAM, tracks, n, out);

    if (!found)
        found = select_tracks(PS_TRACK_ASYNC, tracks, n, out);
    if (found)
        qsort(out, found, sizeof *out, by_slices);
    return found < OVERVIEW_CANDIDATES ? found : OVERVIEW_CANDIDATES;
}

static enum ps_status write_overview(struct ps_db *db, const struct ps_track_row *tracks, size_t n,
                                     struct ps_range span, uint32_t px, struct ps_json *json,
                                     struct ps_err *err)
{
    PS_AUTO(ps_window_free) struct ps_window window = {0};
    PS_AUTO(ps_free_ptr) struct candidate *list = ps_grow(NULL, n + 1, sizeof *list);
    size_t n_candidates = select_candidates(tracks, n, list), n_shown;

    for (size_t i = 0; i < n_candidates && err->code == PS_OK; i++)
        measure_track(db, &tracks[list[i].track_index], span, px, &window, &list[i], err);
    n_shown = n_candidates < OVERVIEW_TRACKS ? n_candidates : OVERVIEW_TRACKS;
    if (err->code == PS_OK && n_candidates) {
        qsort(list, n_candidates, sizeof *list, by_busy);
        qsort(list, n_shown, sizeof *list, by_track_index);
    }
    ps_json_key(json, "overview");
    ps_json_object(json);
    ps_json_key_int(json, "px", px);
    ps_json_key(json, "tracks");
    ps_json_array(json);
    for (size_t i = 0; i < n_shown && err->code == PS_OK; i++) {
        ps_json_object(json);
        ps_json_key_int(json, "id", tracks[list[i].track_index].id);
        ps_json_ints(json, "busy", list[i].share, px);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_end(json);
    for (size_t i = 0; i < n_candidates; i++)
        free(list[i].share);
    return err->code;
}

static enum ps_status write_lists(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    ps_query_write_rows(db, "counters", "trace_series", ps_row_write_object, json, err);
    write_memory(db, json, err);
    return ps_query_write_rows(db, "steps", "trace_steps", ps_row_write_object, json, err);
}

enum ps_status ps_view_timeline(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    const struct ps_track_row *tracks = NULL;
    struct ps_range span;
    size_t n = 0;
    int64_t px;

    (void)view, (void)id;
    ps_param_int(params, "px", 1, PX_MAX, 1600, &px, err);
    ps_trace_span(db, &span, err);
    ps_trace_get_tracks(db, &tracks, &n, err);
    ps_json_object(&json);
    ps_json_key_int(&json, "start_ns", span.from_ns);
    ps_json_key_int(&json, "end_ns", span.to_ns);
    write_origin(db, &json, err);
    ps_query_write_rows(db, "processes", "trace_processes", ps_row_write_object, &json, err);
    write_tracks(db, tracks, n, &json, err);
    write_lists(db, &json, err);
    span.to_ns += span.to_ns == span.from_ns;
    write_overview(db, tracks, n, span, (uint32_t)px, &json, err);
    ps_json_end(&json);
    return err->code;
}
