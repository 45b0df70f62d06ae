/* SPDX-License-Identifier: MIT */
/*
 * collectives.c: finds the calls of collectives, and what their arguments say about them.
 *
 * Since torch 2.1 the kernel of a collective has the arguments that record_param_comms recorded:
 * Collective name, Process Group Name, dtype, In msg nelems and others, since 2.6 Seq
 * (torch/csrc/profiler/util.h). Of older traces only the name of the kernel is known, and of
 * collectives of the host, such as gloo:all_reduce, also the tensors that they send.
 */
#include <stdlib.h>

#include "importers/records/collectives.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/trace/collectives.h"
#include "importers/trace/import_state.h"
#include "importers/trace/track.h"
#include "slices/op_model.h"
#include "slices/roles.h"

/* Collectives of one file; more make no process groups but noise. Calls of further ones are not
 * written. */
#define COLLECTIVES_MAX 65536u

enum field { FIELD_SEQUENCE, FIELD_IN, FIELD_OUT, FIELD_SIZE, N_FIELDS };
static const char *const field_names[N_FIELDS] = {"Seq", "In msg nelems", "Out msg nelems",
                                                  "Group size"};

/* Where a template of arguments has what describes a collective. */
struct layout {
    bool is_read, is_described;
    int field[N_FIELDS];         /* index of the parameter; -1: none */
    int first_member, n_members; /* the parameters in the list of the ranks of the group */
    struct ps_str name, group, description, members, dtype;
    int64_t element_bytes; /* 0: unknown */
};

struct tr_collectives {
    struct ps_name_kinds name_kinds;
    struct layout *layouts; /* by template id */
    size_t n_layouts;
    struct ps_intern known; /* collectives; id = intern id + 1 */
    bool has_kernels;
    struct ps_collective_call *host_calls; /* kept while has_kernels is false */
    size_t n_host_calls, cap_host_calls;
    uint64_t n_omitted;
    struct ps_buf key, members;
};

static struct tr_collectives *collectives_of(struct tr_trace *trace)
{
    if (!trace->import->collectives)
        trace->import->collectives = ps_alloc(sizeof *trace->import->collectives);
    return trace->import->collectives;
}

/* --- Arguments --- */

