/* SPDX-License-Identifier: MIT */
/*
 * area.c: the view area: statistics of some tracks in a range of time.
 *
 * Slices count if they start in the range, with their whole duration. Times in use (busy,
 * communication, overlap) are unions of intervals, clipped to the range, so they never exceed it.
 */
#include <stdlib.h>

#include "base/context.h"
#include "server/query/trace/packed_rows.h"
#include "server/query/trace/parameters.h"
#include "server/query/trace/time_range.h"
#include "server/query/trace/trace_views.h"
#include "server/query/trace/utilisation/overview.h"
#include "slices/stats.h"

#define COUNTERS_MAX 256
#define TRACKS_SHOWN 200 /* tracks that are listed, the busiest first */

/* A track of the area. */
struct area_track {
    uint32_t id;
    int64_t n_slices, busy_ns;
    int64_t busy_end; /* end of the busy time so far */
};

enum { ON_HOST, ON_DEVICE, N_PLACES };

struct family_sum {
    int64_t count, total_ns, self_ns, min_ns, max_ns;
};

/* A slice of the device that starts in the range, and the runtime call that launched it. */
struct launched {
    int64_t call, start_ns;
};

struct area {
    struct ps_db *db;
    struct ps_range range;
    struct ps_track_set set;
    struct ps_track_owners owners;
    struct ps_name_kinds name_kinds;
    struct area_track *tracks; /* [track id] */
    size_t n_tracks;
    struct family_sum families[N_PLACES][PS_N_FAMILIES];
    struct ps_range_sums sums; /* only `devices`, without their kernels */
    struct launched *launched;
    size_t n_launched, cap_launched;
    size_t next_launched; /* the first that has no latency yet */
    struct ps_ints latencies;
    int64_t flows_inside, flows_in, flows_out;
};

static void area_free(struct area *area)
{
    ps_track_set_free(&area->set);
    ps_track_owners_free(&area->owners);
    ps_name_kinds_free(&area->name_kinds);
    ps_range_sums_free(&area->sums);
    ps_ints_free(&area->latencies);
    free(area->tracks);
    free(area->launched);
}

static bool in_range(const struct area *area, int64_t ns)
{
    return ns >= area->range.from_ns && ns < area->range.to_ns;
}

static void add_busy(struct area_track *track, struct ps_range range, int64_t start, int64_t end)
{
    int64_t from = start > range.from_ns ? start : range.from_ns;
    int64_t to = end < range.to_ns ? end : range.to_ns;

    from = from > track->busy_end ? from : track->busy_end;
    if (to > from) {
        track->busy_ns += to - from;
        track->busy_end = to;
    }
}

static void add_family(struct area *area, const struct ps_chunk *chunk, uint32_t i, bool on_device)
{
    int64_t family = ps_chunk_value(chunk, PS_COL_FAMILY, i);
    int64_t ns = ps_chunk_value(chunk, PS_COL_DURATION, i);
    struct family_sum *sum =
        &area->families[on_device ? ON_DEVICE : ON_HOST]
                       [family >= 0 && family < PS_N_FAMILIES ? family : PS_FAMILY_NONE];

    sum->min_ns = !sum->count || ns < sum->min_ns ? ns : sum->min_ns;
    sum->max_ns = !sum->count || ns > sum->max_ns ? ns : sum->max_ns;
    sum->count++;
    sum->total_ns = ps_add_saturated(sum->total_ns, ns);
    sum->self_ns = ps_add_saturated(sum->self_ns, ps_chunk_value(chunk, PS_COL_SELF, i));
}

static void add_launched(struct area *area, int64_t call, int64_t start)
{
    if (call <= 0)
        return;
    PS_RESERVE_ONE(area->launched, area->n_launched, area->cap_launched);
    area->launched[area->n_launched++] = (struct launched){call, start};
}

/* Adds device work to the intervals of its device. */
static void add_device_work(struct area *area, const struct ps_chunk *chunk, uint32_t i,
                            struct ps_interval span)
{
    struct ps_track_owner owner = ps_track_owner_of(&area->owners, chunk->track);
    struct ps_device_sums *device = ps_device_sums_get(&area->sums, owner);
    enum ps_name_kind name =
        ps_name_kind_get(area->db, &area->name_kinds, ps_chunk_value(chunk, PS_COL_NAME, i));
    enum ps_role role = ps_role_of(ps_chunk_value(chunk, PS_COL_KIND, i),
                                   ps_chunk_value(chunk, PS_COL_FLAGS, i), name);

