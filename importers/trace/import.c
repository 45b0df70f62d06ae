/* SPDX-License-Identifier: MIT */
/*
 * import.c: converts the records of a trace to rows and writes them to the sink.
 *
 * A first pass over all records finds processes, names and the classes of tracks. Device threads
 * are nested first and remain in memory, since host slices are linked to the device work that they
 * launched. Host threads are processed one by one and freed. Then the devices are written, and last
 * the events that belong to no thread.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/trace/async.h"
#include "importers/trace/collectives.h"
#include "importers/trace/counters.h"
#include "importers/trace/emit.h"
#include "importers/trace/fill.h"
#include "importers/trace/flows.h"
#include "importers/trace/import.h"
#include "importers/trace/import_state.h"
#include "importers/trace/memory.h"
#include "importers/trace/processes.h"
#include "importers/trace/thread_tracks.h"
#include "importers/trace/torch.h"
#include "importers/trace/track.h"
#include "importers/trace/xla.h"

/* --- First pass over all records --- */

/* Finds metadata, the classes of tracks, [memory] records, and the resolution of times. */

struct scan {
    struct tr_trace *trace;
    struct tr_import_state *import;
    struct tr_thread_facts *facts;
    uint32_t thread;
    bool waits;
    const uint8_t *steps; /* by text id: whether the name begins with ProfilerStep# */
};

static enum tr_track_class class_of_kind(uint8_t kind)
{
    switch (kind) {
    case PS_SLICE_KERNEL:
    case PS_SLICE_MEMCPY:
    case PS_SLICE_MEMSET:
        return TR_CLASS_STREAM;
    case PS_SLICE_SYNC:
        return TR_CLASS_SYNC;
    case PS_SLICE_GPU_ANNOTATION:
        return TR_CLASS_ANNOTATIONS;
    case PS_SLICE_OVERHEAD:
        return TR_CLASS_OVERHEAD;
    case PS_SLICE_SPAN:
        return TR_CLASS_SPAN;
    default:
        return TR_CLASS_THREAD;
    }
}

static bool has_field(struct ps_str rest, const char *key, const char *json)
{
    return ps_str_eq_c(ps_template_value(rest, ps_str_from_c(key), false), json);
}

static uint8_t parse_other_fields(struct ps_str template)
{
    const char *mark = template.len ? memchr(template.ptr, PS_TEMPLATE_REST, template.len) : NULL;
    struct ps_str rest;
    uint8_t bits = 0;

    if (!mark)
        return 0;
    rest = ps_str_skip(template, (size_t)(mark - template.ptr) + 1);
    bits |= has_field(rest, "bp", "\"e\"") ? TR_FIELD_ENCLOSING : 0;
    bits |= has_field(rest, "s", "\"p\"") ? TR_FIELD_PROCESS : 0;
    bits |= has_field(rest, "s", "\"g\"") ? TR_FIELD_GLOBAL : 0;
    bits |= has_field(rest, "flow_in", "true") ? TR_FIELD_FLOW_IN : 0;
    bits |= has_field(rest, "flow_out", "true") ? TR_FIELD_FLOW_OUT : 0;
    bits |= ps_template_value(rest, PS_STR("bind_id"), false).ptr ? TR_FIELD_BIND : 0;
    return bits;
}

static void classify_words(struct tr_trace *trace)
{
    struct tr_import_state *import = trace->import;

    import->category_class = ps_alloc((size_t)trace->n_categories + 1);
    for (uint32_t i = 0; i < trace->n_categories; i++)
        import->category_class[i] = (uint8_t)class_of_kind(trace->categories[i].kind);
    import->other_fields = ps_alloc((size_t)trace->n_templates + 1);
    for (uint32_t i = PS_TEMPLATE_WHOLE + 1; i < trace->n_templates; i++) {
        import->other_fields[i] = parse_other_fields(trace->templates[i].text);
        import->has_bind_id |= (import->other_fields[i] & TR_FIELD_BIND) != 0;
    }
    if (tr_is_attributed(trace) &&
        ps_intern_find(&trace->names, PS_STR("[memory]")) != PS_INTERN_NONE)
        import->memory_name = tr_text_id(trace, PS_STR("[memory]"));
}

