/* SPDX-License-Identifier: MIT */
/*
 * range_sums.c: sums the slices in a range of time by worker and device, and divides the time of
 * the range into parts.
 *
 * Slices count only with the part that is in the range, so the parts sum up to the duration of the
 * range.
 */
#include <math.h>
#include <stdlib.h>

#include "server/query/trace/time_range.h"
#include "server/query/trace/utilisation/overview.h"
#include "server/runfile/trace.h"
#include "slices/args.h"

const char *const ps_breakdown_words[PS_N_BREAKDOWNS] = {"tensorboard", "hta", "tracelens"};

/* Indices of parameters in an argument template of kernels. */
struct kernel_template {
    uint32_t id;
    /* only the placeholders of the template; ps_args_param needs no other characters */
    char *markers;
    size_t n_markers;
    /* indices of the parameters blocks per SM and estimated occupancy; -1: none */
    int blocks, occupancy;
};

struct range_reader {
    struct ps_db *db;
    struct ps_range_sums *sums;
    struct ps_track_owners owners;
    struct ps_name_kinds name_kinds;
    struct kernel_template *templates; /* sorted by id */
    size_t n_templates, cap_templates;
};

static void range_reader_free(struct range_reader *reader)
{
    for (size_t i = 0; i < reader->n_templates; i++)
        free(reader->templates[i].markers);
    free(reader->templates);
    ps_name_kinds_free(&reader->name_kinds);
    ps_track_owners_free(&reader->owners);
}

void ps_range_sums_free(struct ps_range_sums *sums)
{
    for (size_t i = 0; i < sums->n_devices; i++) {
        ps_intervals_free(&sums->devices[i].compute);
        ps_intervals_free(&sums->devices[i].communication);
        ps_intervals_free(&sums->devices[i].copies);
        free(sums->devices[i].kernels);
    }
    for (uint32_t w = 0; w < sums->n_workers; w++) {
        for (size_t k = 0; k < PS_N_ROLES; k++)
            ps_intervals_free(&sums->workers[w].roles[k]);
        ps_intervals_free(&sums->workers[w].communication);
    }
    free(sums->workers);
    free(sums->devices);
    *sums = (struct ps_range_sums){0};
}

static void add_template(struct range_reader *reader, uint32_t id, struct ps_str text)
{
    struct kernel_template template = {
        .id = id,
        .markers = ps_alloc(text.len + 1),
        .blocks = ps_template_param(text, PS_STR("blocks per SM")),
        .occupancy = ps_template_param(text, PS_STR("est. achieved occupancy %")),
    };

    for (size_t i = 0; i < text.len; i++)
        if (ps_template_is_marker(text.ptr[i]))
            template.markers[template.n_markers++] = text.ptr[i];
    PS_RESERVE_ONE(reader->templates, reader->n_templates, reader->cap_templates);
    reader->templates[reader->n_templates++] = template;
}

static enum ps_status read_templates(struct range_reader *reader, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(reader->db, ps_query_sql("trace_kernel_templates"), &stmt, err);
    while (ps_stmt_step(stmt, err))
        add_template(reader, (uint32_t)ps_col_int(stmt, 0), ps_col_text(stmt, 1));
    return err->code;
}