    ps_intervals_add(role == PS_ROLE_KERNEL          ? &device->compute
                     : role == PS_ROLE_COMMUNICATION ? &device->communication
                                                     : &device->copies,
                     span.start, span.end);
}

static bool visit_chunk(void *user, const struct ps_chunk *chunk)
{
    struct area *area = user;
    struct area_track *track = chunk->track < area->n_tracks ? &area->tracks[chunk->track] : NULL;

    for (uint32_t i = 0; track && i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
        int64_t end = ps_end_ns(start, ps_chunk_value(chunk, PS_COL_DURATION, i));
        bool on_device = ps_slice_on_device(ps_chunk_value(chunk, PS_COL_KIND, i));

        if (start >= area->range.to_ns || (end <= area->range.from_ns && !in_range(area, start)))
            continue;
        add_busy(track, area->range, start, end);
        if (on_device)
            add_device_work(area, chunk, i, (struct ps_interval){start, end});
        if (!in_range(area, start))
            continue;
        track->n_slices++;
        add_family(area, chunk, i, on_device);
        if (on_device)
            add_launched(area, ps_chunk_value(chunk, PS_COL_LAUNCH, i), start);
    }
    return true;
}

static enum ps_status read_slices(struct area *area, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .tracks = &area->set,
        .range = area->range,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_SELF) | PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) |
                   PS_COL_BIT(PS_COL_FLAGS) | PS_COL_BIT(PS_COL_FAMILY) | PS_COL_BIT(PS_COL_LAUNCH),
    };

    return ps_trace_each_chunk(area->db, &query, visit_chunk, area, err);
}

static bool add_flows(void *user, const struct ps_packed *part)
{
    struct area *area = user;

    for (size_t i = 0; i < part->n && !ps_context_has_ended(); i++) {
        int64_t from = part->column[PS_FLOW_FROM][i], to = part->column[PS_FLOW_TO][i];
        bool starts = in_range(area, part->column[PS_FLOW_FROM_NS][i]) &&
                      ps_track_set_has(&area->set, ps_track_of_slice(from));
        bool ends = in_range(area, part->column[PS_FLOW_TO_NS][i]) &&
                    ps_track_set_has(&area->set, ps_track_of_slice(to));

        area->flows_inside += starts && ends;
        area->flows_in += ends && !starts;
        area->flows_out += starts && !ends;
    }
    return true;
}

static enum ps_status read_flows(struct area *area, struct ps_err *err)
{
    const struct ps_packed_query query = {.family = PS_PACKED_FLOWS,
                                          .range = area->range,
                                          .columns = 1u << PS_FLOW_FROM | 1u << PS_FLOW_TO |
                                                     1u << PS_FLOW_FROM_NS | 1u << PS_FLOW_TO_NS};

    return ps_packed_each(area->db, &query, add_flows, area, err);
}

/* Adds the latencies of the work that the calls of a chunk launched. Chunks come in the order of
 * slice ids, by which `launched` is sorted. */
static bool add_latencies(void *user, const struct ps_chunk *chunk)
{
    struct area *area = user;
    int64_t first = ps_slice_id(chunk->track, chunk->first);
    size_t *next = &area->next_launched;

    while (*next < area->n_launched && area->launched[*next].call < first)
        ++*next;
    for (; *next < area->n_launched; ++*next) {
        const struct launched *work = &area->launched[*next];
        int64_t latency;

        if (work->call - first >= chunk->n)
            break;
        if (!__builtin_sub_overflow(
                work->start_ns, ps_chunk_value(chunk, PS_COL_START, (uint32_t)(work->call - first)),
                &latency))
            ps_ints_add(&area->latencies, latency);
    }
    return *next < area->n_launched;
}

static enum ps_status read_latencies(struct area *area, struct ps_err *err)
{
    const struct ps_chunk_query query = {.range = PS_RANGE_ALL,
                                         .columns = PS_COL_BIT(PS_COL_START)};

    ps_sort_records(area->launched, area->n_launched, sizeof *area->launched);
    if (area->n_launched)
        ps_trace_each_chunk(area->db, &query, add_latencies, area, err);
    return err->code;
}

/* --- Counters --- */

/* A step function: a value is valid until the next point. */
struct counter {
    struct ps_range range;
    bool has_value;
    int64_t at_ns; /* time of `value`, at least the start of the range */
    double value, min, max, weighted, known_ns;
    int64_t n_points; /* in the range */
};

