/* SPDX-License-Identifier: MIT */
/*
 * xla.c: what the slices of XLA's profiler mean, which JAX and TensorFlow use: operators, steps,
 * waits for other threads, marks without time of their own, work of devices, and lines of a device
 * that repeat others.
 *
 * The XPlane file and the JSON beside it have the same planes (processes), lines (threads), names
 * and arguments, so both get the same kinds here.
 *
 * XLA runs operators on threads of its own, so the thread of the program mostly waits inside a mark
 * of a step. Waits get the kind of waiting streams, marks and repeated lines that of spans: neither
 * is counted as work, and the timeline still shows them.
 *
 * Tested with jax 0.12.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "importers/records/steps.h"
#include "importers/trace/import_state.h"
#include "importers/trace/processes.h"
#include "importers/trace/xla.h"
#include "slices/intervals.h"
#include "slices/xla_names.h"

struct step {
    int64_t start, end;
    struct ps_str name; /* in trace->arena */
};

/* What the lines of a plane hold. */
enum line {
    LINE_HOST,      /* a thread */
    LINE_STREAM,    /* work of a device */
    LINE_OPERATORS, /* operators of a device that has no streams, nested */
    LINE_STEPS,     /* steps that a device marks */
    LINE_REPEATED   /* derived from other lines, or in flight beside them */
};

enum template_flag { IS_STEP = 1, IS_OPERATOR = 2, IS_COPY = 4, IS_SET = 8, IS_DRIVER_CALL = 16 };

struct steps {
    struct step *items;
    size_t n, cap;
};

struct tr_xla {
    uint8_t *kind_of_name;      /* by text id: enum ps_slice_kind */
    uint8_t *flags_of_template; /* by template id: enum template_flag */
    uint8_t *lines;             /* by thread: enum line */
    struct steps of_host, of_device;
};

static bool is_wait(struct ps_str name)
{
    return ps_str_starts_with(name, PS_STR("Wait: ")) ||
           ps_str_starts_with(name, PS_STR("Wait for ")) ||
           ps_str_starts_with(name, PS_STR("Rendezvous")) ||
           ps_str_ends_with(name, PS_STR("(wait for completion)")) ||
           ps_str_ends_with(name, PS_STR("::Await")) ||
           ps_str_find(name, PS_STR("BlockHostUntil")) != NULL ||
           ps_str_find(name, PS_STR("BlockUntilReady")) != NULL;
}

/* Whether the name is of an event that XLA adds to others: "end: dot" where the operator dot has
 * ended, a hand-over of work to a pool of threads, or the executor around all operators. */
static bool is_mark(struct ps_str name)
{
    return ps_str_starts_with(name, PS_STR("end: ")) ||
           ps_str_starts_with(name, PS_STR("ThreadpoolListener::")) ||
           ps_str_starts_with(name, PS_STR("ThunkExecutor::Execute"));
}

/* Lines of a device that repeat others: xprof derives them from the streams, and names the stream
 * if there are several: "XLA Ops - from #17". Asynchronous operators run beside those of their
 * device. */
static enum line line_of_device(struct ps_str name, bool has_streams)
{
    const char *from = ps_str_find(name, PS_STR(" - from #"));
    static const char *const repeated[] = {"XLA Modules", "Framework Name Scope",  "Framework Ops",
                                           "Source code", "TensorFlow Name Scope", "TensorFlow Ops",
                                           "Source Code", "Async XLA Ops",         "XLA TraceMe"};

    if (ps_str_starts_with(name, PS_STR("Stream #")))
        return LINE_STREAM;
    name.len = from ? (size_t)(from - name.ptr) : name.len;
    if (ps_str_eq_c(name, "Steps"))
        return has_streams ? LINE_REPEATED : LINE_STEPS;
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++)
        if (ps_str_eq_c(name, repeated[i]))
            return LINE_REPEATED;
    if (ps_str_eq_c(name, "XLA Ops"))
        return has_streams ? LINE_REPEATED : LINE_OPERATORS;
    return LINE_HOST;
}

/* The number of the device that a plane is of, such as 3 of "/device:GPU:3"; -1: of none. */
static int64_t device_of_plane(struct ps_str plane)
{
    const char *colon;
    int64_t number;

    if (!ps_str_starts_with(plane, PS_STR("/device:")))
        return -1;
    colon = memrchr(plane.ptr, ':', plane.len);
    return ps_str_parse_i64(ps_str_skip(plane, (size_t)(colon + 1 - plane.ptr)), &number) &&
                   number >= 0
               ? number
               : -1;
}

