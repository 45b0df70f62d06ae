/* SPDX-License-Identifier: MIT */
/* slice.c: the view of one slice with all details. relatives.c finds its ancestors, children and
 * neighbours. */
#include <stdlib.h>

#include "server/query/trace/packed_rows.h"
#include "server/query/trace/slice/relatives.h"
#include "server/query/trace/time_range.h"
#include "server/query/trace/timeline/layers.h"
#include "server/query/trace/trace_json.h"
#include "server/query/trace/trace_views.h"
#include "slices/intervals.h"

#define KERNELS_MAX 50
#define MEMORY_MAX  50
#define FLOWS_MAX   200

#define SLICE_COLUMNS                                                                              \
    (PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_SELF) |            \
     PS_COL_BIT(PS_COL_PARENT) | PS_COL_BIT(PS_COL_DEPTH) | PS_COL_BIT(PS_COL_NAME) |              \
     PS_COL_BIT(PS_COL_CATEGORY) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS) |            \
     PS_COL_BIT(PS_COL_FAMILY) | PS_COL_BIT(PS_COL_DEVICE_SELF) |                                  \
     PS_COL_BIT(PS_COL_DEVICE_TOTAL) | PS_COL_BIT(PS_COL_CPU_BYTES) |                              \
     PS_COL_BIT(PS_COL_DEVICE_BYTES) | PS_COL_BIT(PS_COL_FLOPS) | PS_COL_BIT(PS_COL_LAUNCH) |      \
     PS_COL_BIT(PS_COL_OP))

static void write_slice(struct ps_db *db, int64_t id, const int64_t *v, struct ps_json *json,
                        struct ps_err *err)
{
    static const struct {
        const char *key;
        enum ps_slice_column column;
    } numbers[] = {{"kind", PS_COL_KIND},
                   {"flags", PS_COL_FLAGS},
                   {"family", PS_COL_FAMILY},
                   {"start_ns", PS_COL_START},
                   {"duration_ns", PS_COL_DURATION},
                   {"self_ns", PS_COL_SELF},
                   {"depth", PS_COL_DEPTH},
                   {"device_self_ns", PS_COL_DEVICE_SELF},
                   {"device_total_ns", PS_COL_DEVICE_TOTAL},
                   {"cpu_bytes", PS_COL_CPU_BYTES},
                   {"device_bytes", PS_COL_DEVICE_BYTES},
                   {"flops", PS_COL_FLOPS}};

    ps_json_key(json, "slice");
    ps_json_object(json);
    ps_json_key_int(json, "id", id);
    ps_json_key_int(json, "track", id >> 32);
    ps_json_key_int(json, "row", id & UINT32_MAX);
    ps_json_text(json, "name", db, v[PS_COL_NAME]);
    ps_json_key_int(json, "name_id", v[PS_COL_NAME]);
    ps_json_text(json, "category", db, v[PS_COL_CATEGORY]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ps_json_key_int(json, numbers[i].key, v[numbers[i].column]);
    ps_json_layer_place(db, id, v[PS_COL_DEPTH], json, err);
    ps_json_end(json);
}

/* Returns the range of time from the start to the end of the slice, end included. */
static struct ps_range slice_range(const int64_t *v)
{
    int64_t end = ps_end_ns(v[PS_COL_START], v[PS_COL_DURATION]);

    return (struct ps_range){v[PS_COL_START], ps_end_ns(end, 1)};
}

/* Writes the key "args". The arguments in a damaged run file may not be JSON. Then the value is an
 * object with the key "damaged" and the arguments as a string. */
static enum ps_status write_args(struct ps_db *db, int64_t id, struct ps_json *json,
                                 struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf args = {0};

    ps_trace_append_args(db, id, &args, err);
    ps_json_key(json, "args");
    if (args.len == 0) {
        ps_json_raw(json, PS_STR("{}"));
    } else if (ps_db_is_json(db, ps_buf_slice(&args))) {
        ps_json_raw(json, ps_buf_slice(&args));
    } else {
        ps_json_object(json);
        ps_json_key(json, "damaged");
        ps_json_str(json, ps_buf_slice(&args));
        ps_json_end(json);
    }
    return err->code;
}

/* Writes the keys id, name, start_ns and duration_ns of slice `id` into the open object, and stores
 * the end of the slice in *end_ns. */
static enum ps_status write_brief(struct ps_db *db, int64_t id, struct ps_json *json,
                                  int64_t *end_ns, struct ps_err *err)
{
    int64_t v[PS_N_SLICE_COLUMNS];

    if (ps_trace_read_slice(db, id, PS_RELATIVES_COLUMNS, v, err) != PS_OK)
        return err->code;
    ps_json_key_int(json, "id", id);
    ps_json_text(json, "name", db, v[PS_COL_NAME]);
    ps_json_key_int(json, "start_ns", v[PS_COL_START]);
    ps_json_key_int(json, "duration_ns", v[PS_COL_DURATION]);
    *end_ns = ps_end_ns(v[PS_COL_START], v[PS_COL_DURATION]);
    return PS_OK;
}

/* Writes the keys "launch" and "operator": the slices that launched a device slice, or null. For
 * work of a graph the operator has recorded_by: "node" or "order" if it is that of the capture.
 * delay_ns: time from the end of the launch call to the start of the device work (HTA's launch
 * delay); 0 if the work started before the call returned. */
static enum ps_status write_origin(struct ps_db *db, const int64_t *v, struct ps_json *json,
                                   struct ps_err *err)
{
    int64_t end = 0;