static void note_unit(struct tr_import_state *import, const struct tr_record *r)
{
    while (import->resolution_ns > 1 &&
           (r->ts_ns % import->resolution_ns ||
            (r->dur_or_id != TR_NO_DURATION && r->dur_or_id % import->resolution_ns)))
        import->resolution_ns /= 10;
}

static void count_slice(struct scan *scan, const struct tr_record *r)
{
    enum tr_track_class kind = scan->import->category_class[r->category];

    if (kind == TR_CLASS_SYNC && !scan->waits)
        kind = TR_CLASS_STREAM;
    scan->facts->n[kind]++;
    if (kind == TR_CLASS_THREAD)
        scan->facts->has_steps |= scan->steps[r->name];
    else if (kind == TR_CLASS_STREAM && scan->facts->device < 0 && r->template &&
             !tr_read_param(scan->trace, r, scan->trace->templates[r->template].device,
                            &scan->facts->device))
        scan->facts->device = -1;
    if (scan->import->resolution_ns > 1)
        note_unit(scan->import, r);
}

static void scan_records(void *user, const struct tr_record *records, size_t n)
{
    struct scan *scan = user;

    for (size_t i = 0; i < n; i++) {
        const struct tr_record *r = &records[i];

        switch (r->phase) {
        case 'X':
            count_slice(scan, r);
            break;
        case 'B':
        case 'E':
        case TR_PHASE_NAMED_END:
            scan->facts->has_begin_end = true;
            scan->facts->n[TR_CLASS_THREAD]++;
            break;
        case 'i':
        case 'I':
        case 'R':
            if (r->name && r->name == scan->import->memory_name)
                tr_memory_add(scan->trace, scan->thread, r);
            else if (!(scan->import->other_fields[r->template] &
                       (TR_FIELD_PROCESS | TR_FIELD_GLOBAL)))
                scan->facts->n[TR_CLASS_THREAD]++;
            break;
        case 'M':
            tr_read_metadata(scan->trace, scan->thread, r);
            break;
        default:
            break;
        }
    }
}

static uint8_t *find_step_names(const struct tr_trace *trace)
{
    uint8_t *steps = ps_alloc((size_t)trace->names.count + 1);

    for (uint32_t i = 0; i < trace->names.count; i++)
        steps[i + 1] = ps_str_starts_with(trace->names.items[i], PS_STR("ProfilerStep#"));
    return steps;
}

/* Makes the first pass over all records. */
static void scan_threads(struct tr_trace *trace)
{
    struct tr_import_state *import = trace->import;
    PS_AUTO(ps_free_ptr) uint8_t *steps = find_step_names(trace);

    import->threads = ps_alloc_array((size_t)trace->n_threads + 1, sizeof *import->threads);
    import->resolution_ns = 1000;
    classify_words(trace);
    for (uint32_t i = 0; i < trace->n_threads; i++) {
        struct tr_thread_facts *facts = &import->threads[i];
        const struct tr_thread *thread = &trace->threads[i];
        struct scan scan = {.trace = trace, .import = import, .facts = facts, .thread = i};

        facts->process = tr_process_index(trace, thread->pid, thread->pid_number);
        facts->name = thread->name;
        facts->sort_index = thread->sort_index;
        facts->device = thread->device;
        if (thread->process_name.len)
            import->processes[facts->process].name = thread->process_name;
        scan.waits = tr_thread_has_only_waits(thread);
        scan.steps = steps;
        tr_thread_visit(trace, thread, scan_records, &scan);
    }
    import->xla = tr_xla_new(trace);
    for (uint32_t i = 0; i < trace->n_threads; i++)
        for (int kind = 0; kind < TR_N_CLASSES; kind++)
            if (import->threads[i].n[kind])
                import->processes[import->threads[i].process].classes |= 1u << kind;
    tr_processes_assign_order(trace);
    tr_scratch_drop_pages(trace->scratch);
}

/* --- Passes over the threads --- */

#define DEVICE_CLASSES (1u << TR_CLASS_STREAM | 1u << TR_CLASS_ANNOTATIONS | 1u << TR_CLASS_SYNC)

struct run {
    struct tr_trace *trace;
    struct tr_import_state *import;
    struct tr_torch *torch;
    struct tr_tracks devices,
        hosts; /* host tracks of device threads, in memory until all devices are nested */
};

