/* SPDX-License-Identifier: MIT */
/*
 * counters.c: the view curves: counters, memory and device use over time, reduced to the pixels of
 * the timeline. Counters and memory are step functions: a value is valid until the next point.
 */
#include <stdlib.h>

#include "base/context.h"
#include "server/query/shapes/curve.h"
#include "server/query/trace/packed_rows.h"
#include "server/query/trace/parameters.h"
#include "server/query/trace/timeline/busy_pixels.h"
#include "server/query/trace/trace_json.h"
#include "server/query/trace/trace_views.h"

#define CURVES_MAX 256

enum { LANE_ALLOCATED, LANE_RESERVED, N_LANES };

/* A curve that is being computed. */
struct curve {
    struct ps_curve points;
    int64_t type, device, worker; /* the device of a memory curve; worker: index of its file */
    /* sum of the allocated minus freed bytes so far, for events without a recorded total */
    int64_t running;
};

struct curves {
    struct curve *items;
    size_t n;
    struct ps_range range;
    int64_t px;
};

static struct ps_curve new_points(const struct curves *settings, size_t n_lanes)
{
    return ps_curve_new(settings->range.from_ns, settings->range.to_ns, settings->px,
                        PS_CURVE_MIN | PS_CURVE_MAX | PS_CURVE_LAST, n_lanes);
}

static void curves_free(struct curves *all)
{
    for (size_t i = 0; i < all->n; i++)
        ps_curve_free(&all->items[i].points);
    free(all->items);
}

/* Returns the range from the beginning of the trace to the end of the window, because the last
 * point before the window may be far before it. */
static struct ps_range range_to_end(const struct curves *all)
{
    return (struct ps_range){INT64_MIN, all->range.to_ns};
}

static bool add_counts(void *user, const struct ps_packed *part)
{
    struct ps_curve *c = user;

    for (size_t i = 0; i < part->n && part->column[PS_COUNT_T][i] < c->to; i++) {
        union ps_curve_value value;

        memcpy(&value.r, &part->column[PS_COUNT_VALUE][i], sizeof value.r);
        ps_curve_add(c, part->column[PS_COUNT_T][i], value.r, &value);
    }
    return true;
}

static enum ps_status write_counter(struct ps_db *db, const struct curves *settings, int64_t series,
                                    struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_curve_free) struct ps_curve points = new_points(settings, 1);
    struct ps_packed_query query = {PS_PACKED_COUNTS, series, range_to_end(settings),
                                    1u << PS_COUNT_T | 1u << PS_COUNT_VALUE};

    ps_packed_each(db, &query, add_counts, &points, err);
    ps_curve_end(&points);
    ps_json_object(json);
    ps_json_key_int(json, "id", series);
    ps_curve_write_x(&points, "t_ns", json);
    ps_curve_write_lane(&points, "value", 0, PS_CURVE_REAL, json);
    ps_json_end(json);
    return err->code;
}

static enum ps_status write_counters(struct ps_db *db, struct ps_params params,
                                     const struct curves *settings, struct ps_json *json,
                                     struct ps_err *err)
{
    PS_AUTO(ps_ints_free) struct ps_ints ids = {0};

    ps_param_ids(params, "counters", CURVES_MAX, &ids, err);
    ps_json_key(json, "counters");
    ps_json_array(json);
    for (size_t i = 0; i < ids.n && err->code == PS_OK; i++)
        write_counter(db, settings, ids.items[i], json, err);
    ps_json_end(json);
    return err->code;
}

static struct curve *curve_of(struct curves *all, const struct ps_packed *part, size_t i)
{
    for (struct curve *c = all->items; c < all->items + all->n; c++)
        if (c->type == part->column[PS_MEMORY_TYPE][i] &&
            c->device == part->column[PS_MEMORY_DEVICE][i] &&
            c->worker == part->column[PS_MEMORY_WORKER][i])
            return c;
    return NULL;
}

static bool add_memory(void *user, const struct ps_packed *part)
{
    struct curves *all = user;

    for (size_t i = 0;
         i < part->n && part->column[PS_MEMORY_T][i] < all->range.to_ns && !ps_context_has_ended();
         i++) {
        struct curve *c = curve_of(all, part, i);
        union ps_curve_value lanes[] = {{part->column[PS_MEMORY_ALLOCATED][i]},
                                        {part->column[PS_MEMORY_RESERVED][i]}};

        if (!c)
            continue;
        if (__builtin_add_overflow(c->running, part->column[PS_MEMORY_BYTES][i], &c->running))
            c->running = 0;
        if (lanes[LANE_ALLOCATED].i < 0)
            lanes[LANE_ALLOCATED].i = c->running;
        ps_curve_add(&c->points, part->column[PS_MEMORY_T][i], (double)lanes[LANE_ALLOCATED].i,
                     lanes);
    }
    return true;
}

/* Parses "1:0" (device type:device) or "1:0:2" (device type:device:worker) into *c. Without a
 * worker, the worker is 0. */