static int64_t bytes_of_type(struct ps_str name)
{
    static const struct {
        const char *word;
        int64_t bytes;
    } types[] = {{"Float", 4},
                 {"Half", 2},
                 {"BFloat16", 2},
                 {"Long", 8},
                 {"Int", 4},
                 {"Byte", 1},
                 {"Char", 1},
                 {"Bool", 1},
                 {"Short", 2},
                 {"Double", 8},
                 {"Float8_e4m3fn", 1},
                 {"Float8_e5m2", 1},
                 {"Float8_e4m3fnuz", 1},
                 {"Float8_e5m2fnuz", 1},
                 {"UInt16", 2},
                 {"UInt32", 4},
                 {"UInt64", 8},
                 {"ComplexHalf", 4},
                 {"ComplexFloat", 8},
                 {"ComplexDouble", 16}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (ps_str_eq_c(name, types[i].word))
            return types[i].bytes;
    return 0;
}

static void read_layout(struct ps_str template, struct layout *out)
{
    out->is_read = true;
    out->name = ps_template_string(template, PS_STR("Collective name"));
    out->is_described = out->name.len > 0;
    if (!out->is_described)
        return;
    out->group = ps_template_string(template, PS_STR("Process Group Name"));
    out->description = ps_template_string(template, PS_STR("Process Group Description"));
    out->members = ps_template_string(template, PS_STR("Process Group Ranks"));
    out->first_member = ps_template_param(template, PS_STR("Process Group Ranks"));
    out->n_members = out->first_member < 0 ? 0 : (int)ps_template_count_params(out->members);
    out->dtype = ps_template_string(template, PS_STR("dtype"));
    out->element_bytes = bytes_of_type(out->dtype);
    for (int i = 0; i < N_FIELDS; i++)
        out->field[i] = ps_template_param(template, ps_str_from_c(field_names[i]));
}

/* NULL: the arguments do not describe a collective. */
static const struct layout *layout_of(struct tr_trace *trace, uint32_t template)
{
    struct tr_collectives *c = collectives_of(trace);

    if (template <= PS_TEMPLATE_WHOLE)
        return NULL;
    c->layouts = ps_grow_to(c->layouts, &c->n_layouts, template, sizeof *c->layouts);
    if (!c->layouts[template].is_read)
        read_layout(trace->templates[template].text, &c->layouts[template]);
    return c->layouts[template].is_described ? &c->layouts[template] : NULL;
}

/* Appends the text of the ranks of the group from *at to the next marker, which is skipped. */
static void put_members(struct ps_str text, size_t *at, struct ps_buf *out)
{
    size_t from = *at;

    while (*at < text.len && !ps_template_is_marker(text.ptr[*at]))
        (*at)++;
    if (*at > from) /* no arithmetic on NULL: the ranks may not be a list */
        ps_buf_add(out, text.ptr + from, *at - from);
    *at += *at < text.len;
}

/* Reads the parameters of a call; absent fields are -1. Appends the ranks of the group to
 * `members`. */
static void read_fields(const struct layout *layout, struct ps_str markers, struct ps_str packed,
                        int64_t field[N_FIELDS], struct ps_buf *members)
{
    size_t text_at = 0;

    for (int i = 0; i < N_FIELDS; i++)
        field[i] = -1;
    put_members(layout->members, &text_at, members);
    for (int at = 0; at < (int)markers.len; at++) {
        struct ps_num value = ps_args_next(markers.ptr[at], &packed);

        if (value.kind != PS_NUM_INT)
            continue;
        for (int i = 0; i < N_FIELDS; i++)
            if (layout->field[i] == at)
                field[i] = value.i;
        if (at < layout->first_member || at >= layout->first_member + layout->n_members)
            continue;
        ps_buf_printf(members, "%lld", (long long)value.i);
        put_members(layout->members, &text_at, members);
    }
}

static int64_t bytes_of(const struct layout *layout, int64_t elements)
{
    int64_t bytes;

    return elements > 0 && !__builtin_mul_overflow(elements, layout->element_bytes, &bytes) ? bytes
                                                                                            : 0;
}

/* --- Calls --- */

/* Writes a collective. Strings of arguments are as in the file, so they may be any bytes. */
static void write_collective(struct tr_trace *trace, struct ps_collective row)
{
    struct ps_str *texts[] = {&row.name, &row.group, &row.description, &row.members, &row.dtype};
    struct ps_buf clean[sizeof texts / sizeof *texts] = {{0}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ps_clean_text(&clean[i], *texts[i]);
        *texts[i] = ps_buf_slice(&clean[i]);
    }
    trace->out->ops->collective(trace->out, &row);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ps_buf_free(&clean[i]);
}

/* Returns the id of a collective, which is written if it is new; 0: there are too many. */
static uint32_t collective_id(struct tr_trace *trace, struct ps_collective *row)
{
    struct tr_collectives *c = collectives_of(trace);
    uint32_t known;

    c->key.len = 0;
    ps_buf_printf(&c->key, "%d\n%u\n%.*s\n%.*s\n%.*s\n%.*s\n%.*s", row->is_described,
                  row->group_size, (int)row->name.len, row->name.ptr, (int)row->group.len,
                  row->group.ptr, (int)row->description.len, row->description.ptr,
                  (int)row->dtype.len, row->dtype.ptr, (int)row->members.len, row->members.ptr);
    known = ps_intern_find(&c->known, ps_buf_slice(&c->key));
    if (known != PS_INTERN_NONE)
        return known + 1;
    if (c->known.count == COLLECTIVES_MAX)
        return 0;
    row->id = ps_intern_add(&c->known, ps_buf_slice(&c->key)) + 1;
    write_collective(trace, *row);
    return row->id;
}

static void describe_call(struct tr_trace *trace, const struct layout *layout,
                          const struct tr_track *track, uint32_t row, struct ps_collective *kind,
                          struct ps_collective_call *call)
{
    struct tr_collectives *c = collectives_of(trace);
    int64_t field[N_FIELDS];

    c->members.len = 0;
    read_fields(layout, trace->templates[track->template[row]].markers,
                tr_params_at(trace, track->args_address[row]), field, &c->members);
    *kind = (struct ps_collective){
        .name = layout->name,
        .is_described = true,
        .group = layout->group,
        .description = layout->description,
        .members = ps_buf_slice(&c->members),
        .group_size = field[FIELD_SIZE] > 0 && field[FIELD_SIZE] <= UINT32_MAX
                          ? (uint32_t)field[FIELD_SIZE]
                          : 0,
        .dtype = layout->dtype,
    };
    call->sequence = field[FIELD_SEQUENCE] >= 0 ? field[FIELD_SEQUENCE] : -1;
    call->bytes_in = bytes_of(layout, field[FIELD_IN]);
    call->bytes_out = bytes_of(layout, field[FIELD_OUT]);
}

/* Sum of the tensors that a collective of the host sends; 0: unknown. */
static int64_t bytes_of_inputs(const struct tr_trace *trace, const struct tr_template *template)
{
    struct ps_op_call call;
    double sum = 0;

    if (!ps_op_call_parse((struct ps_str){0}, tr_text_of_id(trace, template->shapes),
                          ps_template_value(template->text, PS_STR("Input type"), false),
                          (struct ps_str){0}, &call))
        return 0;
    for (size_t i = 0; i < call.n; i++) {
        double bytes = call.inputs[i].element_bytes;

        for (size_t k = 0; k < call.inputs[i].n_dims; k++)
            bytes *= call.inputs[i].dims[k];
        if (call.inputs[i].is_tensor && !(bytes > 0))
            return 0; /* the type of a tensor is unknown */
        sum += call.inputs[i].is_tensor ? bytes : 0;
    }
    return sum < 9e18 ? (int64_t)sum : 0;
}

static void add_call(struct tr_trace *trace, const struct tr_track *track, uint32_t row)
{
    struct tr_collectives *c = collectives_of(trace);
    const struct layout *layout = layout_of(trace, track->template[row]);
    struct ps_collective kind = {.name = tr_text_of_id(trace, track->name_id[row])};
    struct ps_collective_call call = {.slice_id = ps_slice_id(track->id, row),
                                      .start_ns = track->start[row],
                                      .duration_ns = track->duration[row],
                                      .sequence = -1};

    if (layout)
        describe_call(trace, layout, track, row, &kind, &call);
    else if (track->kind == PS_TRACK_THREAD && track->template[row])
        call.bytes_in = bytes_of_inputs(trace, &trace->templates[track->template[row]]);
    call.collective = collective_id(trace, &kind);
    if (!call.collective) {
        c->n_omitted++;
    } else if (track->kind == PS_TRACK_STREAM) {
        c->has_kernels = true;
        trace->out->ops->collective_call(trace->out, &call);
    } else {
        PS_RESERVE_ONE(c->host_calls, c->n_host_calls, c->cap_host_calls);
        c->host_calls[c->n_host_calls++] = call;
    }
}

static bool is_collective(struct tr_trace *trace, const struct tr_track *track, uint32_t row)
{
    uint8_t kind = track->slice_kind[row];
    uint32_t name = track->name_id[row];
    uint8_t *slot;

    if (track->kind == PS_TRACK_STREAM ? kind != PS_SLICE_KERNEL
                                       : kind != PS_SLICE_OP && kind != PS_SLICE_ANNOTATION)
        return false;
    slot = ps_name_kinds_slot(&collectives_of(trace)->name_kinds, name);
    if (*slot == PS_NAME_UNKNOWN)
        *slot = (uint8_t)ps_name_kind_of(tr_text_of_id(trace, name));
    return ps_role_of(kind, track->flags[row], (enum ps_name_kind) * slot) == PS_ROLE_COMMUNICATION;
}

void tr_collectives_add(struct tr_trace *trace, const struct tr_track *track)
{
    bool is_host = track->kind == PS_TRACK_THREAD;

    if (!is_host && track->kind != PS_TRACK_STREAM)
        return;
    for (uint32_t row = 0; row < track->n && ps_sink_ok(trace->out); row++) {
        if (is_host && collectives_of(trace)->has_kernels)
            return;
        if (is_collective(trace, track, row))
            add_call(trace, track, row);
        tr_scratch_count_row(trace->scratch, row);
    }
}

void tr_collectives_write(struct tr_trace *trace)
{
    struct tr_collectives *c = collectives_of(trace);

    for (size_t i = 0; !c->has_kernels && i < c->n_host_calls && ps_sink_ok(trace->out); i++)
        trace->out->ops->collective_call(trace->out, &c->host_calls[i]);
    ps_sink_count(trace->out, PS_NOTE_WARNING, c->n_omitted,
                  "calls of collectives of too many process groups, not compared");
}

void tr_collectives_free(struct tr_import_state *import)
{
    struct tr_collectives *c = import->collectives;

    if (!c)
        return;
    ps_name_kinds_free(&c->name_kinds);
    ps_intern_free(&c->known);
    ps_buf_free(&c->key);
    ps_buf_free(&c->members);
    free(c->layouts);
    free(c->host_calls);
    free(c);
    import->collectives = NULL;
}
