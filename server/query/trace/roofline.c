/* SPDX-License-Identifier: MIT */
/*
 * roofline.c: the view roofline: what the operators compute and move, against the peaks of the
 * device.
 *
 * Device work belongs to the outermost operator around its launch that has a model
 * (slices/op_model.h), or to the operator that launched it where none has one, so no work counts
 * twice. The time of a call is the length of the union of its work. An operator that was captured
 * in a graph counts as one call for each launch of the graph.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/intern.h"
#include "server/query/trace/inference/inference.h"
#include "server/query/trace/parameters.h"
#include "server/query/trace/recording.h"
#include "server/query/trace/time_range.h"
#include "server/query/trace/trace_json.h"
#include "server/query/trace/trace_views.h"
#include "server/query/trace/utilisation/overview.h"
#include "server/query/trace/xla/xla.h"
#include "slices/args.h"
#include "slices/intervals.h"
#include "slices/peaks.h"

#define ROWS_MAX    2000 /* of an answer; the rest is one sum */
#define KERNELS_MAX 20   /* of a row; the rest is counted */
#define PEAK_MAX    1e9  /* of a peak that a request gives */
#define NONE        UINT32_MAX

/* Calls of one operator with the same shapes and types. */
struct group {
    uint32_t name; /* text id */
    int64_t family;
    struct ps_str dims, types; /* JSON, in the arena */
    bool has_model;
    struct ps_op_cost cost; /* of one call */
    int64_t calls, ns;
    int64_t slice;             /* of its first call */
    size_t kernels, n_kernels; /* first and number of its kernels in roofline.kernels */
};

/* The work with one name of a group. */
struct kernel {
    uint32_t group, name; /* text id */
    int64_t count, ns;    /* ns: sum of the durations */
};

/* Work of a device. */
struct work {
    int64_t owner;  /* slice id of the call it counts for; the operator, until that is known */
    int64_t launch; /* slice id of the launch of the graph that replayed it; 0: none did */
    int64_t start, end;
    uint32_t group, name; /* text id */
    bool is_transfer;     /* a copy between host and device: the link limits it, not the memory */
};

/* What is around the rows of a track: the call that all work inside of it counts for. */
struct around {
    int64_t owner; /* 0: none */
    uint32_t group;
    uint32_t paged; /* index + 1 in captured; 0: none */
};

/* A call of paged attention that was captured: the tokens are those of the step that replays it. */
struct captured_call {
    uint32_t name;
    struct ps_str arguments; /* in the arena */
};

struct roofline {
    struct ps_db *db;
    struct ps_range range;
    struct ps_inference serving; /* the steps whose tokens the cost of paged attention needs */
    struct work *works;
    size_t n_works, cap_works, next; /* next: the first work whose operator was not read yet */
    int64_t device_ns, unattributed_ns;
    int64_t first_ns, last_ns;
    struct ps_track_owners owners;
    struct ps_intern devices; /* worker and device of those with work */
    uint32_t counted;         /* the track whose device was counted last */
    struct group *groups;
    size_t n_groups, cap_groups;
    struct ps_intern keys; /* name, dims and types -> index in groups */
    struct ps_buf key;
    struct kernel *kernels;
    size_t n_kernels, cap_kernels;
    struct ps_intern kernel_keys; /* group and name -> index in kernels */
    struct ps_arena arena;
    size_t text_end;      /* greater than all text ids */
    uint8_t *name_models; /* by text id: 0 unknown, 1 has a model, 2 has none */
    size_t n_names;
    struct ps_intern known; /* name, template and `any` of group_of -> index in of_template */
    uint32_t *of_template;  /* group; NONE: the shapes have no model */
    size_t n_known, cap_known;
    uint32_t track;
    struct around *around; /* by row of the track */
    size_t n_around;
    struct captured_call *captured;
    size_t n_captured, cap_captured;
};

static void roofline_free(struct roofline *r)
{
    ps_inference_free(&r->serving);
    ps_track_owners_free(&r->owners);
    ps_intern_free(&r->devices);
    free(r->works);
    free(r->groups);
    free(r->kernels);
    ps_intern_free(&r->kernel_keys);
    ps_intern_free(&r->keys);
    ps_buf_free(&r->key);
    ps_arena_free(&r->arena);
    free(r->name_models);
    ps_intern_free(&r->known);
    free(r->of_template);
    free(r->around);
    free(r->captured);
}

/* Counts the device of a track with work. */
static void count_device(struct roofline *r, uint32_t track)
{
    const struct ps_track_owner owner = ps_track_owner_of(&r->owners, track);
    const int64_t key[2] = {owner.worker, owner.device};

    if (track == r->counted)
        return;
    r->counted = track;
    ps_intern_add(&r->devices, (struct ps_str){(const char *)key, sizeof key});
}