static bool is_device_thread(const struct tr_thread_facts *facts)
{
    for (int kind = 0; kind < TR_N_CLASSES; kind++)
        if ((DEVICE_CLASSES >> kind & 1) && facts->n[kind])
            return true;
    return false;
}

static bool is_device_track(const struct tr_track *track)
{
    return track->kind == PS_TRACK_STREAM || track->kind == PS_TRACK_STREAM_ANNOTATIONS ||
           track->kind == PS_TRACK_SYNC;
}

static void push_track(struct tr_tracks *tracks, const struct tr_track *track)
{
    PS_RESERVE_ONE(tracks->items, tracks->n, tracks->cap);
    tracks->items[tracks->n++] = *track;
}

static void count_device_work(struct run *run, const struct tr_track *track)
{
    for (uint32_t row = 0; row < track->n; row++) {
        const bool is_kernel = track->slice_kind[row] == PS_SLICE_KERNEL;
        run->import->n_kernels += is_kernel;
        run->import->n_copies += !is_kernel && ps_slice_on_device(track->slice_kind[row]);
    }
}

static enum ps_status nest_thread(struct run *run, uint32_t thread, struct tr_tracks *tracks)
{
    if (run->import->n_tracks + TR_N_CLASSES > PS_TRACKS_MAX)
        return ps_fail(run->trace->err, PS_LIMIT, "the trace has more than %u tracks",
                       PS_TRACKS_MAX);
    return tr_nest_thread(run->trace, &run->trace->threads[thread], tracks);
}

static enum ps_status nest_devices(struct run *run)
{
    enum ps_status status = PS_OK;

    for (uint32_t i = 0; i < run->trace->n_threads && status == PS_OK; i++) {
        struct tr_tracks tracks = {0};

        if (!is_device_thread(&run->import->threads[i]))
            continue;
        status = nest_thread(run, i, &tracks);
        for (size_t k = 0; k < tracks.n; k++) {
            count_device_work(run, &tracks.items[k]);
            push_track(is_device_track(&tracks.items[k]) ? &run->devices : &run->hosts,
                       &tracks.items[k]);
        }
        free(tracks.items);
    }
    return status;
}

/* Attributes and writes a host track, then frees its columns. */
static enum ps_status write_host(struct run *run, struct tr_track *track)
{
    enum ps_status status = PS_OK;

    if (run->torch)
        status = tr_torch_add_host_track(run->torch, track);
    if (run->import->xla)
        tr_xla_add_track(run->trace, track);
    if (run->trace->memory && track->kind == PS_TRACK_THREAD)
        tr_memory_assign_rows(run->trace->memory, run->trace, track);
    if (status == PS_OK)
        status = tr_track_write(run->trace, track);
    return status;
}

/* Whether the thread has only overhead of the profiler. */
static bool is_overhead_thread(const struct tr_thread_facts *facts)
{
    return facts->n[TR_CLASS_OVERHEAD] && !facts->n[TR_CLASS_THREAD];
}

static enum ps_status write_threads(struct run *run, bool overhead)
{
    enum ps_status status = PS_OK;
    struct tr_tracks tracks = {0};

    for (uint32_t i = 0; i < run->trace->n_threads && status == PS_OK; i++) {
        const struct tr_thread_facts *facts = &run->import->threads[i];

        if (is_device_thread(facts) || is_overhead_thread(facts) != overhead)
            continue;
        status = nest_thread(run, i, &tracks);
        for (size_t k = 0; k < tracks.n && status == PS_OK; k++)
            status = write_host(run, &tracks.items[k]);
        for (size_t k = 0; k < tracks.n; k++)
            tr_track_free(&tracks.items[k]);
        tracks.n = 0;
    }
    free(tracks.items);
    return status;
}

/* Overhead threads are written last, because the self time of overhead is computed with the thread
 * that contains it. */
static enum ps_status write_hosts(struct run *run)
{
    enum ps_status status = PS_OK;

    for (size_t i = 0; i < run->hosts.n && status == PS_OK; i++)
        status = write_host(run, &run->hosts.items[i]);
    if (status == PS_OK)
        status = write_threads(run, false);
    return status == PS_OK ? write_threads(run, true) : status;
}

static enum ps_status write_devices(struct run *run)
{
    enum ps_status status = PS_OK;