/* Makes a thread a stream of its device: all of its slices are work. */
static void set_stream(struct tr_import_state *import, uint32_t thread)
{
    struct tr_thread_facts *facts = &import->threads[thread];

    facts->n[TR_CLASS_STREAM] += facts->n[TR_CLASS_THREAD];
    facts->n[TR_CLASS_THREAD] = 0;
}

static void read_lines(const struct tr_trace *trace, struct tr_xla *xla)
{
    struct tr_import_state *import = trace->import;
    PS_AUTO(ps_free_ptr) bool *has_streams = ps_alloc_array((size_t)import->n_processes + 1, 1);

    for (uint32_t i = 0; i < import->n_processes; i++)
        import->processes[i].device = device_of_plane(import->processes[i].name);
    for (uint32_t i = 0; i < trace->n_threads; i++)
        has_streams[import->threads[i].process] |=
            ps_str_starts_with(import->threads[i].name, PS_STR("Stream #"));
    for (uint32_t i = 0; i < trace->n_threads; i++) {
        const uint32_t process = import->threads[i].process;

        if (import->processes[process].device < 0)
            continue;
        xla->lines[i] = (uint8_t)line_of_device(import->threads[i].name, has_streams[process]);
        if (xla->lines[i] == LINE_STREAM)
            set_stream(import, i);
    }
}

static bool has_key(struct ps_str template, const char *key)
{
    return ps_template_value(template, ps_str_from_c(key), false).ptr != NULL;
}

/* The texts by which operators are grouped must be in the table of texts. */
static void add_text(struct tr_trace *trace, struct ps_str template, const char *key)
{
    const struct ps_str text = ps_template_string(template, ps_str_from_c(key));

    if (text.len)
        tr_text_id(trace, text);
}

static void read_template(struct tr_trace *trace, struct tr_xla *xla, uint32_t id)
{
    const struct ps_str text = trace->templates[id].text;
    uint8_t *flags = &xla->flags_of_template[id];

    *flags |= has_key(text, "step_num") ? IS_STEP : 0;
    *flags |= has_key(text, PS_XLA_OPERATOR) ? IS_OPERATOR : 0;
    *flags |= has_key(text, "memcpy_details") ? IS_COPY : 0;
    *flags |= has_key(text, "memset_details") ? IS_SET : 0;
    *flags |= has_key(text, "correlation_id") ? IS_DRIVER_CALL : 0;
    trace->import->has_flops |= has_key(text, "flops") || has_key(text, "bytes_accessed");
    for (size_t i = 0; i < PS_N_XLA_TEXTS; i++)
        add_text(trace, text, ps_xla_texts[i]);
}

struct tr_xla *tr_xla_new(struct tr_trace *trace)
{
    struct tr_xla *xla;

    if (!trace->is_xla)
        return NULL;
    xla = ps_alloc(sizeof *xla);
    xla->flags_of_template = ps_alloc_array((size_t)trace->n_templates + 1, 1);
    for (uint32_t i = PS_TEMPLATE_WHOLE + 1; i < trace->n_templates; i++)
        read_template(trace, xla, i);
    xla->kind_of_name = ps_alloc((size_t)trace->names.count + 1);
    for (uint32_t i = 0; i < trace->names.count; i++)
        xla->kind_of_name[i + 1] = is_wait(trace->names.items[i])   ? PS_SLICE_SYNC
                                   : is_mark(trace->names.items[i]) ? PS_SLICE_SPAN
                                                                    : PS_SLICE_OTHER;
    xla->lines = ps_alloc_array((size_t)trace->n_threads + 1, 1);
    read_lines(trace, xla);
    return xla;
}

bool tr_xla_is_stream(const struct tr_xla *xla, uint32_t thread)
{
    return xla->lines[thread] == LINE_STREAM;
}

void tr_xla_free(struct tr_xla *xla)
{
    if (!xla)
        return;
    free(xla->kind_of_name);
    free(xla->flags_of_template);
    free(xla->lines);
    free(xla->of_host.items);
    free(xla->of_device.items);
    free(xla);
}

/* "train 10", from the name and the argument step_num. */
static struct ps_str step_name(struct tr_trace *trace, const struct tr_record *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf name = {0};

    ps_buf_add_str(&name, tr_text_of_id(trace, r->name));
    ps_buf_puts(&name, " ");
    ps_buf_add_str(&name, tr_read_arg_text(trace, r, PS_STR("step_num")));
    return ps_arena_copy(&trace->arena, ps_buf_slice(&name));
}

static void add_step(struct steps *steps, int64_t start_ns, int64_t duration_ns, struct ps_str name)
{
    PS_RESERVE_ONE(steps->items, steps->n, steps->cap);
    steps->items[steps->n++] = (struct step){start_ns, start_ns + duration_ns, name};
}