/* The text id of a name; 0: none, of a damaged run file. */
static uint32_t name_of(const struct roofline *r, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t id = ps_chunk_value(chunk, PS_COL_NAME, i);

    return id > 0 && (uint64_t)id < r->text_end ? (uint32_t)id : 0;
}

/* Whether a copy is between host and device, or devices, by its name: "Memcpy HtoD (Pinned ->
 * Device)", "[CUDA memcpy Device-to-Host]". */
static bool is_transfer(struct roofline *r, const struct ps_chunk *chunk, uint32_t i)
{
    static const char *const words[] = {"HtoD",           "DtoH",           "PtoP",
                                        "Host-to-Device", "Device-to-Host", "Peer-to-Peer"};
    struct ps_str name;

    if (ps_chunk_value(chunk, PS_COL_KIND, i) != PS_SLICE_MEMCPY)
        return false;
    name = ps_trace_text(r->db, name_of(r, chunk, i));
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (ps_str_find(name, ps_str_from_c(words[k])))
            return true;
    return false;
}

static bool visit_stream(void *user, const struct ps_chunk *chunk)
{
    struct roofline *r = user;

    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i),
                ns = ps_chunk_value(chunk, PS_COL_DURATION, i),
                op = ps_chunk_value(chunk, PS_COL_OP, i),
                launch = ps_chunk_value(chunk, PS_COL_FLAGS, i) & PS_SLICE_OP_RECORDED
                             ? ps_chunk_value(chunk, PS_COL_LAUNCH, i)
                             : 0;
        struct ps_range span;

        if (!ps_slice_on_device(ps_chunk_value(chunk, PS_COL_KIND, i)) ||
            start < r->range.from_ns || start >= r->range.to_ns || ns < 0)
            continue;
        count_device(r, chunk->track);
        span = ps_range_limit(start, 0);
        span.to_ns = ps_end_ns(span.from_ns, ns);
        r->device_ns = ps_add_saturated(r->device_ns, ns);
        r->first_ns = span.from_ns < r->first_ns ? span.from_ns : r->first_ns;
        r->last_ns = span.to_ns > r->last_ns ? span.to_ns : r->last_ns;
        if (op <= 0) {
            r->unattributed_ns = ps_add_saturated(r->unattributed_ns, ns);
            continue;
        }
        PS_RESERVE_ONE(r->works, r->n_works, r->cap_works);
        r->works[r->n_works++] = (struct work){op,
                                               launch,
                                               span.from_ns,
                                               span.to_ns,
                                               NONE,
                                               name_of(r, chunk, i),
                                               is_transfer(r, chunk, i)};
    }
    return true;
}

/* --- Operators --- */

/* The object with the arguments of a row: its template, or the whole JSON. */
static struct ps_str arguments_of(struct roofline *r, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t template = ps_chunk_value(chunk, PS_COL_TEMPLATE, i),
            at = ps_chunk_value(chunk, PS_COL_ARGS_AT, i);

    if (template == PS_TEMPLATE_WHOLE)
        return at >= 0 && (uint64_t)at <= chunk->args.len
                   ? ps_args_whole(ps_str_skip(chunk->args, (size_t)at))
                   : (struct ps_str){0};
    return template > 0 ? ps_trace_args_template(r->db, template) : (struct ps_str){0};
}

static struct ps_str keep(struct roofline *r, struct ps_str text)
{
    char *copy = ps_arena_alloc(&r->arena, text.len + 1);

    if (text.len)
        memcpy(copy, text.ptr, text.len);
    return (struct ps_str){copy, text.len};
}

/* Whether the call has a model, and its cost. id: its slice. */
static bool cost_of(struct roofline *r, const struct ps_op_call *call, int64_t id,
                    struct ps_op_cost *out)
{
    int64_t step;

    if (!ps_op_is_paged_attention(call->name))
        return ps_op_model(call, out);
    step = ps_inference_step_of(&r->serving, id);
    return step >= 0 && ps_op_paged_attention(call, &r->serving.steps[step].serving, out);
}

