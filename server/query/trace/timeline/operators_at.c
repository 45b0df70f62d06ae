/* SPDX-License-Identifier: MIT */
/*
 * operators_at.c: the view operators_at: which operators ran on the threads at a time, with the
 * module and the Python functions around each. It answers which operator made an allocation of a
 * memory snapshot. The snapshot has microseconds, so a slice counts if it is open at some time in
 * [t, t + 1 us).
 *
 * If the trace has a memory record of the same address close to that time, the record is the
 * allocation itself: then its own time and thread count.
 */
#include <stdlib.h>

#include "server/query/trace/packed_rows.h"
#include "server/query/trace/time_range.h"
#include "server/query/trace/timeline/layers.h"
#include "server/query/trace/trace_json.h"
#include "server/query/trace/trace_views.h"
#include "slices/args.h"

#define NEAR_NS       1000000 /* maximum distance of a record with the same address */
#define RESOLUTION_NS 1000
#define CPU           0 /* device type of c10 */

struct record {
    int64_t address, device, t_ns; /* wanted */
    int64_t distance_ns;           /* of the found one; INT64_MAX: none */
    int64_t found_ns, bytes, slice;
};

/* A slice that is open at the time. */
struct open_slice {
    int64_t id, name, kind, start_ns, duration_ns;
    bool is_module;
};

struct open_slices {
    struct ps_db *db;
    int64_t from_ns, to_ns;
    struct open_slice *items; /* by track, the outermost first */
    size_t n, cap;
};

static void open_slices_free(struct open_slices *slices)
{
    free(slices->items);
}

static bool visit_records(void *user, const struct ps_packed *part)
{
    struct record *r = user;

    for (size_t i = 0; i < part->n; i++) {
        int64_t t = part->column[PS_MEMORY_T][i], distance_ns;

        if (part->column[PS_MEMORY_ADDRESS][i] != r->address ||
            part->column[PS_MEMORY_DEVICE][i] != r->device ||
            part->column[PS_MEMORY_TYPE][i] == CPU || part->column[PS_MEMORY_BYTES][i] <= 0 ||
            !part->column[PS_MEMORY_SLICE][i] || __builtin_sub_overflow(t, r->t_ns, &distance_ns))
            continue;
        distance_ns = distance_ns < 0 ? -distance_ns : distance_ns;
        if (distance_ns > NEAR_NS || distance_ns >= r->distance_ns)
            continue;
        r->distance_ns = distance_ns;
        r->found_ns = t;
        r->bytes = part->column[PS_MEMORY_BYTES][i];
        r->slice = part->column[PS_MEMORY_SLICE][i];
    }
    return true;
}

static enum ps_status find_record(struct ps_db *db, struct record *r, struct ps_err *err)
{
    struct ps_packed_query query = {
        .family = PS_PACKED_MEMORY,
        .range = ps_range_limit(r->t_ns - NEAR_NS, r->t_ns + NEAR_NS + 1),
        .columns = 1u << PS_MEMORY_T | 1u << PS_MEMORY_BYTES | 1u << PS_MEMORY_ADDRESS |
                   1u << PS_MEMORY_SLICE | 1u << PS_MEMORY_TYPE | 1u << PS_MEMORY_DEVICE};

    r->distance_ns = INT64_MAX;
    return r->address ? ps_packed_each(db, &query, visit_records, r, err) : err->code;
}

static bool is_module(struct ps_db *db, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t template = ps_chunk_value(chunk, PS_COL_TEMPLATE, i);
    struct ps_str text;

    if (ps_chunk_value(chunk, PS_COL_KIND, i) != PS_SLICE_PYTHON || template <= PS_TEMPLATE_WHOLE)
        return false;
    text = ps_trace_args_template(db, template);
    return text.ptr && ps_template_param(text, PS_STR("Python module id")) >= 0;
}

static bool add_open_slices(void *user, const struct ps_chunk *chunk)
{
    struct open_slices *s = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
        int64_t duration = ps_chunk_value(chunk, PS_COL_DURATION, i);

        if (start >= s->to_ns)
            break;
        if (ps_end_ns(start, duration) <= s->from_ns ||
            ps_chunk_value(chunk, PS_COL_FLAGS, i) & (PS_SLICE_INSTANT | PS_SLICE_ASYNC))
            continue;
        PS_RESERVE_ONE(s->items, s->n, s->cap);
        s->items[s->n++] = (struct open_slice){.id = ps_slice_id(chunk->track, chunk->first + i),
                                               .name = ps_chunk_value(chunk, PS_COL_NAME, i),
                                               .kind = ps_chunk_value(chunk, PS_COL_KIND, i),
                                               .start_ns = start,
                                               .duration_ns = duration,
                                               .is_module = is_module(s->db, chunk, i)};
    }
    return true;
}

