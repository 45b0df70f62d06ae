/* SPDX-License-Identifier: MIT */
/*
 * curve.c: the view snapshot/curve: the live bytes over the clock, for the timeline of a trace. The
 * view timeline is over events, or over the times of a range of events.
 *
 * A column of the range of time has up to two points: the event with the most live bytes, so that
 * no peak is lost, and the last one, so that the level after the column is right.
 */
#include <stdlib.h>

#include "server/query/snapshot/snapshot.h"

#define COLUMNS_MAX     4096
#define COLUMNS_DEFAULT 1024
#define US_MAX          (INT64_MAX / 4)

struct point {
    int64_t t_us, live, reserved;
};

struct curve {
    struct ps_snapshot_device_row device;
    int64_t from_us, to_us, n_columns;
    struct point *points;
    size_t n_points, cap_points;
    struct point peak, last; /* of the current column */
    int64_t column;          /* -1: before the range */
};

static void curve_free(struct curve *c)
{
    free(c->points);
}

static void add_point(struct curve *c, const struct point *point)
{
    PS_RESERVE_ONE(c->points, c->n_points, c->cap_points);
    c->points[c->n_points++] = *point;
}

static void end_column(struct curve *c)
{
    if (c->peak.live > c->last.live)
        add_point(c, &c->peak);
    add_point(c, &c->last);
}

/* Returns the column of a time; -1: before the range. */
static int64_t column_of(const struct curve *c, int64_t t_us)
{
    __extension__ __int128 product = (__int128)(t_us - c->from_us) * c->n_columns;

    return t_us < c->from_us ? -1 : (int64_t)(product / (c->to_us - c->from_us));
}

static void add_event(struct curve *c, const struct point *event)
{
    int64_t column = column_of(c, event->t_us);

    if (column != c->column) {
        end_column(c);
        c->column = column;
        c->peak = *event;
    }
    if (event->live > c->peak.live)
        c->peak = *event;
    c->last = *event;
}

/* Adds the events of a chunk. The clock may step back: an event counts as not earlier than those
 * before it. *latest_us: of the events so far. Chunks that end before the range have one event. */
static enum ps_status add_chunk(struct curve *c, struct ps_snapshot_rows *events, size_t chunk,
                                int64_t *latest_us, struct ps_err *err)
{
    const int64_t *us = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_T, err);
    const int64_t *live, *reserved;
    size_t n = events->chunks[chunk].n, first = 0;

    for (size_t i = 0; us && i < n; i++) {
        if (us[i] < 0)
            return ps_fail(err, PS_BAD_REQUEST, "not all events of GPU %lld have a time",
                           (long long)c->device.number);
        if (us[i] > US_MAX)
            return ps_snapshot_fail_damaged(err, "a time");
        *latest_us = us[i] > *latest_us ? us[i] : *latest_us;
        if (*latest_us < c->from_us)
            first = i;
    }
    live = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_LIVE, err);
    reserved = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_RESERVED, err);
    for (size_t i = first; live && reserved && i < n; i++) {
        struct point event = {us[i] > c->last.t_us ? us[i] : c->last.t_us,
                              ps_snapshot_add(c->device.live_before, live[i]),
                              ps_snapshot_add(c->device.reserved_before, reserved[i])};

        if (event.t_us >= c->to_us)
            return err->code;
        add_event(c, &event);
    }
    return err->code;
}

static enum ps_status read_points(struct ps_db *db, struct curve *c, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows events = {.db = NULL};
    int64_t latest_us = -1;

    c->last = c->peak =
        (struct point){c->device.first_us, c->device.live_before, c->device.reserved_before};
    c->column = -1;
    ps_snapshot_rows_open(db, PS_PACKED_SNAPSHOT_EVENTS, c->device.id, &events, err);
    for (size_t i = 0; i < events.n_chunks && latest_us < c->to_us && err->code == PS_OK; i++)
        add_chunk(c, &events, i, &latest_us, err);
    end_column(c);
    return err->code;
}

static void write_values(const struct curve *c, const char *key, int which, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = 0; i < c->n_points; i++) {
        const struct point *point = &c->points[i];

        ps_json_int(json, which == 0 ? point->t_us : which == 1 ? point->live : point->reserved);
    }
    ps_json_end(json);
}

enum ps_status ps_view_snapshot_curve(struct ps_db *db, const struct ps_view *view, int64_t id,
                                      struct ps_params params, struct ps_answer *answer,
                                      struct ps_err *err)
{
    PS_AUTO(curve_free) struct curve c = {.points = NULL};
    struct ps_json json = ps_json_writer(&answer->body);
    int64_t last_us;

    (void)view, (void)id;
    if (ps_snapshot_param_device(db, params, &c.device, err) != PS_OK)
        return err->code;
    if (c.device.first_us < 0 || c.device.last_us < 0)
        return ps_fail(err, PS_BAD_REQUEST,
                       "the events of GPU %lld have no times; PyTorch writes them since 2.2",
                       (long long)c.device.number);
    last_us = c.device.last_us < US_MAX ? c.device.last_us : US_MAX - 1;
    ps_param_int(params, "from_us", 0, US_MAX - 1, c.device.first_us, &c.from_us, err);
    ps_param_int(params, "to_us", 1, US_MAX, last_us + 1, &c.to_us, err);
    ps_param_int(params, "columns", 1, COLUMNS_MAX, COLUMNS_DEFAULT, &c.n_columns, err);
    if (err->code == PS_OK && c.to_us <= c.from_us)
        return ps_fail(err, PS_BAD_REQUEST, "to_us must be greater than from_us");
    if (err->code != PS_OK || read_points(db, &c, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    ps_json_key_int(&json, "device", c.device.number);
    ps_json_key_int(&json, "from_us", c.from_us);
    ps_json_key_int(&json, "to_us", c.to_us);
    write_values(&c, "t_us", 0, &json);
    write_values(&c, "live", 1, &json);
    write_values(&c, "reserved", 2, &json);
    ps_json_end(&json);
    return err->code;
}