/* The group of a call; NONE, if only calls with a model are wanted and it has none. */
static uint32_t group_of(struct roofline *r, uint32_t name, struct ps_str arguments, int64_t id,
                         bool any)
{
    struct ps_str dims = ps_template_value(arguments, PS_STR("Input Dims"), false),
                  types = ps_template_value(arguments, PS_STR("Input type"), false);
    struct ps_op_call call;
    struct ps_op_cost cost = {0};
    bool has_model =
        ps_op_call_parse(ps_trace_text(r->db, name), dims, types,
                         ps_template_value(arguments, PS_STR("Concrete Inputs"), false), &call) &&
        cost_of(r, &call, id, &cost);
    uint32_t index;

    if (!has_model && !any)
        return NONE;
    r->key.len = 0;
    ps_buf_add(&r->key, (const char *)&name, sizeof name);
    ps_buf_add(&r->key, (const char *)&cost.flops, sizeof cost.flops);
    ps_buf_add(&r->key, (const char *)&cost.bytes, sizeof cost.bytes);
    ps_buf_add_str(&r->key, dims);
    ps_buf_add(&r->key, "\n", 1);
    ps_buf_add_str(&r->key, types);
    index = ps_intern_add(&r->keys, ps_buf_slice(&r->key));
    if (index == r->n_groups) {
        PS_RESERVE_ONE(r->groups, r->n_groups, r->cap_groups);
        r->groups[r->n_groups++] = (struct group){.name = name,
                                                  .dims = keep(r, dims),
                                                  .types = keep(r, types),
                                                  .has_model = has_model,
                                                  .cost = cost};
    }
    return index;
}

static bool has_model(struct roofline *r, uint32_t name)
{
    if (name >= r->text_end) /* a damaged run file */
        return false;
    r->name_models = ps_grow_to(r->name_models, &r->n_names, name, 1);
    if (!r->name_models[name])
        r->name_models[name] = ps_op_has_model(ps_trace_text(r->db, name)) ? 1 : 2;
    return r->name_models[name] == 1;
}

/* Returns the group of the call in row i (see group_of). If its cost depends only on its arguments,
 * the result is stored and used for all calls with the same name and template. */
static uint32_t group_of_row(struct roofline *r, const struct ps_chunk *chunk, uint32_t i,
                             uint32_t name, bool any)
{
    const int64_t key[3] = {name, ps_chunk_value(chunk, PS_COL_TEMPLATE, i), any},
                  id = ps_slice_id(chunk->track, chunk->first + i);
    uint32_t index;

    if (key[1] == PS_TEMPLATE_WHOLE || ps_op_is_paged_attention(ps_trace_text(r->db, name)))
        return group_of(r, name, arguments_of(r, chunk, i), id, any);
    index = ps_intern_add(&r->known, (struct ps_str){(const char *)key, sizeof key});
    if (index == r->n_known) {
        PS_RESERVE_ONE(r->of_template, r->n_known, r->cap_known);
        r->of_template[r->n_known++] = group_of(r, name, arguments_of(r, chunk, i), id, any);
    }
    return r->of_template[index];
}

/* The group of the calls of another one that copy between host and device. It has no model: the
 * bandwidth of the link is not known. */
static uint32_t transfer_group(struct roofline *r, uint32_t group)
{
    uint32_t index;

    r->key.len = 0;
    ps_buf_puts(&r->key, "transfer");
    ps_buf_add(&r->key, (const char *)&group, sizeof group);
    index = ps_intern_add(&r->keys, ps_buf_slice(&r->key));
    if (index == r->n_groups) {
        PS_RESERVE_ONE(r->groups, r->n_groups, r->cap_groups);
        r->groups[r->n_groups] = r->groups[group];
        r->groups[r->n_groups].has_model = false;
        r->groups[r->n_groups++].cost = (struct ps_op_cost){0};
    }
    return index;
}

/* The group of a piece of work inside of a call with a model. */
static uint32_t group_of_work(struct roofline *r, struct around around, const struct work *work)
{
    const struct captured_call *call;

    if (!around.paged)
        return around.group;
    call = &r->captured[around.paged - 1];
    return group_of(r, call->name, call->arguments, work->launch, true);
}

/* Gives the works of an operator their owner. */
static void assign_works(struct roofline *r, const struct ps_chunk *chunk, uint32_t i,
                         struct around around, uint32_t name)
{
    int64_t id = ps_slice_id(chunk->track, chunk->first + i);
    uint32_t group = around.group;

    for (; r->next < r->n_works && r->works[r->next].owner < id; r->next++)
        ; /* the run has no such operator: the work keeps no group */
    if (r->next == r->n_works || r->works[r->next].owner != id)
        return;
    if (!around.owner) {
        group = group_of_row(r, chunk, i, name, true);
        r->groups[group].family = ps_chunk_value(chunk, PS_COL_FAMILY, i);
    }
    for (; r->next < r->n_works && r->works[r->next].owner == id; r->next++) {
        r->works[r->next].owner = around.owner ? around.owner : id;
        r->works[r->next].group =
            around.owner ? group_of_work(r, around, &r->works[r->next]) : group;
        if (around.paged)
            r->groups[r->works[r->next].group].family = PS_FAMILY_ATTENTION;
        if (r->works[r->next].is_transfer && r->groups[r->works[r->next].group].has_model)
            r->works[r->next].group = transfer_group(r, r->works[r->next].group);
    }
}