/* Closes the value that is valid up to `to_ns`. */
static void end_value(struct counter *c, int64_t to_ns)
{
    if (!c->has_value || to_ns <= c->range.from_ns)
        return;
    if (c->known_ns == 0 || c->value < c->min)
        c->min = c->value;
    if (c->known_ns == 0 || c->value > c->max)
        c->max = c->value;
    c->weighted += c->value * (double)(to_ns - c->at_ns);
    c->known_ns += (double)(to_ns - c->at_ns);
}

static bool add_counts(void *user, const struct ps_packed *part)
{
    struct counter *c = user;

    for (size_t i = 0; i < part->n && part->column[PS_COUNT_T][i] < c->range.to_ns; i++) {
        int64_t t = part->column[PS_COUNT_T][i];
        int64_t at = t > c->range.from_ns ? t : c->range.from_ns;

        if (!c->has_value || at > c->at_ns)
            end_value(c, at);
        c->n_points += t >= c->range.from_ns;
        c->at_ns = at;
        c->has_value = true;
        memcpy(&c->value, &part->column[PS_COUNT_VALUE][i], sizeof c->value);
    }
    return true;
}

static enum ps_status write_counter(struct ps_db *db, struct ps_range range, int64_t series,
                                    struct ps_json *json, struct ps_err *err)
{
    struct counter c = {.range = range};
    /* from the beginning: the last point before the range may be far before it */
    const struct ps_packed_query query = {PS_PACKED_COUNTS,
                                          series,
                                          {INT64_MIN, range.to_ns},
                                          1u << PS_COUNT_T | 1u << PS_COUNT_VALUE};

    ps_packed_each(db, &query, add_counts, &c, err);
    end_value(&c, range.to_ns);
    ps_json_object(json);
    ps_json_key_int(json, "id", series);
    ps_json_key_int(json, "points", c.n_points);
    if (c.known_ns > 0) {
        ps_json_key_real(json, "min", c.min);
        ps_json_key_real(json, "max", c.max);
        ps_json_key_real(json, "mean", c.weighted / c.known_ns);
        ps_json_key_real(json, "last", c.value);
    }
    ps_json_end(json);
    return err->code;
}

static enum ps_status write_counters(struct ps_db *db, struct ps_params params,
                                     struct ps_range range, struct ps_json *json,
                                     struct ps_err *err)
{
    PS_AUTO(ps_ints_free) struct ps_ints ids = {0};

    ps_param_ids(params, "counters", COUNTERS_MAX, &ids, err);
    ps_json_key(json, "counters");
    ps_json_array(json);
    for (size_t i = 0; i < ids.n && err->code == PS_OK; i++)
        write_counter(db, range, ids.items[i], json, err);
    ps_json_end(json);
    return err->code;
}

/* --- Answer --- */

static void write_device(struct ps_json *json, struct ps_device_sums *device, struct ps_range range)
{
    struct ps_intervals busy = {0};

    ps_intervals_join(&device->compute);
    ps_intervals_join(&device->communication);
    ps_intervals_join(&device->copies);
    ps_intervals_add_all(&busy, &device->compute);
    ps_intervals_add_all(&busy, &device->communication);
    ps_intervals_add_all(&busy, &device->copies);
    ps_intervals_join(&busy);
    ps_json_object(json);
    ps_json_key_int(json, "worker", device->worker);
    ps_json_key_int(json, "device", device->device);
    ps_json_key_int(json, "busy_ns", ps_intervals_length(&busy, range.from_ns, range.to_ns));
    ps_json_key_int(json, "compute_ns",
                    ps_intervals_length(&device->compute, range.from_ns, range.to_ns));
    ps_json_key_int(json, "copies_ns",
                    ps_intervals_length(&device->copies, range.from_ns, range.to_ns));
    ps_json_key_int(json, "communication_ns",
                    ps_intervals_length(&device->communication, range.from_ns, range.to_ns));
    ps_json_key_int(json, "overlap_ns",
                    ps_intervals_common_length(&device->communication, &device->compute,
                                               range.from_ns, range.to_ns));
    ps_json_end(json);
    ps_intervals_free(&busy);
}