    ps_json_key(json, "launch");
    if (v[PS_COL_LAUNCH]) {
        ps_json_object(json);
        write_brief(db, v[PS_COL_LAUNCH], json, &end, err);
        ps_json_key_int(json, "delay_ns", v[PS_COL_START] > end ? v[PS_COL_START] - end : 0);
        ps_json_end(json);
    } else {
        ps_json_null(json);
    }
    ps_json_key(json, "operator");
    if (v[PS_COL_OP]) {
        ps_json_object(json);
        write_brief(db, v[PS_COL_OP], json, &end, err);
        if (v[PS_COL_FLAGS] & PS_SLICE_OP_RECORDED)
            ps_json_key_str(json, "recorded_by",
                            v[PS_COL_FLAGS] & PS_SLICE_OP_BY_NODE ? "node" : "order");
        ps_json_end(json);
    } else {
        ps_json_null(json);
    }
    return err->code;
}

/* Writes the first device slices that the slice or its descendants launched, how many there are,
 * and the sum of the durations of the work among them. */
struct kernels {
    struct ps_db *db;
    const struct ps_relatives *relatives;
    struct ps_json *json;
    int64_t n, work_ns;
};

static bool add_kernels(void *user, const struct ps_chunk *chunk)
{
    struct kernels *k = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        if (!ps_relatives_has_descendant(k->relatives, ps_chunk_value(chunk, PS_COL_LAUNCH, i)))
            continue;
        if (ps_slice_on_device(ps_chunk_value(chunk, PS_COL_KIND, i)))
            k->work_ns = ps_add_saturated(k->work_ns, ps_chunk_value(chunk, PS_COL_DURATION, i));
        if (k->n++ >= KERNELS_MAX)
            continue;
        ps_json_object(k->json);
        ps_json_key_int(k->json, "id", ps_slice_id(chunk->track, chunk->first + i));
        ps_json_text(k->json, "name", k->db, ps_chunk_value(chunk, PS_COL_NAME, i));
        ps_json_key_int(k->json, "start_ns", ps_chunk_value(chunk, PS_COL_START, i));
        ps_json_key_int(k->json, "duration_ns", ps_chunk_value(chunk, PS_COL_DURATION, i));
        ps_json_key_int(k->json, "track", chunk->track);
        ps_json_end(k->json);
    }
    return true;
}

static enum ps_status write_kernels(struct ps_db *db, const struct ps_relatives *relatives,
                                    const int64_t *v, struct ps_json *json, struct ps_err *err)
{
    struct kernels kernels = {.db = db, .relatives = relatives, .json = json};
    struct ps_chunk_query query = {.track_kinds = 1u << PS_TRACK_STREAM | 1u << PS_TRACK_SYNC,
                                   .range = {v[PS_COL_START], INT64_MAX},
                                   .columns = PS_RELATIVES_COLUMNS | PS_COL_BIT(PS_COL_KIND) |
                                              PS_COL_BIT(PS_COL_LAUNCH)};
    bool launches = v[PS_COL_KIND] == PS_SLICE_RUNTIME || v[PS_COL_DEVICE_TOTAL] > 0 ||
                    v[PS_COL_KIND] == PS_SLICE_PYTHON;

    ps_json_key(json, "kernels");
    ps_json_array(json);
    if (launches)
        ps_trace_each_chunk(db, &query, add_kernels, &kernels, err);
    ps_json_end(json);
    ps_json_key_int(json, "kernels_total", kernels.n);
    ps_json_key_int(json, "kernels_ns", kernels.work_ns);
    return err->code;
}

struct flows {
    struct ps_db *db;
    int64_t id;
    struct ps_json *json;
    unsigned n;
    struct ps_err *err;
};

static void write_end(struct flows *f, const char *key, int64_t slice)
{
    int64_t v[PS_N_SLICE_COLUMNS] = {0};

    if (slice)
        ps_trace_read_slice(f->db, slice, PS_COL_BIT(PS_COL_NAME), v, f->err);
    ps_json_text(f->json, key, f->db, v[PS_COL_NAME]);
}