/* What is around the rows of an operator whose name has a model. */
static struct around around_model(struct roofline *r, const struct ps_chunk *chunk, uint32_t i,
                                  uint32_t name)
{
    int64_t id = ps_slice_id(chunk->track, chunk->first + i);
    uint32_t group;

    if (ps_op_is_paged_attention(ps_trace_text(r->db, name)) &&
        ps_inference_step_of(&r->serving, id) < 0) {
        PS_RESERVE_ONE(r->captured, r->n_captured, r->cap_captured);
        r->captured[r->n_captured++] =
            (struct captured_call){name, keep(r, arguments_of(r, chunk, i))};
        return (struct around){id, NONE, (uint32_t)r->n_captured};
    }
    group = group_of_row(r, chunk, i, name, false);
    if (group == NONE)
        return (struct around){0};
    r->groups[group].family = ps_chunk_value(chunk, PS_COL_FAMILY, i);
    return (struct around){id, group, 0};
}

static bool visit_host(void *user, const struct ps_chunk *chunk)
{
    struct roofline *r = user;

    if (chunk->track != r->track) {
        r->track = chunk->track;
        if (r->n_around)
            memset(r->around, 0, r->n_around * sizeof *r->around);
    }
    r->around =
        ps_grow_to(r->around, &r->n_around, (size_t)chunk->first + chunk->n, sizeof *r->around);
    for (uint32_t i = 0; i < chunk->n; i++) {
        const uint32_t row = chunk->first + i,
                       name = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i);
        const int64_t back = ps_chunk_value(chunk, PS_COL_PARENT, i),
                      kind = ps_chunk_value(chunk, PS_COL_KIND, i);
        struct around around = back > 0 && back <= row ? r->around[row - back] : (struct around){0};

        if (!around.owner && kind == PS_SLICE_OP && has_model(r, name))
            around = around_model(r, chunk, i, name);
        assign_works(r, chunk, i, around, name);
        r->around[row] = around;
    }
    return true;
}