static void write_slice(struct ps_db *db, const char *key, const struct open_slice *slice,
                        struct ps_json *json)
{
    ps_json_key(json, key);
    if (!slice) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_int(json, "id", slice->id);
    ps_json_text(json, "name", db, slice->name);
    ps_json_key_int(json, "start_ns", slice->start_ns);
    ps_json_key_int(json, "duration_ns", slice->duration_ns);
    ps_json_end(json);
}

/* Writes the slices [first, end), which are of one thread, if an operator is among them. */
static enum ps_status write_thread(const struct open_slices *s, size_t first, size_t end,
                                   struct ps_stmt *names, struct ps_json *json, struct ps_err *err)
{
    const struct open_slice *op = NULL, *module = NULL;

    for (size_t i = first; i < end; i++) {
        if (s->items[i].kind == PS_SLICE_OP)
            op = &s->items[i];
        else if (s->items[i].is_module)
            module = &s->items[i];
    }
    if (!op)
        return err->code;
    ps_json_object(json);
    ps_json_key_int(json, "track", ps_track_of_slice(op->id));
    ps_json_track_names(names, ps_track_of_slice(op->id), json, err);
    write_slice(s->db, "operator", op, json);
    write_slice(s->db, "module", module, json);
    ps_json_key(json, "python");
    ps_json_array(json);
    for (size_t i = end; i > first; i--)
        if (s->items[i - 1].kind == PS_SLICE_PYTHON)
            ps_json_str(json, ps_trace_text(s->db, (uint32_t)s->items[i - 1].name));
    ps_json_end(json);
    ps_json_end(json);
    return err->code;
}

static enum ps_status write_threads(const struct open_slices *s, struct ps_json *json,
                                    struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *names = NULL;

    ps_db_prepare(s->db, ps_query_sql("track_names"), &names, err);
    ps_json_key(json, "threads");
    ps_json_array(json);
    for (size_t first = 0, end; first < s->n && err->code == PS_OK; first = end) {
        int64_t track = ps_track_of_slice(s->items[first].id);

        for (end = first + 1; end < s->n && ps_track_of_slice(s->items[end].id) == track;)
            end++;
        write_thread(s, first, end, names, json, err);
    }
    ps_json_end(json);
    return err->code;
}

enum ps_status ps_view_operators_at(struct ps_db *db, const struct ps_view *view, int64_t id,
                                    struct ps_params params, struct ps_answer *answer,
                                    struct ps_err *err)
{
    PS_AUTO(open_slices_free) struct open_slices slices = {.db = db};
    struct ps_chunk_query query = {.track_kinds = 1u << PS_TRACK_THREAD,
                                   .columns =
                                       PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                                       PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) |
                                       PS_COL_BIT(PS_COL_FLAGS) | PS_COL_BIT(PS_COL_TEMPLATE)};
    struct ps_json json = ps_json_writer(&answer->body);
    struct record record = {.slice = 0};

    (void)view, (void)id;
    ps_param_int(params, "t_ns", -INT64_MAX / 8, INT64_MAX / 8, 0, &record.t_ns, err);
    ps_param_int(params, "address", INT64_MIN, INT64_MAX, 0, &record.address, err);
    ps_param_int(params, "device", 0, INT32_MAX, 0, &record.device, err);
    if (err->code != PS_OK || find_record(db, &record, err) != PS_OK)
        return err->code;
    slices.from_ns = record.slice ? record.found_ns : record.t_ns;
    slices.to_ns = slices.from_ns + (record.slice ? 1 : RESOLUTION_NS);
    query.range = (struct ps_range){slices.from_ns, slices.to_ns};
    query.track = (uint32_t)ps_track_of_slice(record.slice);
    if (ps_trace_each_chunk(db, &query, add_open_slices, &slices, err) != PS_OK)
        return err->code;
    ps_json_object(&json);
    ps_json_key_int(&json, "t_ns", slices.from_ns);
    ps_json_key(&json, "record");
    if (record.slice) {
        ps_json_object(&json);
        ps_json_key_int(&json, "t_ns", record.found_ns);
        ps_json_key_int(&json, "bytes", record.bytes);
        ps_json_end(&json);
    } else {
        ps_json_null(&json);
    }
    write_threads(&slices, &json, err);
    ps_json_end(&json);
    return err->code;
}