static int by_busy(const void *a, const void *b)
{
    const struct area_track *x = a, *y = b;

    if (x->busy_ns != y->busy_ns)
        return x->busy_ns < y->busy_ns ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Writes the keys slices, tracks and tracks_total: the tracks that have slices in the area. */
static void write_tracks(struct area *area, struct ps_json *json)
{
    int64_t n_slices = 0;
    size_t n = 0;

    for (size_t i = 0; i < area->n_tracks; i++) {
        n_slices += area->tracks[i].n_slices;
        if (area->tracks[i].n_slices || area->tracks[i].busy_ns)
            area->tracks[n++] = area->tracks[i];
    }
    qsort(area->tracks, n, sizeof *area->tracks, by_busy);
    ps_json_key_int(json, "slices", n_slices);
    ps_json_key_int(json, "tracks_total", (int64_t)n);
    ps_json_key(json, "tracks");
    ps_json_array(json);
    for (size_t i = 0; i < n && i < TRACKS_SHOWN; i++) {
        ps_json_object(json);
        ps_json_key_int(json, "id", area->tracks[i].id);
        ps_json_key_int(json, "slices", area->tracks[i].n_slices);
        ps_json_key_int(json, "busy_ns", area->tracks[i].busy_ns);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_families(const struct area *area, int place, const char *key,
                           struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (int family = 0; family < PS_N_FAMILIES; family++) {
        const struct family_sum *sum = &area->families[place][family];

        if (!sum->count)
            continue;
        ps_json_object(json);
        ps_json_key_int(json, "family", family);
        ps_json_key_int(json, "count", sum->count);
        ps_json_key_int(json, "total_ns", sum->total_ns);
        ps_json_key_int(json, "self_ns", sum->self_ns);
        ps_json_key_int(json, "min_ns", sum->min_ns);
        ps_json_key_int(json, "max_ns", sum->max_ns);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_launches(const struct area *area, struct ps_json *json)
{
    const struct ps_ints *latencies = &area->latencies;

    ps_json_key(json, "launches");
    ps_json_object(json);
    ps_json_key_int(json, "count", (int64_t)latencies->n);
    if (latencies->n) {
        ps_json_key_real(json, "median_ns", ps_median(latencies->items, latencies->n));
        ps_json_key_int(json, "max_ns",
                        ps_select_kth(latencies->items, latencies->n, latencies->n - 1));
    }
    ps_json_end(json);
}

static void write_area(struct area *area, struct ps_json *json)
{
    ps_json_key_int(json, "from_ns", area->range.from_ns);
    ps_json_key_int(json, "to_ns", area->range.to_ns);
    write_tracks(area, json);
    ps_json_key(json, "devices");
    ps_json_array(json);
    for (size_t i = 0; i < area->sums.n_devices; i++)
        write_device(json, &area->sums.devices[i], area->range);
    ps_json_end(json);
    write_families(area, ON_DEVICE, "device_families", json);
    write_families(area, ON_HOST, "host_families", json);
    ps_json_key(json, "flows");
    ps_json_object(json);
    ps_json_key_int(json, "inside", area->flows_inside);
    ps_json_key_int(json, "in", area->flows_in);
    ps_json_key_int(json, "out", area->flows_out);
    ps_json_end(json);
    write_launches(area, json);
}

static enum ps_status make_tracks(struct area *area, struct ps_err *err)
{
    const struct ps_track_row *tracks;
    size_t n = 0;

    ps_trace_get_tracks(area->db, &tracks, &n, err);
    for (size_t i = 0; err->code == PS_OK && i < n; i++)
        if (tracks[i].id >= area->n_tracks)
            area->n_tracks = tracks[i].id + 1u;
    area->tracks = ps_alloc_array(area->n_tracks + 1, sizeof *area->tracks);
    for (size_t i = 0; i < area->n_tracks; i++)
        area->tracks[i] = (struct area_track){.id = (uint32_t)i, .busy_end = INT64_MIN};
    return err->code;
}

enum ps_status ps_view_area(struct ps_db *db, const struct ps_view *view, int64_t id,
                            struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    PS_AUTO(area_free) struct area area = {.db = db};

    (void)view, (void)id;
    ps_param_window(db, params, &area.range, err);
    ps_param_tracks(db, params, &area.set, err);
    ps_track_owners_read(db, &area.owners, err);
    if (make_tracks(&area, err) != PS_OK)
        return err->code;
    read_slices(&area, err);
    read_flows(&area, err);
    read_latencies(&area, err);
    ps_json_object(&json);
    write_area(&area, &json);
    write_counters(db, params, area.range, &json, err);
    ps_json_end(&json);
    return err->code;
}