static int by_launch(const void *a, const void *b)
{
    const struct work *x = a, *y = b;

    if (x->launch != y->launch)
        return x->launch < y->launch ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static void add_kernel(struct roofline *r, uint32_t group, const struct work *work)
{
    const uint32_t key[2] = {group, work->name};
    uint32_t index = ps_intern_add(&r->kernel_keys, (struct ps_str){(const char *)key, sizeof key});

    if (index == r->n_kernels) {
        PS_RESERVE_ONE(r->kernels, r->n_kernels, r->cap_kernels);
        r->kernels[r->n_kernels++] = (struct kernel){.group = group, .name = work->name};
    }
    r->kernels[index].count++;
    r->kernels[index].ns = ps_add_saturated(r->kernels[index].ns, work->end - work->start);
}

static int by_group(const void *a, const void *b)
{
    const struct kernel *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    return (x->name > y->name) - (x->name < y->name);
}

/* Sorts the kernels by group, most time first, and tells the groups theirs. */
static void assign_kernels(struct roofline *r)
{
    if (r->n_kernels)
        qsort(r->kernels, r->n_kernels, sizeof *r->kernels, by_group);
    for (size_t i = r->n_kernels; i-- > 0;) {
        struct group *group = &r->groups[r->kernels[i].group];

        group->kernels = i;
        group->n_kernels++;
    }
}

/* Adds the time of each call to its group. */
static void add_calls(struct roofline *r)
{
    if (r->n_works)
        qsort(r->works, r->n_works, sizeof *r->works, by_launch);
    ps_sort_records(r->works, r->n_works, sizeof *r->works); /* stable: by owner, launch, start */
    for (size_t i = 0; i < r->n_works;) {
        const int64_t owner = r->works[i].owner, launch = r->works[i].launch;
        const uint32_t group = r->works[i].group;
        int64_t end = INT64_MIN, ns = 0;

        for (; i < r->n_works && r->works[i].owner == owner && r->works[i].launch == launch; i++) {
            int64_t from = r->works[i].start > end ? r->works[i].start : end;

            if (group != NONE)
                add_kernel(r, group, &r->works[i]);
            if (r->works[i].end > from) {
                ns = ps_add_saturated(ns, r->works[i].end - from);
                end = r->works[i].end;
            }
        }
        if (group == NONE) {
            r->unattributed_ns = ps_add_saturated(r->unattributed_ns, ns);
            continue;
        }
        if (!r->groups[group].calls++)
            r->groups[group].slice = owner;
        r->groups[group].ns = ps_add_saturated(r->groups[group].ns, ns);
    }
}

/* --- Operators of XLA --- */

/* XLA says what an operator computes and moves, so that it needs no model of shapes. */

struct xla_reading {
    struct roofline *r;
    struct ps_xla_arguments arguments;
    const struct ps_track_row *tracks;
    size_t n_tracks;
};

/* Counts the device of a track: each has a plane, which is a process of the run. */
static void count_plane(struct xla_reading *reading, uint32_t track)
{
    if (track == reading->r->counted)
        return;
    reading->r->counted = track;
    for (size_t i = 0; i < reading->n_tracks; i++)
        if (reading->tracks[i].id == track)
            ps_intern_add(&reading->r->devices,
                          (struct ps_str){(const char *)&reading->tracks[i].process_id,
                                          sizeof reading->tracks[i].process_id});
}

/* The group of the calls of an operator with equal costs. */
static uint32_t group_of_xla(struct roofline *r, uint32_t name, int64_t family,
                             const struct ps_xla_call *call)
{
    const int64_t key[3] = {name, call->flops, call->bytes};
    const uint32_t index = ps_intern_add(&r->keys, (struct ps_str){(const char *)key, sizeof key});

    if (index == r->n_groups) {
        PS_RESERVE_ONE(r->groups, r->n_groups, r->cap_groups);
        r->groups[r->n_groups++] =
            (struct group){.name = name,
                           .family = family,
                           .dims = PS_STR(""),
                           .types = PS_STR(""),
                           .has_model = call->flops >= 0 || call->bytes >= 0,
                           .cost = {.flops = call->flops >= 0 ? (double)call->flops : 0,
                                    .bytes = call->bytes >= 0 ? (double)call->bytes : NAN,
                                    .is_matrix = true,
                                    .type = PS_NUMBER_BF16}}; /* see read_xla_peaks */
    }
    return index;
}

static bool visit_xla(void *user, const struct ps_chunk *chunk)
{
    struct xla_reading *reading = user;
    struct roofline *r = reading->r;

    for (uint32_t i = 0; i < chunk->n; i++) {
        const int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i),
                      start = ps_chunk_value(chunk, PS_COL_START, i),
                      ns = ps_chunk_value(chunk, PS_COL_SELF, i);
        struct ps_xla_call call;
        struct group *group;
        uint32_t index;

        if ((kind != PS_SLICE_OP && !ps_slice_on_device(kind)) || start < r->range.from_ns ||
            start >= r->range.to_ns || ns < 0)
            continue;
        call = ps_xla_read_call(&reading->arguments, chunk, i);
        count_plane(reading, chunk->track);
        index = group_of_xla(r, call.name ? call.name : name_of(r, chunk, i),
                             ps_chunk_value(chunk, PS_COL_FAMILY, i), &call);
        group = &r->groups[index];
        if (!group->calls++)
            group->slice = ps_slice_id(chunk->track, chunk->first + i);
        group->ns = ps_add_saturated(group->ns, ns);
        r->device_ns = ps_add_saturated(r->device_ns, ns);
        r->first_ns = start < r->first_ns ? start : r->first_ns;
        r->last_ns = ps_end_ns(start, ns) > r->last_ns ? ps_end_ns(start, ns) : r->last_ns;
    }
    return true;
}

static enum ps_status read_xla(struct roofline *r, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .slice_kinds = 1u << PS_SLICE_OP | 1u << PS_SLICE_KERNEL | 1u << PS_SLICE_MEMCPY |
                       1u << PS_SLICE_MEMSET,
        .range = r->range,
        .must_start_in_range = true,
        .columns = PS_XLA_CALL_COLUMNS | PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_SELF) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FAMILY),
        .wants_args = true};
    struct xla_reading reading = {.r = r};

    if (ps_trace_get_text_end(r->db, &r->text_end, err) == PS_OK &&
        ps_trace_get_tracks(r->db, &reading.tracks, &reading.n_tracks, err) == PS_OK &&
        ps_xla_arguments_open(r->db, &reading.arguments, err) == PS_OK)
        ps_trace_each_chunk(r->db, &query, visit_xla, &reading, err);
    ps_xla_arguments_close(&reading.arguments);
    return err->code;
}

