/* SPDX-License-Identifier: MIT */
/* snapshot.c: the view snapshot: GPUs, marks and groups of stacks. */
#include "server/query/snapshot/snapshot.h"

#include "server/query/snapshot/marks.h"

static void write_mark(const struct ps_snapshot_device_row *device,
                       const struct ps_snapshot_mark_at *mark, struct ps_json *json)
{
    static const char *const kinds[] = {"oom", "snapshot", "annotation"};

    ps_json_object(json);
    ps_json_key_int(json, "device", device->number);
    ps_json_key_int(json, "event", mark->event);
    ps_json_key_int_or_null(json, "end", mark->end, mark->end >= 0);
    ps_json_key_str(json, "kind", kinds[mark->kind]);
    ps_json_key(json, "name");
    ps_json_str(json, mark->name);
    ps_json_key_int_or_null(json, "asked", mark->bytes, mark->kind == PS_SNAPSHOT_MARK_OOM);
    ps_json_key_int_or_null(json, "free", mark->free_bytes, mark->kind == PS_SNAPSHOT_MARK_OOM);
    ps_json_end(json);
}

static enum ps_status write_marks(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                  int64_t *n_omitted, int64_t *n_without_place,
                                  struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_marks_free) struct ps_snapshot_marks marks = {.items = NULL};

    ps_snapshot_marks_read(db, device, &marks, err);
    for (size_t i = 0; i < marks.n && err->code == PS_OK; i++)
        write_mark(device, &marks.items[i], json);
    *n_omitted += marks.n_omitted;
    *n_without_place += marks.n_without_place;
    return err->code;
}

static enum ps_status write_device(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                   bool has_times, struct ps_json *json, struct ps_err *err)
{
    int64_t live, reserved;

    ps_snapshot_bytes_at(db, device, device->peak_event, &live, &reserved, err);
    ps_json_object(json);
    ps_json_key_int(json, "number", device->number);
    ps_json_key_int(json, "events", device->events);
    ps_json_key_bool(json, "has_times", has_times);
    ps_json_key_int_or_null(json, "first_us", device->first_us, device->first_us >= 0);
    ps_json_key_int_or_null(json, "last_us", device->last_us, device->last_us >= 0);
    ps_json_key_int(json, "live_before", device->live_before);
    ps_json_key_int(json, "reserved_before", device->reserved_before);
    ps_json_key_int(json, "before_count", device->before_count);
    ps_json_key_int(json, "peak_live", device->peak_live);
    ps_json_key_int(json, "peak_event", device->peak_event);
    ps_json_key_int(json, "reserved_at_peak", reserved);
    ps_json_key_int(json, "live_end", device->live_end);
    ps_json_key_int(json, "reserved_end", device->reserved_end);
    ps_json_key_int(json, "peak_reserved", device->peak_reserved);
    ps_json_key_int(json, "segments", device->segments);
    ps_json_key_real(json, "fragmentation", device->fragmentation);
    ps_json_key_int(json, "largest_free", device->largest_free);
    ps_json_key_int(json, "ooms", device->ooms);
    ps_json_key_int(json, "cursor", ps_snapshot_cursor(device));
    ps_json_end(json);
    return err->code;
}

static enum ps_status write_groups(struct ps_db *db, const struct ps_snapshot_device_row *device,
                                   const struct ps_snapshot_stacks *stacks, struct ps_json *json,
                                   struct ps_err *err)
{
    PS_AUTO(ps_snapshot_groups_free) struct ps_snapshot_groups groups = {.n = 0};

    ps_snapshot_groups_read(db, device, stacks, &groups, err);
    for (size_t g = 1; g <= groups.n && err->code == PS_OK; g++) {
        ps_json_object(json);
        ps_json_key_int(json, "device", device->number);
        ps_json_key_int(json, "group", (int64_t)g);
        ps_snapshot_write_node(stacks, PS_SNAPSHOT_PYTHON, groups.node[g], json);
        ps_json_end(json);
    }
    return err->code;
}

static enum ps_status write_settings(struct ps_db *db, struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_json_key(json, "settings");
    ps_db_prepare(db, ps_query_sql("snapshot_settings"), &stmt, err);
    if (ps_stmt_step(stmt, err))
        ps_col_write_raw_json(stmt, 0, "null", json);
    else
        ps_json_null(json);
    return err->code;
}

enum ps_status ps_view_snapshot(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err)
{
    PS_AUTO(ps_snapshot_devices_free) struct ps_snapshot_devices devices = {.items = NULL};
    PS_AUTO(ps_snapshot_stacks_release) const struct ps_snapshot_stacks *stacks = NULL;
    struct ps_json json = ps_json_writer(&answer->body);
    int64_t n_omitted = 0, n_without_place = 0;
    bool has_times;

    (void)view, (void)id, (void)params;
    ps_snapshot_devices_read(db, &devices, err);
    if (err->code != PS_OK || ps_snapshot_stacks_acquire(db, &stacks, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    ps_json_key(&json, "devices");
    ps_json_array(&json);
    for (size_t i = 0; i < devices.n && err->code == PS_OK; i++) {
        ps_snapshot_has_times(db, &devices.items[i], &has_times, err);
        write_device(db, &devices.items[i], has_times, &json, err);
    }
    ps_json_end(&json);
    write_settings(db, &json, err);
    ps_json_key(&json, "marks");
    ps_json_array(&json);
    for (size_t i = 0; i < devices.n && err->code == PS_OK; i++)
        write_marks(db, &devices.items[i], &n_omitted, &n_without_place, &json, err);
    ps_json_end(&json);
    ps_json_key_int(&json, "marks_omitted", n_omitted);
    ps_json_key_int(&json, "marks_without_place", n_without_place);
    ps_json_key(&json, "groups");
    ps_json_array(&json);
    for (size_t i = 0; i < devices.n && err->code == PS_OK; i++)
        write_groups(db, &devices.items[i], stacks, &json, err);
    ps_json_end(&json);
    ps_json_end(&json);
    return err->code;
}