static void write_flow(struct flows *f, const struct ps_packed *part, size_t i)
{
    int64_t from = part->column[PS_FLOW_FROM][i], to = part->column[PS_FLOW_TO][i];

    ps_json_object(f->json);
    ps_json_text(f->json, "kind", f->db, part->column[PS_FLOW_KIND][i]);
    ps_json_key_int(f->json, "from", from);
    ps_json_key_int(f->json, "to", to);
    ps_json_key_int(f->json, "from_ns", part->column[PS_FLOW_FROM_NS][i]);
    ps_json_key_int(f->json, "to_ns", part->column[PS_FLOW_TO_NS][i]);
    write_end(f, "from_name", from);
    write_end(f, "to_name", to);
    ps_json_end(f->json);
    f->n++;
}

static bool add_flows(void *user, const struct ps_packed *part)
{
    struct flows *f = user;

    for (size_t i = 0; i < part->n && f->n < FLOWS_MAX && f->err->code == PS_OK; i++)
        if (part->column[PS_FLOW_FROM][i] == f->id || part->column[PS_FLOW_TO][i] == f->id)
            write_flow(f, part, i);
    return f->n < FLOWS_MAX && f->err->code == PS_OK;
}

static enum ps_status write_flows(struct ps_db *db, int64_t id, const int64_t *v,
                                  struct ps_json *json, struct ps_err *err)
{
    struct flows flows = {db, id, json, 0, err};
    struct ps_packed_query query = {.family = PS_PACKED_FLOWS,
                                    .range = slice_range(v),
                                    .columns = 1u << PS_FLOW_KIND | 1u << PS_FLOW_FROM |
                                               1u << PS_FLOW_TO | 1u << PS_FLOW_FROM_NS |
                                               1u << PS_FLOW_TO_NS};

    ps_json_key(json, "flows");
    ps_json_array(json);
    ps_packed_each(db, &query, add_flows, &flows, err);
    ps_json_end(json);
    return err->code;
}

struct memory {
    const struct ps_relatives *relatives;
    struct ps_json *json;
    int64_t n;
};

static bool add_memory(void *user, const struct ps_packed *part)
{
    struct memory *m = user;

    for (size_t i = 0; i < part->n; i++) {
        if (!ps_relatives_has_descendant(m->relatives, part->column[PS_MEMORY_SLICE][i]) ||
            m->n++ >= MEMORY_MAX)
            continue;
        ps_json_object(m->json);
        ps_json_key_int(m->json, "t_ns", part->column[PS_MEMORY_T][i]);
        ps_json_key_int(m->json, "bytes", part->column[PS_MEMORY_BYTES][i]);
        ps_json_key_int(m->json, "device", part->column[PS_MEMORY_DEVICE][i]);
        ps_json_key_int(m->json, "device_type", part->column[PS_MEMORY_TYPE][i]);
        ps_json_end(m->json);
    }
    return true;
}

static enum ps_status write_memory(struct ps_db *db, const struct ps_relatives *relatives,
                                   const int64_t *v, struct ps_json *json, struct ps_err *err)
{
    struct memory memory = {relatives, json, 0};
    struct ps_packed_query query = {.family = PS_PACKED_MEMORY,
                                    .range = slice_range(v),
                                    .columns = 1u << PS_MEMORY_T | 1u << PS_MEMORY_BYTES |
                                               1u << PS_MEMORY_DEVICE | 1u << PS_MEMORY_TYPE |
                                               1u << PS_MEMORY_SLICE};

    ps_json_key(json, "memory");
    ps_json_array(json);
    ps_packed_each(db, &query, add_memory, &memory, err);
    ps_json_end(json);
    ps_json_key_int(json, "memory_total", memory.n);
    return err->code;
}

static enum ps_status write_relatives(struct ps_db *db, int64_t id, const int64_t *v,
                                      struct ps_json *json, struct ps_err *err)
{
    PS_AUTO(ps_relatives_free) struct ps_relatives relatives = {0};

    ps_relatives_find(db, id, v, &relatives, err);
    ps_relatives_json(db, &relatives, json, err);
    write_origin(db, v, json, err);
    write_kernels(db, &relatives, v, json, err);
    write_flows(db, id, v, json, err);
    return write_memory(db, &relatives, v, json, err);
}

enum ps_status ps_view_slice(struct ps_db *db, const struct ps_view *view, int64_t id,
                             struct ps_params params, struct ps_answer *answer, struct ps_err *err)
{
    struct ps_json json = ps_json_writer(&answer->body);
    int64_t v[PS_N_SLICE_COLUMNS] = {0};

    (void)view, (void)params;
    if (ps_trace_read_slice(db, id, SLICE_COLUMNS, v, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    write_slice(db, id, v, &json, err);
    write_args(db, id, &json, err);
    write_relatives(db, id, v, &json, err);
    ps_json_end(&json);
    return err->code;
}
