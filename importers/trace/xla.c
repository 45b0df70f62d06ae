/* SPDX-License-Identifier: MIT */
/*
 * xla.c: what the slices of XLA's profiler mean, which JAX and TensorFlow use: steps, waits for
 * other threads, marks without time of their own, and lines of a device that repeat others.
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

struct step {
    int64_t start, end;
    struct ps_str name; /* in trace->arena */
};

struct tr_xla {
    uint8_t *kind_of_name;  /* by text id: enum ps_slice_kind */
    bool *is_step_template; /* by template id */
    bool *is_repeated;      /* by thread */
    struct step *steps;
    size_t n_steps, cap_steps;
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

/* Whether the name is of an event that XLA adds to another: "end: dot" where the operator dot has
 * ended, or a hand-over of work to a pool of threads. */
static bool is_mark(struct ps_str name)
{
    return ps_str_starts_with(name, PS_STR("end: ")) ||
           ps_str_starts_with(name, PS_STR("ThreadpoolListener::"));
}

/* Lines that xprof derives from those of the streams. The operators of a TPU are only in the line
 * "XLA Ops". */
static bool is_derived(struct ps_str line, bool has_streams)
{
    static const char *const lines[] = {"Steps",
                                        "XLA Modules",
                                        "Framework Name Scope",
                                        "Framework Ops",
                                        "TensorFlow Name Scope",
                                        "TensorFlow Ops",
                                        "Source code",
                                        "Source Code"};

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (ps_str_eq_c(line, lines[i]))
            return true;
    return has_streams && ps_str_eq_c(line, "XLA Ops");
}

static bool is_device(const struct tr_process *process)
{
    return ps_str_starts_with(process->name, PS_STR("/device:"));
}

static bool is_of_xla(const struct tr_trace *trace)
{
    for (uint32_t i = 0; i < trace->import->n_processes; i++)
        if (ps_str_eq_c(trace->import->processes[i].name, "/host:CPU") ||
            is_device(&trace->import->processes[i]))
            return !tr_is_attributed(trace);
    return false;
}

static void find_repeated_threads(const struct tr_trace *trace, struct tr_xla *xla)
{
    const struct tr_import_state *import = trace->import;
    PS_AUTO(ps_free_ptr) bool *has_streams = ps_alloc_array((size_t)import->n_processes + 1, 1);

    for (uint32_t i = 0; i < trace->n_threads; i++)
        has_streams[import->threads[i].process] |=
            ps_str_starts_with(import->threads[i].name, PS_STR("Stream #"));
    for (uint32_t i = 0; i < trace->n_threads; i++) {
        uint32_t process = import->threads[i].process;

        xla->is_repeated[i] = is_device(&import->processes[process]) &&
                              is_derived(import->threads[i].name, has_streams[process]);
    }
}

struct tr_xla *tr_xla_new(struct tr_trace *trace)
{
    struct tr_xla *xla;

    if (!is_of_xla(trace))
        return NULL;
    xla = ps_alloc(sizeof *xla);
    xla->kind_of_name = ps_alloc((size_t)trace->names.count + 1);
    for (uint32_t i = 0; i < trace->names.count; i++)
        xla->kind_of_name[i + 1] = is_wait(trace->names.items[i])   ? PS_SLICE_SYNC
                                   : is_mark(trace->names.items[i]) ? PS_SLICE_SPAN
                                                                    : PS_SLICE_OTHER;
    xla->is_step_template = ps_alloc_array((size_t)trace->n_templates + 1, sizeof(bool));
    for (uint32_t i = PS_TEMPLATE_WHOLE + 1; i < trace->n_templates; i++)
        xla->is_step_template[i] =
            ps_template_value(trace->templates[i].text, PS_STR("step_num"), false).ptr != NULL;
    xla->is_repeated = ps_alloc_array((size_t)trace->n_threads + 1, sizeof(bool));
    find_repeated_threads(trace, xla);
    return xla;
}

void tr_xla_free(struct tr_xla *xla)
{
    if (!xla)
        return;
    free(xla->kind_of_name);
    free(xla->is_step_template);
    free(xla->is_repeated);
    free(xla->steps);
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

enum ps_slice_kind tr_xla_add(struct tr_trace *trace, uint32_t thread, const struct tr_record *r,
                              int64_t start_ns, int64_t duration_ns)
{
    struct tr_xla *xla = trace->import->xla;

    if (xla->is_repeated[thread])
        return PS_SLICE_SPAN;
    if (!xla->is_step_template[r->template])
        return (enum ps_slice_kind)xla->kind_of_name[r->name];
    PS_RESERVE_ONE(xla->steps, xla->n_steps, xla->cap_steps);
    xla->steps[xla->n_steps++] =
        (struct step){start_ns, start_ns + duration_ns, step_name(trace, r)};
    return PS_SLICE_SPAN;
}

static int by_start(const void *a, const void *b)
{
    const struct step *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

/* A step inside of another is no step of its own, as in xprof. */
void tr_xla_write(struct tr_trace *trace)
{
    struct tr_xla *xla = trace->import->xla;
    int64_t end = INT64_MIN, sum = 0;
    uint32_t n = 0;

    if (xla->n_steps)
        qsort(xla->steps, xla->n_steps, sizeof *xla->steps, by_start);
    for (size_t i = 0; i < xla->n_steps; i++) {
        const struct step *step = &xla->steps[i];

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