static const struct kernel_template *template_of(const struct range_reader *reader, int64_t id)
{
    size_t low = 0, high = reader->n_templates;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (reader->templates[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < reader->n_templates && reader->templates[low].id == id ? &reader->templates[low]
                                                                        : NULL;
}

struct ps_device_sums *ps_device_sums_get(struct ps_range_sums *sums, struct ps_track_owner owner)
{
    struct ps_device_sums *device;

    for (size_t i = 0; i < sums->n_devices; i++)
        if (sums->devices[i].device == owner.device && sums->devices[i].worker == owner.worker)
            return &sums->devices[i];
    PS_RESERVE_ONE(sums->devices, sums->n_devices, sums->cap_devices);
    device = &sums->devices[sums->n_devices++];
    *device = (struct ps_device_sums){.worker = owner.worker, .device = owner.device};
    return device;
}

static float kernel_param(const struct kernel_template *template, struct ps_str args, int index)
{
    struct ps_num value = {0};

    if (template && index >= 0)
        value = ps_args_param((struct ps_str){template->markers, template->n_markers}, args, index);
    return value.kind == PS_NUM_NONE ? NAN : (float)ps_num_to_real(value);
}

static void add_kernel(struct range_reader *reader, struct ps_device_sums *device,
                       const struct ps_chunk *chunk, uint32_t i, struct ps_kernel_use work)
{
    const struct kernel_template *template =
        template_of(reader, ps_chunk_value(chunk, PS_COL_TEMPLATE, i));
    int64_t at = ps_chunk_value(chunk, PS_COL_ARGS_AT, i);
    struct ps_str args = ps_str_skip(chunk->args, at > 0 ? (size_t)at : 0);

    work.blocks = kernel_param(template, args, template ? template->blocks : -1);
    work.occupancy = kernel_param(template, args, template ? template->occupancy : -1);
    PS_RESERVE_ONE(device->kernels, device->n_kernels, device->cap_kernels);
    device->kernels[device->n_kernels++] = work;
}

/* The sums that the slices of a chunk are added to. */
struct target {
    struct ps_worker_sums *worker;
    struct ps_device_sums *device; /* NULL for tracks of the host */
};

static struct target target_of(struct range_reader *reader, const struct ps_chunk *chunk)
{
    struct ps_track_owner owner = ps_track_owner_of(&reader->owners, chunk->track);

    return (struct target){
        .worker = &reader->sums->workers[owner.worker],
        .device =
            chunk->track_kind == PS_TRACK_STREAM ? ps_device_sums_get(reader->sums, owner) : NULL,
    };
}

static void add_slice(struct range_reader *reader, struct target to, const struct ps_chunk *chunk,
                      uint32_t i, enum ps_role role, struct ps_interval span)
{
    int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);

    ps_intervals_add(&to.worker->roles[role], span.start, span.end);
    if (!ps_slice_on_device(kind) || !to.device)
        return;
    if (role == PS_ROLE_COMMUNICATION)
        ps_intervals_add(&to.worker->communication, span.start, span.end);
    ps_intervals_add(role == PS_ROLE_KERNEL          ? &to.device->compute
                     : role == PS_ROLE_COMMUNICATION ? &to.device->communication
                                                     : &to.device->copies,
                     span.start, span.end);
    if (kind == PS_SLICE_KERNEL)
        add_kernel(reader, to.device, chunk, i,
                   (struct ps_kernel_use){.start = span.start, .end = span.end});
}

enum ps_name_kind ps_name_kind_get(struct ps_db *db, struct ps_name_kinds *name_kinds, int64_t name)
{
    uint8_t *meaning;

    if (name <= 0 || name > UINT32_MAX)
        return PS_NAME_OTHER;
    if ((uint64_t)name >= name_kinds->n && !ps_trace_text(db, (uint32_t)name).ptr)
        return PS_NAME_OTHER;
    meaning = ps_name_kinds_slot(name_kinds, (uint32_t)name);
    if (*meaning == PS_NAME_UNKNOWN)
        *meaning = (uint8_t)ps_name_kind_of(ps_trace_text(db, (uint32_t)name));
    return *meaning;
}

static bool visit_chunk(void *user, const struct ps_chunk *chunk)
{
    struct range_reader *reader = user;
    struct ps_range_sums *sums = reader->sums;
    struct target to = target_of(reader, chunk);

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i), end;
        enum ps_role role;

        if (__builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i), &end) ||
            start >= sums->to_ns || end <= sums->from_ns || kind == PS_SLICE_PYTHON)
            continue;
        role = ps_role_of(kind, ps_chunk_value(chunk, PS_COL_FLAGS, i),
                          ps_name_kind_get(reader->db, &reader->name_kinds,
                                           ps_chunk_value(chunk, PS_COL_NAME, i)));
        if (role != PS_N_ROLES)
            add_slice(reader, to, chunk, i, role, (struct ps_interval){start, end});
    }
    return true;
}

