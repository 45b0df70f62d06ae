/* SPDX-License-Identifier: MIT */
/*
 * import.c: writes the rows of a trace that was read to the sink.
 *
 * A first pass over all records (look.c) finds processes, names and the tracks that there will be.
 * Device threads are nested first and stay in memory, since host slices look up in them what they
 * launched. Host threads are processed one by one and freed. Then the devices are written, then
 * what belongs to no thread.
 */
#include "importers/trace/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/trace/memory.h"

#define DEVICE_CLASSES (1u << TR_CLASS_STREAM | 1u << TR_CLASS_ANNOTATIONS | 1u << TR_CLASS_SYNC)

struct run {
    struct tr_trace *trace;
    struct tr_import *import;
    struct tr_torch *torch;
    struct tr_tracks devices,
        hosts; /* host tracks of device threads, kept until all devices are nested */
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

static void push(struct tr_tracks *tracks, const struct tr_track *track)
{
    PS_PUSH_ROOM(tracks->at, tracks->n, tracks->cap);
    tracks->at[tracks->n++] = *track;
}

static void count_kernels(struct run *run, const struct tr_track *track)
{
    for (uint32_t row = 0; row < track->n; row++)
        run->import->n_kernels += ps_slice_on_device(track->slice_kind[row]);
}

static enum ps_status nest(struct run *run, uint32_t thread, struct tr_tracks *tracks)
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
        status = nest(run, i, &tracks);
        for (size_t k = 0; k < tracks.n; k++) {
            count_kernels(run, &tracks.at[k]);
            push(is_device_track(&tracks.at[k]) ? &run->devices : &run->hosts, &tracks.at[k]);
        }
        free(tracks.at);
    }
    return status;
}

/* Attributes and writes a track that is not of a device, then frees its columns. */
static enum ps_status pass_host(struct run *run, struct tr_track *track)
{
    enum ps_status status = PS_OK;

    if (run->torch)
        status = tr_torch_host(run->torch, track);
    if (run->trace->memory && track->kind == PS_TRACK_THREAD)
        tr_memory_mark(run->trace->memory, run->trace, track);
    if (status == PS_OK)
        status = tr_emit_track(run->trace, track);
    return status;
}

/* Whether the thread has only overhead of the profiler. */
static bool is_overhead_thread(const struct tr_thread_facts *facts)
{
    return facts->n[TR_CLASS_OVERHEAD] && !facts->n[TR_CLASS_THREAD];
}

static enum ps_status pass_threads(struct run *run, bool overhead)
{
    enum ps_status status = PS_OK;
    struct tr_tracks tracks = {0};

    for (uint32_t i = 0; i < run->trace->n_threads && status == PS_OK; i++) {
        const struct tr_thread_facts *facts = &run->import->threads[i];

        if (is_device_thread(facts) || is_overhead_thread(facts) != overhead)
            continue;
        status = nest(run, i, &tracks);
        for (size_t k = 0; k < tracks.n && status == PS_OK; k++)
            status = pass_host(run, &tracks.at[k]);
        for (size_t k = 0; k < tracks.n; k++)
            tr_track_free(&tracks.at[k]);
        tracks.n = 0;
    }
    free(tracks.at);
    return status;
}

/* Overhead threads come last: the self time of overhead is computed with the thread that it lies
 * inside. */
static enum ps_status pass_hosts(struct run *run)
{
    enum ps_status status = PS_OK;

    for (size_t i = 0; i < run->hosts.n && status == PS_OK; i++)
        status = pass_host(run, &run->hosts.at[i]);
    if (status == PS_OK)
        status = pass_threads(run, false);
    return status == PS_OK ? pass_threads(run, true) : status;
}

static enum ps_status pass_devices(struct run *run)
{
    enum ps_status status = PS_OK;

    for (size_t i = 0; i < run->devices.n && status == PS_OK; i++) {
        if (run->torch)
            status = tr_torch_device(run->torch, &run->devices.at[i]);
        if (status == PS_OK)
            status = tr_emit_track(run->trace, &run->devices.at[i]);
    }
    return status;
}

static enum ps_status pass_all(struct run *run)
{
    enum ps_status status;

    tr_names_begin(run->trace);
    if (run->trace->memory)
        tr_memory_sort(run->trace);
    status = nest_devices(run);
    if (status == PS_OK && tr_is_attributed(run->trace))
        run->torch = tr_torch_begin(run->trace, &run->devices, &run->hosts);
    tr_room_rest(run->trace->room);
    if (status == PS_OK)
        status = pass_hosts(run);
    tr_room_free(run->trace->room, run->import->loose);
    run->import->loose = NULL;
    run->import->cap_loose = 0;
    if (status == PS_OK)
        status = pass_devices(run);
    if (status == PS_OK)
        status = tr_async_give(run->trace);
    if (status == PS_OK)
        status = tr_instants_give(run->trace);
    if (status == PS_OK && run->torch)
        status = tr_torch_end(run->torch);
    return status;
}

/* Shifts times so that the trace begins at 0, or less than a microsecond after it: origin_us stays
 * a whole number. */
static void set_origin(struct tr_trace *trace)
{
    struct tr_import *import = trace->import;
    int64_t whole, origin;

    if (trace->first_ns > trace->last_ns || trace->first_ns < INT64_MIN + 1000)
        return;
    whole = trace->first_ns - (trace->first_ns % 1000 + 1000) % 1000;
    if (__builtin_add_overflow(trace->origin_us, whole / 1000, &origin))
        return;
    import->shift = whole;
    trace->origin_us = origin;
    trace->first_ns -= whole;
    if (__builtin_sub_overflow(trace->last_ns, whole, &trace->last_ns))
        trace->last_ns = INT64_MAX;
}

static void release(struct run *run)
{
    struct tr_import *import = run->import;

    tr_torch_free(run->torch);
    for (size_t i = 0; i < run->devices.n; i++)
        tr_track_free(&run->devices.at[i]);
    for (size_t i = 0; i < run->hosts.n; i++)
        tr_track_free(&run->hosts.at[i]);
    free(run->devices.at);
    free(run->hosts.at);
    tr_room_free(run->trace->room, import->loose);
    tr_flows_free(run->trace);
    tr_counters_free(run->trace);
    tr_async_free(run->trace, &import->async);
    tr_async_free(run->trace, &import->instants);
    tr_emitter_free(import);
    tr_names_free(import);
    ps_buf_free(&import->args);
    tr_memory_free(run->trace);
    run->trace->import = NULL;
}

enum ps_status tr_import(struct tr_trace *trace)
{
    struct tr_import import = {0};
    struct run run = {.trace = trace, .import = &import};
    enum ps_status status;

    trace->import = &import;
    set_origin(trace);
    status = pass_all(&run);
    if (status == PS_OK) {
        tr_counters_give(trace);
        tr_texts_give(trace);
        tr_flows_give(trace);
        if (trace->memory)
            tr_memory_give(trace);
        tr_summary_give(trace);
    }
    release(&run);
    if (!ps_sink_ok(trace->out) && status == PS_OK)
        status = trace->out->err.code;
    return status;
}