static enum ps_status read_roofline(struct roofline *r, struct ps_err *err)
{
    const struct ps_chunk_query streams = {
        .track_kinds = 1u << PS_TRACK_STREAM,
        .range = r->range,
        .must_start_in_range = true,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_OP) | PS_COL_BIT(PS_COL_FLAGS) |
                   PS_COL_BIT(PS_COL_LAUNCH) | PS_COL_BIT(PS_COL_NAME)};
    const struct ps_chunk_query host = {.track_kinds = 1u << PS_TRACK_THREAD,
                                        .range = PS_RANGE_ALL,
                                        .columns =
                                            PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_PARENT) |
                                            PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_TEMPLATE) |
                                            PS_COL_BIT(PS_COL_ARGS_AT) | PS_COL_BIT(PS_COL_FAMILY),
                                        .wants_args = true};

    bool is_xla = false;

    r->first_ns = INT64_MAX;
    r->last_ns = INT64_MIN;
    if (ps_trace_is_xla(r->db, &is_xla, err) != PS_OK || is_xla)
        return is_xla ? read_xla(r, err) : err->code;
    if (ps_trace_get_text_end(r->db, &r->text_end, err) != PS_OK ||
        ps_inference_read(r->db, &r->serving, err) != PS_OK ||
        ps_track_owners_read(r->db, &r->owners, err) != PS_OK ||
        ps_trace_each_chunk(r->db, &streams, visit_stream, r, err) != PS_OK)
        return err->code;
    ps_sort_records(r->works, r->n_works, sizeof *r->works); /* by operator */
    ps_trace_each_chunk(r->db, &host, visit_host, r, err);
    add_calls(r);
    assign_kernels(r);
    return err->code;
}

/* --- Peaks --- */

struct used_peaks {
    char device[160], name[80], source[160];
    bool is_known;
    struct ps_peaks peaks;
};

/* The peak called `key`, such as "matrix_bf16"; NULL: none is. */
static double *peak_named(struct ps_peaks *peaks, struct ps_str key)
{
    bool is_matrix = ps_str_starts_with(key, PS_STR("matrix_"));

    if (ps_str_eq_c(key, "bandwidth"))
        return &peaks->bandwidth;
    if (!is_matrix && !ps_str_starts_with(key, PS_STR("vector_")))
        return NULL;
    for (int type = 1; type < PS_N_NUMBER_TYPES; type++)
        if (ps_str_eq_c(ps_str_skip(key, 7), ps_number_type_name((enum ps_number_type)type)))
            return &(is_matrix ? peaks->matrix : peaks->vector)[type];
    return NULL;
}

/* Reads "matrix_bf16:708". */
static enum ps_status read_peak(struct ps_str word, struct ps_peaks *peaks, struct ps_err *err)
{
    char number[40] = "", *end;
    size_t colon = 0;
    double value, *peak;

    while (colon < word.len && word.ptr[colon] != ':')
        colon++;
    peak = peak_named(peaks, (struct ps_str){word.ptr, colon});
    if (!peak || colon == word.len || word.len - colon - 1 >= sizeof number)
        return ps_fail(err, PS_BAD_REQUEST,
                       "a peak is matrix_TYPE, vector_TYPE or bandwidth with a number, such as "
                       "matrix_bf16:708, not '%.*s'",
                       (int)word.len, word.ptr);
    memcpy(number, word.ptr + colon + 1, word.len - colon - 1);
    value = strtod(number, &end);
    if (end == number || *end || !(value > 0) || !(value < PEAK_MAX))
        return ps_fail(err, PS_BAD_REQUEST, "the peak '%.*s' is not a number above 0",
                       (int)word.len, word.ptr);
    *peak = value;
    return PS_OK;
}

/* Reads "matrix_bf16:708,vector_fp32:81,bandwidth:5300": TFLOP/s, and GB/s. */
static enum ps_status read_given(const char *text, struct ps_peaks *peaks, struct ps_err *err)
{
    struct ps_str rest = ps_str_from_c(text);

    while (rest.len && err->code == PS_OK) {
        size_t n = 0;

        while (n < rest.len && rest.ptr[n] != ',')
            n++;
        read_peak((struct ps_str){rest.ptr, n}, peaks, err);
        rest = ps_str_skip(rest, n + 1);
    }
    return err->code;
}

/* The peaks that XLA itself writes of its first device: of bfloat16 on the matrix units, which it
 * also uses for operators whose type it does not say. */
static enum ps_status read_xla_peaks(struct ps_db *db, struct used_peaks *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_str name;

    ps_db_prepare(db, ps_query_sql("roofline_xla_device"), &stmt, err);
    if (!ps_stmt_step(stmt, err))
        return err->code;
    name = ps_col_text(stmt, 0);
    snprintf(out->device, sizeof out->device, "%.*s", (int)(name.len < 159 ? name.len : 159),
             name.ptr ? name.ptr : "");
    out->peaks.matrix[PS_NUMBER_BF16] = ps_col_real(stmt, 1);
    out->peaks.bandwidth = ps_col_real(stmt, 2);
    out->is_known = out->peaks.bandwidth > 0;
    snprintf(out->name, sizeof out->name, "%.79s", out->device);
    snprintf(out->source, sizeof out->source, "the recording");
    return err->code;
}