static void join_intervals(struct ps_range_sums *sums)
{
    for (uint32_t w = 0; w < sums->n_workers; w++) {
        for (size_t k = 0; k < PS_N_ROLES; k++)
            ps_intervals_join(&sums->workers[w].roles[k]);
        ps_intervals_join(&sums->workers[w].communication);
    }
    for (size_t i = 0; i < sums->n_devices; i++) {
        struct ps_device_sums *device = &sums->devices[i];

        ps_intervals_join(&device->compute);
        ps_intervals_join(&device->communication);
        ps_intervals_join(&device->copies);
        ps_sort_records(device->kernels, device->n_kernels, sizeof *device->kernels);
    }
}

/* Reads the tracks of the host without arguments, then the streams with arguments, which contain
 * the parameters of kernels. */
static enum ps_status read_slices(struct range_reader *reader, struct ps_err *err)
{
    const uint32_t host = 1u << PS_TRACK_THREAD | 1u << PS_TRACK_STREAM_ANNOTATIONS;
    struct ps_chunk_query query = {
        .track_kinds = host,
        .range = {reader->sums->from_ns, reader->sums->to_ns},
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS),
    };

    ps_trace_each_chunk(reader->db, &query, visit_chunk, reader, err);
    query.track_kinds = 1u << PS_TRACK_STREAM;
    query.columns |= PS_COL_BIT(PS_COL_TEMPLATE) | PS_COL_BIT(PS_COL_ARGS_AT);
    query.wants_args = true;
    return ps_trace_each_chunk(reader->db, &query, visit_chunk, reader, err);
}

enum ps_status ps_range_sums_read(struct ps_db *db, struct ps_range_sums *sums, struct ps_err *err)
{
    struct range_reader reader = {.db = db, .sums = sums};

    ps_track_owners_read(db, &reader.owners, err);
    sums->n_workers = reader.owners.n_workers ? reader.owners.n_workers : 1;
    sums->has_streams = reader.owners.has_streams;
    sums->workers = ps_alloc_array(sums->n_workers, sizeof *sums->workers);
    read_templates(&reader, err);
    read_slices(&reader, err);
    if (err->code == PS_OK)
        join_intervals(sums);
    range_reader_free(&reader);
    return err->code;
}

/* Sums each part over all workers. Returns the number of parts in `out`, which has space for
 * PS_PARTS_MAX. */
static size_t compute_parts(const struct ps_range_sums *sums, enum ps_breakdown definition,
                            struct ps_part *out)
{
    size_t n = 0;

    if (definition != PS_BREAKDOWN_TENSORBOARD && !sums->has_streams)
        return 0;
    for (uint32_t w = 0; w < sums->n_workers; w++) {
        const struct ps_worker_sums *worker = &sums->workers[w];
        struct ps_part parts[PS_PARTS_MAX];

        n = ps_breakdown_compute(definition, worker->roles, &worker->communication, sums->from_ns,
                                 sums->to_ns, parts);
        for (size_t i = 0; i < n; i++) {
            out[i].ns = w ? ps_add_saturated(out[i].ns, parts[i].ns) : parts[i].ns;
            out[i].name = parts[i].name;
        }
    }
    return n;
}

void ps_json_parts(struct ps_json *json, const struct ps_range_sums *sums)
{
    ps_json_key(json, "parts");
    ps_json_object(json);
    for (unsigned definition = 0; definition < PS_N_BREAKDOWNS; definition++) {
        struct ps_part parts[PS_PARTS_MAX];
        size_t n = compute_parts(sums, definition, parts);

        ps_json_key(json, ps_breakdown_words[definition]);
        ps_json_array(json);
        for (size_t i = 0; i < n; i++) {
            ps_json_array(json);
            ps_json_str(json, ps_str_from_c(parts[i].name));
            if (sums->n_workers == 1)
                ps_json_int(json, parts[i].ns);
            else
                ps_json_real(json, (double)parts[i].ns / (double)sums->n_workers);
            ps_json_end(json);
        }
        ps_json_end(json);
    }
    ps_json_end(json);
}

enum ps_status ps_steps_span(struct ps_db *db, struct ps_range *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("trace_steps_span"), &stmt, err);
    *out = (struct ps_range){0, 0};
    while (out->from_ns >= out->to_ns && ps_stmt_step(stmt, err))
        *out = ps_range_limit(ps_col_int(stmt, 0), ps_col_int(stmt, 1));
    return err->code;
}
