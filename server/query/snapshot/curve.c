/* SPDX-License-Identifier: MIT */
/*
 * curve.c: the view snapshot/curve: the live bytes over the clock, for the timeline of a trace. The
 * view timeline is over events, or over the times of a range of events.
 *
 * A column of the range of time has up to two points: the event with the most live bytes, so that
 * no peak is lost, and the last one, so that the level after the column is right.
 */
#include "server/query/shapes/curve.h"
#include "server/query/snapshot/snapshot.h"

#define COLUMNS_MAX     4096
#define COLUMNS_DEFAULT 1024
#define US_MAX          (INT64_MAX / 4)

enum { LANE_LIVE, LANE_RESERVED, N_LANES };

struct live_curve {
    struct ps_snapshot_device_row device;
    struct ps_curve points;
};

static void add_event(struct live_curve *c, int64_t t_us, int64_t live, int64_t reserved)
{
    union ps_curve_value lanes[] = {{ps_snapshot_add(c->device.live_before, live)},
                                    {ps_snapshot_add(c->device.reserved_before, reserved)}};

    ps_curve_add(&c->points, t_us, (double)lanes[LANE_LIVE].i, lanes);
}

/* Adds the events of a chunk. The clock may step back: an event counts as not earlier than those
 * before it. Returns false after the last event of the range. */
static bool add_chunk(struct live_curve *c, struct ps_snapshot_rows *events, size_t chunk,
                      struct ps_err *err)
{
    const int64_t *us = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_T, err);
    const int64_t *live = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_LIVE, err);
    const int64_t *reserved = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_RESERVED, err);

    for (size_t i = 0; us && live && reserved && i < events->chunks[chunk].n; i++) {
        int64_t t_us = us[i] > c->points.last.x ? us[i] : c->points.last.x;

        if (us[i] < 0)
            ps_fail(err, PS_BAD_REQUEST, "not all events of GPU %lld have a time",
                    (long long)c->device.number);
        else if (us[i] > US_MAX)
            ps_snapshot_fail_damaged(err, "a time");
        if (err->code != PS_OK || t_us >= c->points.to)
            return false;
        add_event(c, t_us, live[i], reserved[i]);
    }
    return err->code == PS_OK;
}

static enum ps_status read_points(struct ps_db *db, struct live_curve *c, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows events = {.db = NULL};
    bool has_more = true;

    ps_curve_add_before(
        &c->points, c->device.first_us, (double)c->device.live_before,
        (union ps_curve_value[]){{c->device.live_before}, {c->device.reserved_before}});
    ps_snapshot_rows_open(db, PS_PACKED_SNAPSHOT_EVENTS, c->device.id, &events, err);
    for (size_t i = 0; i < events.n_chunks && has_more; i++)
        has_more = add_chunk(c, &events, i, err);
    ps_curve_end(&c->points);
    return err->code;
}

enum ps_status ps_view_snapshot_curve(struct ps_db *db, const struct ps_view *view, int64_t id,
                                      struct ps_params params, struct ps_answer *answer,
                                      struct ps_err *err)
{
    struct live_curve c = {.device = {0}};
    struct ps_curve *points = &c.points;
    struct ps_json json = ps_json_writer(&answer->body);
    int64_t last_us, from_us, to_us, columns;

    (void)view, (void)id;
    if (ps_snapshot_param_device(db, params, &c.device, err) != PS_OK)
        return err->code;
    if (c.device.first_us < 0 || c.device.last_us < 0)
        return ps_fail(err, PS_BAD_REQUEST,
                       "the events of GPU %lld have no times; PyTorch writes them since 2.2",
                       (long long)c.device.number);
    last_us = c.device.last_us < US_MAX ? c.device.last_us : US_MAX - 1;
    ps_param_int(params, "from_us", 0, US_MAX - 1, c.device.first_us, &from_us, err);
    ps_param_int(params, "to_us", 1, US_MAX, last_us + 1, &to_us, err);
    ps_param_int(params, "columns", 1, COLUMNS_MAX, COLUMNS_DEFAULT, &columns, err);
    if (err->code == PS_OK && to_us <= from_us)
        return ps_fail(err, PS_BAD_REQUEST, "to_us must be greater than from_us");
    if (err->code != PS_OK)
        return err->code;
    c.points = ps_curve_new(from_us, to_us, columns, PS_CURVE_PEAK | PS_CURVE_LAST, N_LANES);
    read_points(db, &c, err);
    ps_json_object(&json);
    ps_json_key_int(&json, "device", c.device.number);
    ps_json_key_int(&json, "from_us", from_us);
    ps_json_key_int(&json, "to_us", to_us);
    ps_curve_write_x(points, "t_us", &json);
    ps_curve_write_lane(points, "live", LANE_LIVE, PS_CURVE_INT, &json);
    ps_curve_write_lane(points, "reserved", LANE_RESERVED, PS_CURVE_INT, &json);
    ps_json_end(&json);
    ps_curve_free(points);
    return err->code;
}