static enum ps_status read_peaks(struct ps_db *db, struct ps_params params, struct used_peaks *out,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    const struct ps_device_peaks *found = NULL;
    const char *given = ps_param_get(params, "peak");

    ps_db_prepare(db, ps_query_sql("roofline_device"), &stmt, err);
    if (ps_stmt_step(stmt, err)) {
        struct ps_str name = ps_col_text(stmt, 0);

        snprintf(out->device, sizeof out->device, "%.*s", (int)(name.len < 159 ? name.len : 159),
                 name.ptr ? name.ptr : "");
        found = ps_peaks_of_device(name);
    }
    if (found) {
        out->is_known = true;
        out->peaks = found->peaks;
        snprintf(out->name, sizeof out->name, "%s", found->name);
        snprintf(out->source, sizeof out->source, "%s, %s", found->source, PS_PEAKS_DATE);
    }
    if (!found)
        read_xla_peaks(db, out, err);
    if (given && given[0]) {
        out->is_known = true;
        snprintf(out->source, sizeof out->source, "%s",
                 found ? "given, others from the data sheet" : "given");
        return read_given(given, &out->peaks, err);
    }
    return err->code;
}

/* TFLOP/s of the units that a group uses; 0: unknown. */
static double peak_of(const struct used_peaks *used, const struct ps_op_cost *cost)
{
    return (cost->is_matrix ? used->peaks.matrix : used->peaks.vector)[cost->type];
}

/* ns that a call needs at least for its operations, and for its bytes; NaN: unknown. */
static double compute_ns(const struct used_peaks *used, const struct ps_op_cost *cost)
{
    double peak = peak_of(used, cost);

    return peak > 0 ? cost->flops / peak / 1e3 : NAN;
}

static double memory_ns(const struct used_peaks *used, const struct ps_op_cost *cost)
{
    return used->peaks.bandwidth > 0 ? cost->bytes / used->peaks.bandwidth : NAN;
}

/* --- The answer --- */

static void write_real(struct ps_json *json, const char *key, double value)
{
    ps_json_key(json, key);
    if (isfinite(value))
        ps_json_real(json, value);
    else
        ps_json_null(json);
}

static void write_types(struct ps_json *json, const char *key, const double *values)
{
    ps_json_key(json, key);
    ps_json_object(json);
    for (int type = 1; type < PS_N_NUMBER_TYPES; type++)
        if (values[type] > 0)
            ps_json_key_real(json, ps_number_type_name((enum ps_number_type)type), values[type]);
    ps_json_end(json);
}

static void write_peaks(struct ps_json *json, const struct used_peaks *used)
{
    ps_json_key_str(json, "device", used->device);
    ps_json_key(json, "peaks");
    if (!used->is_known) {
        ps_json_null(json);
        return;
    }
    ps_json_object(json);
    ps_json_key_str(json, "name", used->name);
    ps_json_key_str(json, "source", used->source);
    write_types(json, "matrix", used->peaks.matrix);
    write_types(json, "vector", used->peaks.vector);
    ps_json_key_real(json, "bandwidth", used->peaks.bandwidth);
    ps_json_end(json);
}

/* Sums over the groups with a model. */
struct sums {
    double flops, bytes, compute_ns, memory_ns, limit_ns;
    int64_t modelled_ns, limited_ns; /* limited: of groups with a known limit */
};

static double limit_of(double compute, double memory)
{
    return isnan(compute) || isnan(memory) ? NAN : fmax(compute, memory);
}

static void add_sums(struct sums *sums, const struct group *group, const struct used_peaks *used)
{
    double calls = (double)group->calls, compute = compute_ns(used, &group->cost),
           memory = memory_ns(used, &group->cost), limit = limit_of(compute, memory);

    if (!group->has_model)
        return;
    sums->modelled_ns = ps_add_saturated(sums->modelled_ns, group->ns);
    sums->flops += calls * group->cost.flops;
    if (!isnan(group->cost.bytes))
        sums->bytes += calls * group->cost.bytes;
    if (isnan(limit))
        return;
    sums->limited_ns = ps_add_saturated(sums->limited_ns, group->ns);
    sums->compute_ns += calls * compute;
    sums->memory_ns += calls * memory;
    sums->limit_ns += calls * limit;
}

static void write_kernels(const struct roofline *r, struct ps_json *json, const struct group *group)
{
    ps_json_key(json, "kernels");
    ps_json_array(json);
    for (size_t i = 0; i < group->n_kernels && i < KERNELS_MAX; i++) {
        const struct kernel *kernel = &r->kernels[group->kernels + i];

        ps_json_object(json);
        ps_json_text(json, "name", r->db, kernel->name);
        ps_json_key_int(json, "name_id", kernel->name);
        ps_json_key_int(json, "count", kernel->count);
        ps_json_key_int(json, "device_ns", kernel->ns);
        ps_json_end(json);
    }
    ps_json_end(json);
    ps_json_key_int(json, "kernels_omitted",
                    group->n_kernels > KERNELS_MAX ? (int64_t)(group->n_kernels - KERNELS_MAX) : 0);
}

