/* SPDX-License-Identifier: MIT */
/*
 * counters.c: the view curves: counters, memory and device use over time, reduced to the pixels of
 * the timeline. Counters and memory are step functions: a value is valid until the next point. A
 * curve has the points with the minimum, the maximum and the last value of each pixel, and the last
 * point before the window.
 */
#include <stdlib.h>

#include "base/context.h"
#include "server/query/trace/packed_rows.h"
#include "server/query/trace/parameters.h"
#include "server/query/trace/timeline/busy_pixels.h"
#include "server/query/trace/trace_json.h"
#include "server/query/trace/trace_views.h"

#define PX_MAX     8192
#define CURVES_MAX 256

struct point {
    int64_t t, reserved;
    double value;
};

/* A curve that is being computed. low, high and last: points of the current pixel. */
struct curve {
    int64_t type, device, worker; /* the device of a memory curve; worker: index of its file */
    /* sum of the allocated minus freed bytes so far, for events without a recorded total */
    int64_t running;
    struct point *points;
    size_t n, cap;
    struct point low, high, last;
    int64_t pixel;
    bool has_points;
};

struct curves {
    struct curve *items;
    size_t n;
    struct ps_range range;
    int64_t px;
};

static void put_point(struct curve *c, struct point p)
{
    PS_RESERVE_ONE(c->points, c->n, c->cap);
    c->points[c->n++] = p;
}

static void flush_pixel(struct curve *c)
{
    struct point first = c->low.t <= c->high.t ? c->low : c->high,
                 second = c->low.t <= c->high.t ? c->high : c->low;

    if (!c->has_points)
        return;
    put_point(c, first);
    if (second.t != first.t)
        put_point(c, second);
    if (c->last.t != second.t || c->last.value != second.value)
        put_point(c, c->last);
    c->has_points = false;
}

/* Adds a point. Points are added in the order of time. The points before the window belong to pixel
 * -1, and only the last of them is kept. */
static void curve_add(struct curve *c, const struct curves *all, struct point p)
{
    double span = (double)(all->range.to_ns - all->range.from_ns);
    int64_t pixel = p.t < all->range.from_ns
                        ? -1
                        : (int64_t)((double)(p.t - all->range.from_ns) / span * (double)all->px);

    if (c->has_points && pixel != c->pixel)
        flush_pixel(c);
    if (!c->has_points || pixel < 0 || p.value < c->low.value)
        c->low = p;
    if (!c->has_points || pixel < 0 || p.value > c->high.value)
        c->high = p;
    c->last = p;
    c->has_points = true;
    c->pixel = pixel;
}

static void curves_free(struct curves *all)
{
    for (size_t i = 0; i < all->n; i++)
        free(all->items[i].points);
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
    struct curves *all = user;

    for (size_t i = 0; i < part->n && part->column[PS_COUNT_T][i] < all->range.to_ns; i++) {
        struct point p = {part->column[PS_COUNT_T][i], 0, 0};

        memcpy(&p.value, &part->column[PS_COUNT_VALUE][i], sizeof p.value);
        curve_add(all->items, all, p);
    }
    return true;
}

static void write_times(const struct curve *c, struct ps_json *json)
{
    ps_json_key(json, "t_ns");
    ps_json_array(json);
    for (size_t i = 0; i < c->n; i++)
        ps_json_int(json, c->points[i].t);
    ps_json_end(json);
}

static enum ps_status write_counter(struct ps_db *db, const struct curves *settings, int64_t series,
                                    struct ps_json *json, struct ps_err *err)
{
    struct curve curve = {.points = NULL};
    struct curves one = {&curve, 1, settings->range, settings->px};
    struct ps_packed_query query = {PS_PACKED_COUNTS, series, range_to_end(settings),
                                    1u << PS_COUNT_T | 1u << PS_COUNT_VALUE};

    ps_packed_each(db, &query, add_counts, &one, err);
    flush_pixel(&curve);
    ps_json_object(json);
    ps_json_key_int(json, "id", series);
    write_times(&curve, json);
    ps_json_key(json, "value");
    ps_json_array(json);
    for (size_t i = 0; i < curve.n; i++)
        ps_json_real(json, curve.points[i].value);
    ps_json_end(json);
    ps_json_end(json);
    free(curve.points);
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
        int64_t allocated = part->column[PS_MEMORY_ALLOCATED][i];

        if (!c)
            continue;
        if (__builtin_add_overflow(c->running, part->column[PS_MEMORY_BYTES][i], &c->running))
            c->running = 0;
        curve_add(c, all,
                  (struct point){part->column[PS_MEMORY_T][i], part->column[PS_MEMORY_RESERVED][i],
                                 (double)(allocated >= 0 ? allocated : c->running)});
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
        struct curve c = {.points = NULL};

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
    flush_pixel(c);
    ps_json_object(json);
    ps_json_key_int(json, "device_type", c->type);
    ps_json_key_int(json, "device", c->device);
    ps_json_key_int(json, "worker", c->worker);
    write_times(c, json);
    ps_json_key(json, "allocated");
    ps_json_array(json);
    for (size_t i = 0; i < c->n; i++)
        ps_json_int(json, (int64_t)c->points[i].value);
    ps_json_end(json);
    ps_json_key(json, "reserved");
    ps_json_array(json);
    for (size_t i = 0; i < c->n; i++)
        ps_json_num(json, c->points[i].reserved >= 0 ? ps_int(c->points[i].reserved)
                                                     : (struct ps_num){0});
    ps_json_end(json);
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
    if (ps_param_int(params, "px", 1, PX_MAX, 1600, &settings.px, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    write_counters(db, params, &settings, &json, err);
    write_memory(db, params, &settings, &json, err);
    write_busy(db, params, &settings, &json, err);
    ps_json_end(&json);
    return err->code;
}
