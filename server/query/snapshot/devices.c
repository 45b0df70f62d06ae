/* SPDX-License-Identifier: MIT */
/* devices.c: the GPUs of a memory snapshot, and the parameters that choose a GPU and an event. */
#include <stdlib.h>
#include <string.h>

#include "server/query/snapshot/snapshot.h"

#define EVENTS_MAX (INT64_C(1) << 40) /* more events than this are not in a valid run file */

enum ps_status ps_snapshot_devices_read(struct ps_db *db, struct ps_snapshot_devices *out,
                                        struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t cap = 0;

    *out = (struct ps_snapshot_devices){.items = NULL};
    ps_db_prepare(db, ps_query_sql("snapshot_devices"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_snapshot_device_row device = {
            .id = ps_col_int(stmt, 0),
            .number = ps_col_int(stmt, 1),
            .events = ps_col_int(stmt, 2),
            .first_us = ps_col_int(stmt, 3),
            .last_us = ps_col_int(stmt, 4),
            .segments = ps_col_int(stmt, 5),
            .reserved_end = ps_col_int(stmt, 6),
            .largest_free = ps_col_int(stmt, 7),
            .fragmentation = ps_col_real(stmt, 8),
            .before_count = ps_col_int(stmt, 9),
            .live_before = ps_col_int(stmt, 10),
            .peak_live = ps_col_int(stmt, 11),
            .peak_event = ps_col_int(stmt, 12),
            .live_end = ps_col_int(stmt, 13),
            .reserved_before = ps_col_int(stmt, 14),
            .peak_reserved = ps_col_int(stmt, 15),
            .ooms = ps_col_int(stmt, 16),
            .oom_event = ps_col_int(stmt, 17),
            .oom_bytes = ps_col_int(stmt, 18),
            .oom_free = ps_col_int(stmt, 19),
        };

        if (device.events < 0 || device.events > EVENTS_MAX || device.peak_event < -1 ||
            device.peak_event >= device.events || device.oom_event < -1 ||
            device.oom_event >= device.events)
            return ps_snapshot_fail_damaged(err, "a GPU");
        PS_RESERVE_ONE(out->items, out->n, cap);
        out->items[out->n++] = device;
    }
    return err->code;
}

void ps_snapshot_devices_free(struct ps_snapshot_devices *devices)
{
    free(devices->items);
    *devices = (struct ps_snapshot_devices){.items = NULL};
}

int64_t ps_snapshot_cursor(const struct ps_snapshot_device_row *device)
{
    return device->ooms > 0 && device->oom_event >= 0 ? device->oom_event : device->peak_event;
}

/* Whether device `a` is a better default than `b`, which has a lower number. */
static bool is_better(const struct ps_snapshot_device_row *a,
                      const struct ps_snapshot_device_row *b)
{
    if ((a->ooms > 0) != (b->ooms > 0))
        return a->ooms > 0;
    return a->ooms <= 0 && a->peak_live > b->peak_live;
}

enum ps_status ps_snapshot_param_device(struct ps_db *db, struct ps_params params,
                                        struct ps_snapshot_device_row *out, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_devices_free) struct ps_snapshot_devices devices = {.items = NULL};
    const struct ps_snapshot_device_row *best = NULL;
    int64_t number;

    ps_param_int(params, "device", 0, PS_SNAPSHOT_DEVICES_MAX - 1, -1, &number, err);
    if (err->code != PS_OK || ps_snapshot_devices_read(db, &devices, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < devices.n; i++) {
        const struct ps_snapshot_device_row *device = &devices.items[i];

        if (number < 0 ? !best || is_better(device, best) : device->number == number)
            best = device;
    }
    if (!best)
        return number < 0 ? ps_fail(err, PS_BAD_REQUEST, "the snapshot has no GPU")
                          : ps_fail(err, PS_BAD_REQUEST, "the snapshot has no GPU %lld",
                                    (long long)number);
    *out = *best;
    return PS_OK;
}

enum ps_status ps_snapshot_param_stacks_as(struct ps_params params, enum ps_snapshot_stacks_as *out,
                                           struct ps_err *err)
{
    int64_t plumbing;

    ps_param_int(params, "plumbing", 0, 1, 0, &plumbing, err);
    *out = plumbing ? PS_SNAPSHOT_VIEWER : PS_SNAPSHOT_PYTHON;
    return err->code;
}

enum ps_status ps_snapshot_param_event(const struct ps_snapshot_device_row *device,
                                       struct ps_params params, const char *key, int64_t *out,
                                       struct ps_err *err)
{
    const char *text = ps_param_get(params, key);

    *out = ps_snapshot_cursor(device);
    if (err->code != PS_OK || !text || !text[0])
        return err->code;
    if (strcmp(text, "peak") == 0) {
        *out = device->peak_event;
    } else if (strcmp(text, "end") == 0) {
        *out = device->events - 1;
    } else if (strcmp(text, "oom") == 0) {
        if (device->ooms <= 0 || device->oom_event < 0)
            return ps_fail(err, PS_BAD_REQUEST, "%s: no allocation failed on GPU %lld", key,
                           (long long)device->number);
        *out = device->oom_event;
    } else if (!ps_str_parse_i64(ps_str_from_c(text), out) || *out < -1 || *out >= device->events) {
        *out = -1;
        return ps_fail(err, PS_BAD_REQUEST,
                       "%s must be peak, end, oom or a whole number from -1 to %lld", key,
                       (long long)(device->events - 1));
    }
    return PS_OK;
}

enum ps_status ps_snapshot_param_range(const struct ps_snapshot_device_row *device,
                                       struct ps_params params, int64_t *from, int64_t *to,
                                       struct ps_err *err)
{
    ps_param_int(params, "from", 0, EVENTS_MAX, 0, from, err);
    ps_param_int(params, "to", 0, EVENTS_MAX, device->events, to, err);
    *to = *to < device->events ? *to : device->events;
    if (err->code == PS_OK && device->events > 0 && *from >= *to)
        ps_fail(err, PS_BAD_REQUEST,
                "from must be less than to and than the number of events, %lld",
                (long long)device->events);
    if (err->code != PS_OK || device->events == 0)
        *from = *to = 0;
    return err->code;
}

enum ps_status ps_snapshot_bytes_at(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                    int64_t at, int64_t *live, int64_t *reserved,
                                    struct ps_err *err)
{
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows events = {.db = NULL};
    size_t chunk, row;
    const int64_t *values;

    *live = device->live_before;
    *reserved = device->reserved_before;
    if (at < 0 ||
        ps_snapshot_rows_open(db, PS_PACKED_SNAPSHOT_EVENTS, device->id, &events, err) != PS_OK ||
        !ps_snapshot_find_event(&events, at, &chunk, &row, err))
        return err->code;
    if ((values = ps_snapshot_column(&events, chunk, PS_SNAPSHOT_EVENT_LIVE, err)))
        *live = ps_snapshot_add(*live, values[row]);
    if ((values = ps_snapshot_column(&events, chunk, PS_SNAPSHOT_EVENT_RESERVED, err)))
        *reserved = ps_snapshot_add(*reserved, values[row]);
    return err->code;
}

enum ps_status ps_snapshot_has_times(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                     bool *out, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows levels = {.db = NULL};

    *out = device->events > 0 && device->first_us >= 0;
    ps_snapshot_rows_open(db, PS_PACKED_SNAPSHOT_LEVELS, device->id, &levels, err);
    for (size_t c = 0; c < levels.n_chunks && *out; c++) {
        const int64_t *t = ps_snapshot_column(&levels, c, PS_SNAPSHOT_LEVEL_T, err);

        for (size_t i = 0; t && i < levels.chunks[c].n; i++)
            *out &= t[i] >= 0;
        if (!t)
            return err->code;
    }
    return err->code;
}