static bool read_device(struct ps_str word, struct curve *c)
{
    int64_t *to[] = {&c->type, &c->device, &c->worker};
    size_t n = 0;

    for (bool more = true; more; n++) {
        const char *colon = memchr(word.ptr, ':', word.len);
        struct ps_str number = {word.ptr, colon ? (size_t)(colon - word.ptr) : word.len};

        if (n == sizeof to / sizeof *to || !ps_str_parse_i64(number, to[n]))
            return false;
        more = colon;
        word = ps_str_skip(word, number.len + more);
    }
    return n >= 2;
}

/* Parses the parameter memory, a list such as "1:0,0:-1", and adds an empty curve for each
 * element. */
static enum ps_status read_devices(struct ps_params params, struct curves *all, struct ps_err *err)
{
    struct ps_str rest = ps_str_from_c(ps_param_get(params, "memory"));

    all->items = ps_alloc_array(CURVES_MAX, sizeof *all->items);
    while (rest.len) {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        struct ps_str word = {rest.ptr, comma ? (size_t)(comma - rest.ptr) : rest.len};
        struct curve c = {.points = new_points(all, N_LANES)};

        if (!read_device(word, &c))
            return ps_fail(err, PS_BAD_REQUEST,
                           "the parameter memory must be a list of device_type:device or "
                           "device_type:device:worker, separated by commas");
        if (all->n == CURVES_MAX)
            return ps_fail(err, PS_BAD_REQUEST, "the parameter memory accepts at most %d devices",
                           CURVES_MAX);
        all->items[all->n++] = c;
        rest = ps_str_skip(rest, word.len + 1);
    }
    return err->code;
}

static void write_device(struct curve *c, struct ps_json *json)
{
    ps_curve_end(&c->points);
    ps_json_object(json);
    ps_json_key_int(json, "device_type", c->type);
    ps_json_key_int(json, "device", c->device);
    ps_json_key_int(json, "worker", c->worker);
    ps_curve_write_x(&c->points, "t_ns", json);
    ps_curve_write_lane(&c->points, "allocated", LANE_ALLOCATED, PS_CURVE_INT, json);
    ps_curve_write_lane(&c->points, "reserved", LANE_RESERVED, PS_CURVE_INT_OR_NULL, json);
    ps_json_end(json);
}

static enum ps_status write_memory(struct ps_db *db, struct ps_params params,
                                   const struct curves *settings, struct ps_json *json,
                                   struct ps_err *err)
{
    PS_AUTO(curves_free) struct curves all = {NULL, 0, settings->range, settings->px};
    struct ps_packed_query query = {
        PS_PACKED_MEMORY, 0, range_to_end(settings),
        1u << PS_MEMORY_T | 1u << PS_MEMORY_TYPE | 1u << PS_MEMORY_DEVICE | 1u << PS_MEMORY_BYTES |
            1u << PS_MEMORY_ALLOCATED | 1u << PS_MEMORY_RESERVED | 1u << PS_MEMORY_WORKER};

    read_devices(params, &all, err);
    if (all.n)
        ps_packed_each(db, &query, add_memory, &all, err);
    ps_json_key(json, "memory");
    ps_json_array(json);
    for (size_t i = 0; i < all.n && err->code == PS_OK; i++)
        write_device(&all.items[i], json);
    ps_json_end(json);
    return err->code;
}

static enum ps_status write_busy(struct ps_db *db, struct ps_params params,
                                 const struct curves *settings, struct ps_json *json,
                                 struct ps_err *err)
{
    PS_AUTO(ps_ints_free) struct ps_ints ids = {0};
    PS_AUTO(ps_window_free) struct ps_window window = {0};
    PS_AUTO(ps_free_ptr)
    int64_t *share = ps_grow(NULL, (size_t)settings->px, sizeof *share);

    ps_param_ids(params, "busy", CURVES_MAX, &ids, err);
    ps_json_key(json, "busy");
    ps_json_array(json);
    for (size_t i = 0; i < ids.n && err->code == PS_OK; i++) {
        if (ps_trace_read_window(db, (uint32_t)ids.items[i], settings->range.from_ns,
                                 settings->range.to_ns, (uint32_t)settings->px, &window,
                                 err) != PS_OK)
            break;
        ps_window_device_shares(&window, share);
        ps_json_object(json);
        ps_json_key_int(json, "track", ids.items[i]);
        ps_json_ints(json, "share", share, (size_t)settings->px);
        ps_json_end(json);
    }
    ps_json_end(json);
    return err->code;
}

enum ps_status ps_view_curves(struct ps_db *db, const struct ps_view *view, int64_t id,
                              struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    struct curves settings = {0};

    (void)view, (void)id;
    ps_param_window(db, params, &settings.range, err);
    if (ps_param_int(params, "px", 1, PS_CURVE_COLUMNS_MAX, 1600, &settings.px, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    write_counters(db, params, &settings, &json, err);
    write_memory(db, params, &settings, &json, err);
    write_busy(db, params, &settings, &json, err);
    ps_json_end(&json);
    return err->code;
}