static enum ps_slice_kind kind_of_work(const struct tr_xla *xla, const struct tr_record *r,
                                       struct ps_str name)
{
    const uint8_t flags = xla->flags_of_template[r->template];

    if (flags & IS_COPY || ps_str_starts_with(name, PS_STR("Memcpy")))
        return PS_SLICE_MEMCPY;
    return flags & IS_SET || ps_str_starts_with(name, PS_STR("Memset")) ? PS_SLICE_MEMSET
                                                                        : PS_SLICE_KERNEL;
}

enum ps_slice_kind tr_xla_add(struct tr_trace *trace, uint32_t thread, const struct tr_record *r,
                              int64_t start_ns, int64_t duration_ns)
{
    struct tr_xla *xla = trace->import->xla;
    const struct ps_str name = tr_text_of_id(trace, r->name);

    switch ((enum line)xla->lines[thread]) {
    case LINE_REPEATED:
        return PS_SLICE_SPAN;
    case LINE_STEPS:
        add_step(&xla->of_device, start_ns, duration_ns, ps_arena_copy(&trace->arena, name));
        return PS_SLICE_SPAN;
    case LINE_STREAM:
        return kind_of_work(xla, r, name);
    case LINE_OPERATORS:
        return PS_SLICE_OP;
    case LINE_HOST:
        break;
    }
    if (xla->flags_of_template[r->template] & IS_STEP) {
        add_step(&xla->of_host, start_ns, duration_ns, step_name(trace, r));
        return PS_SLICE_SPAN;
    }
    if (xla->kind_of_name[r->name] != PS_SLICE_OTHER)
        return (enum ps_slice_kind)xla->kind_of_name[r->name];
    if (xla->flags_of_template[r->template] & IS_DRIVER_CALL)
        return PS_SLICE_RUNTIME; /* it names the operator of the work that it launches */
    return xla->flags_of_template[r->template] & IS_OPERATOR ? PS_SLICE_OP : PS_SLICE_OTHER;
}

/* Marks the operator around a meeting of devices: it is a collective, whatever its name. */
static void mark_collective(struct tr_track *track, uint32_t row)
{
    while (track->parent[row] != TR_NO_ROW) {
        row = track->parent[row];
        if (track->slice_kind[row] != PS_SLICE_OP)
            continue;
        track->family[row] = PS_FAMILY_COMMUNICATION;
        track->flags[row] |= PS_SLICE_COLLECTIVE;
        return;
    }
}

void tr_xla_add_track(struct tr_trace *trace, struct tr_track *track)
{
    for (uint32_t row = 0; row < track->n; row++) {
        const uint8_t kind = track->slice_kind[row];
        const struct ps_str name = tr_text_of_id(trace, track->name_id[row]);

        tr_scratch_count_row(track->scratch, row);
        if (kind == PS_SLICE_SYNC && ps_str_starts_with(name, PS_STR("Rendezvous")))
            mark_collective(track, row);
        if (kind != PS_SLICE_OP && !ps_slice_on_device(kind))
            continue;
        track->family[row] = kind == PS_SLICE_MEMCPY || kind == PS_SLICE_MEMSET
                                 ? PS_FAMILY_MEMORY
                                 : (uint8_t)ps_xla_family(name);
        track->flags[row] |=
            track->family[row] == PS_FAMILY_COMMUNICATION ? PS_SLICE_COLLECTIVE : 0;
    }
}

static int by_start(const void *a, const void *b)
{
    const struct step *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

/* Steps that the program marks come before those of the device. A step inside of another is no step
 * of its own, as in xprof. */
void tr_xla_write(struct tr_trace *trace)
{
    struct tr_xla *xla = trace->import->xla;
    struct steps *steps = xla->of_host.n ? &xla->of_host : &xla->of_device;
    int64_t end = INT64_MIN, sum = 0;
    uint32_t n = 0;

    if (steps->n)
        qsort(steps->items, steps->n, sizeof *steps->items, by_start);
    for (size_t i = 0; i < steps->n; i++) {
        const struct step *step = &steps->items[i];

        if (step->start < end)
            continue;
        trace->out->ops->step(trace->out, &(struct ps_step){.id = ++n,
                                                            .name = step->name,
                                                            .start_ns = step->start,
                                                            .end_ns = step->end,
                                                            .host_start_ns = step->start,
                                                            .host_end_ns = step->end,
                                                            .is_counted = true});
        sum = ps_add_saturated(sum, step->end - step->start);
        end = step->end;
    }
    trace->step_ns = n ? sum / n : 0;
    trace->out->ops->number(trace->out, "steps", ps_int(n));
    if (n)
        trace->out->ops->number(trace->out, "step_ns", ps_int(trace->step_ns));
}