    for (size_t i = 0; i < run->devices.n && status == PS_OK; i++) {
        if (run->torch)
            status = tr_torch_add_device_track(run->torch, &run->devices.items[i]);
        if (run->import->xla)
            tr_xla_add_track(run->trace, &run->devices.items[i]);
        if (status == PS_OK)
            status = tr_track_write(run->trace, &run->devices.items[i]);
    }
    return status;
}

static enum ps_status write_all(struct run *run)
{
    enum ps_status status;

    scan_threads(run->trace);
    if (run->trace->memory)
        tr_memory_sort(run->trace);
    status = nest_devices(run);
    if (status == PS_OK && tr_is_attributed(run->trace))
        run->torch = tr_torch_begin(run->trace, &run->devices, &run->hosts);
    tr_scratch_drop_pages(run->trace->scratch);
    if (status == PS_OK)
        status = write_hosts(run);
    tr_scratch_free(run->trace->scratch, run->import->unbound_flows);
    run->import->unbound_flows = NULL;
    run->import->cap_unbound_flows = 0;
    if (status == PS_OK)
        status = write_devices(run);
    if (status == PS_OK)
        status = tr_async_write(run->trace);
    if (status == PS_OK)
        status = tr_instants_write(run->trace);
    if (status == PS_OK && run->torch)
        status = tr_torch_end(run->torch);
    return status;
}

/* Shifts times so that the trace begins at 0, or less than a microsecond later: origin_us remains a
 * whole number. */
static void set_origin(struct tr_trace *trace)
{
    struct tr_import_state *import = trace->import;
    int64_t whole, origin;

    if (trace->first_ns > trace->last_ns || trace->first_ns < INT64_MIN + 1000)
        return;
    whole = trace->first_ns - (trace->first_ns % 1000 + 1000) % 1000;
    if (__builtin_add_overflow(trace->origin_us, whole / 1000, &origin))
        return;
    import->shift_ns = whole;
    trace->origin_us = origin;
    trace->first_ns -= whole;
    if (__builtin_sub_overflow(trace->last_ns, whole, &trace->last_ns))
        trace->last_ns = INT64_MAX;
    if (trace->session_end_ns != INT64_MIN &&
        __builtin_sub_overflow(trace->session_end_ns, whole, &trace->session_end_ns))
        trace->session_end_ns = INT64_MIN;
}

static void release_all(struct run *run)
{
    struct tr_import_state *import = run->import;

    tr_torch_free(run->torch);
    tr_xla_free(import->xla);
    for (size_t i = 0; i < run->devices.n; i++)
        tr_track_free(&run->devices.items[i]);
    for (size_t i = 0; i < run->hosts.n; i++)
        tr_track_free(&run->hosts.items[i]);
    free(run->devices.items);
    free(run->hosts.items);
    tr_scratch_free(run->trace->scratch, import->unbound_flows);
    tr_flows_free(run->trace);
    tr_counters_free(run->trace);
    tr_async_free(run->trace, &import->async_events);
    tr_async_free(run->trace, &import->instants);
    tr_emitter_free(import);
    tr_collectives_free(import);
    tr_processes_free(import);
    tr_memory_free(run->trace);
    run->trace->import = NULL;
}

/* Forgets what categories mean that other programs also write, in a trace of such a program: its
 * "memcpy" or "trace" may be any function. */
static void forget_common_categories(struct tr_trace *trace)
{
    for (uint32_t i = 0; i < trace->n_categories && !tr_is_attributed(trace); i++)
        trace->categories[i].kind = PS_SLICE_OTHER;
}

enum ps_status tr_import_trace(struct tr_trace *trace)
{
    struct tr_import_state import = {0};
    struct run run = {.trace = trace, .import = &import};
    enum ps_status status;

    trace->import = &import;
    forget_common_categories(trace);
    set_origin(trace);
    status = write_all(&run);
    if (status == PS_OK) {
        tr_counters_write(trace);
        tr_texts_write(trace);
        tr_flows_write(trace);
        tr_collectives_write(trace);
        if (trace->memory)
            tr_memory_write(trace);
        tr_summary_write(trace);
    }
    release_all(&run);
    if (!ps_sink_ok(trace->out) && status == PS_OK)
        status = trace->out->err.code;
    return status;
}