static void write_row(const struct roofline *r, struct ps_json *json, const struct group *group,
                      const struct used_peaks *used)
{
    double seconds = (double)group->ns / 1e9, calls = (double)group->calls,
           compute = compute_ns(used, &group->cost), memory = memory_ns(used, &group->cost),
           limit = calls * limit_of(compute, memory);
    const struct ps_op_cost *cost = &group->cost;

    ps_json_object(json);
    ps_json_text(json, "name", r->db, group->name);
    ps_json_key_int(json, "name_id", group->name);
    ps_json_key_int(json, "family", group->family);
    ps_json_key(json, "shapes");
    ps_json_str(json, group->dims);
    ps_json_key(json, "types");
    ps_json_str(json, group->types);
    ps_json_key_int(json, "calls", group->calls);
    ps_json_key_int(json, "device_ns", group->ns);
    ps_json_key_int(json, "slice", group->slice);
    write_kernels(r, json, group);
    ps_json_key_bool(json, "has_model", group->has_model);
    if (group->has_model) {
        write_real(json, "flops", cost->flops);
        write_real(json, "bytes", cost->bytes);
        write_real(json, "intensity", cost->flops / cost->bytes);
        write_real(json, "tflops", calls * cost->flops / seconds / 1e12);
        write_real(json, "gbps", calls * cost->bytes / seconds / 1e9);
        ps_json_key_str(json, "units", cost->is_matrix ? "matrix" : "vector");
        ps_json_key_str(json, "type", ps_number_type_name(cost->type));
        write_real(json, "peak_tflops", peak_of(used, cost) > 0 ? peak_of(used, cost) : NAN);
        write_real(json, "limit_ns", limit);
        ps_json_key_str(json, "bound",
                        isnan(limit)        ? NULL
                        : compute >= memory ? "compute"
                                            : "memory");
        write_real(json, "percent", 100 * limit / (double)group->ns);
    }
    ps_json_end(json);
}

static int by_time(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    return (x->slice > y->slice) - (x->slice < y->slice);
}

static void write_roofline(struct roofline *r, const struct used_peaks *used, struct ps_json *json)
{
    struct sums sums = {0};
    const double devices = r->devices.count;
    int64_t span = r->last_ns > r->first_ns ? r->last_ns - r->first_ns : 0, omitted_ns = 0;
    size_t n = 0;

    if (r->n_groups)
        qsort(r->groups, r->n_groups, sizeof *r->groups, by_time);
    for (size_t i = 0; i < r->n_groups; i++)
        add_sums(&sums, &r->groups[i], used);
    ps_json_object(json);
    write_peaks(json, used);
    ps_json_key_int(json, "devices", r->devices.count);
    ps_json_key_int(json, "span_ns", span);
    ps_json_key_int(json, "device_ns", r->device_ns);
    ps_json_key_int(json, "modelled_ns", sums.modelled_ns);
    ps_json_key_int(json, "unattributed_ns", r->unattributed_ns);
    ps_json_key_real(json, "flops", sums.flops);
    ps_json_key_real(json, "bytes", sums.bytes);
    ps_json_key_int(json, "limited_ns", sums.limited_ns);
    write_real(json, "limit_ns", sums.limited_ns ? sums.limit_ns : NAN);
    write_real(json, "mfu",
               sums.limited_ns && span ? sums.compute_ns / devices / (double)span : NAN);
    write_real(json, "mbu",
               sums.limited_ns && span ? sums.memory_ns / devices / (double)span : NAN);
    ps_json_key(json, "rows");
    ps_json_array(json);
    for (size_t i = 0; i < r->n_groups; i++) {
        if (r->groups[i].calls == 0)
            continue;
        if (n++ < ROWS_MAX)
            write_row(r, json, &r->groups[i], used);
        else
            omitted_ns = ps_add_saturated(omitted_ns, r->groups[i].ns);
    }
    ps_json_end(json);
    ps_json_key_int(json, "omitted", n > ROWS_MAX ? (int64_t)(n - ROWS_MAX) : 0);
    ps_json_key_int(json, "omitted_ns", omitted_ns);
    ps_json_end(json);
}

enum ps_status ps_view_roofline(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err)
{
    PS_AUTO(roofline_free) struct roofline r = {.db = db};
    struct ps_json json = ps_json_writer(&answer->body);
    struct used_peaks used = {0};

    (void)view, (void)id;
    if (ps_param_range(params, &r.range, err) == PS_OK &&
        read_peaks(db, params, &used, err) == PS_OK && read_roofline(&r, err) == PS_OK)
        write_roofline(&r, &used, &json);
    return err->code;
}
