/* SPDX-License-Identifier: MIT */
/* track.h: a row of the timeline before it is written: nest.c makes it, torch*.c add what the
 * slices mean, emit.c writes it to the sink. Columns are arrays of n. */
#ifndef PS_TRACE_TRACK_H
#define PS_TRACE_TRACK_H

#include "importers/trace/trace.h"

#define TR_NO_ROW UINT32_MAX

/* Columns that few tracks have: NULL until tr_track_extra is called. */
enum tr_extra {
    TR_OP_SELF,
    TR_DEVICE_SELF,
    TR_DEVICE_TOTAL,
    TR_CPU_BYTES_SELF,
    TR_CPU_BYTES,
    TR_DEVICE_BYTES_SELF,
    TR_DEVICE_BYTES,
    TR_FLOPS,
    TR_LAUNCH,
    TR_OP,
    TR_N_EXTRAS
};

struct tr_track {
    struct tr_room *room; /* allocates the columns */
    uint32_t id;          /* from 1; 0: the track has no slices */
    uint32_t process;     /* id of a ps_process */
    enum ps_track_kind kind;
    struct ps_str name; /* thread_name as in the file, or a generated name */
    const struct tr_thread *thread;
    int64_t tid;            /* INT64_MIN: none */
    int64_t device, stream; /* -1: none */
    int64_t sort;
    uint32_t n, depth; /* number of slices; number of lanes */
    int64_t start_ns, end_ns;
    int64_t *start, *duration, *self;
    uint64_t *args_at;
    uint32_t *name_id, *template, *parent; /* parent: a row, or TR_NO_ROW */
    uint16_t *lane, *cat;
    uint8_t *slice_kind, *flags, *family;
    int64_t *extra[TR_N_EXTRAS];
};

/* Returns a column of n values, zeroed when it is created by the first call. */
int64_t *tr_track_extra(struct tr_track *track, enum tr_extra which);
void tr_track_free(struct tr_track *track); /* frees its columns */

/* Reads one integer of a slice's arguments; false: there is none. */
bool tr_slice_param(const struct tr_trace *trace, const struct tr_track *track, uint32_t row,
                    int index, int64_t *out);

/* nest.c: turns the records of one thread into tracks and appends these to *tracks: usually one; a
 * stream may also have tracks of annotations and of waits. Flows, counters and asynchronous events
 * are added to those of the import (flows.c, counters.c, async.c). */
struct tr_tracks {
    struct tr_track *at;
    size_t n, cap;
};
enum ps_status tr_nest_thread(struct tr_trace *trace, struct tr_thread *thread,
                              struct tr_tracks *tracks);

/* emit.c: writes the track and its chunks to the sink, frees its columns. */
enum ps_status tr_emit_track(struct tr_trace *trace, struct tr_track *track);

/* torch.c. Order of the calls: tr_torch_begin once all device tracks are nested (they stay in
 * memory; hosts: host tracks of the same threads, whose records are released); for each host thread
 * nest, tr_torch_host, emit; for each device track tr_torch_device, emit; then tr_torch_end, which
 * writes steps and modules to the sink. */
struct tr_torch;
struct tr_torch *tr_torch_begin(struct tr_trace *trace, struct tr_tracks *devices,
                                const struct tr_tracks *hosts);
enum ps_status tr_torch_host(struct tr_torch *torch, struct tr_track *track);
enum ps_status tr_torch_device(struct tr_torch *torch, struct tr_track *track);
enum ps_status tr_torch_end(struct tr_torch *torch);
void tr_torch_free(struct tr_torch *torch);
/* Returns the text id under which key_averages() groups the name: ProfilerStep#7 as ProfilerStep*.
 * 0: the name itself. */
uint32_t tr_torch_key(struct tr_trace *trace, uint32_t text_id);

/* steps.c: collects the steps and the intervals of each role from the tracks, and writes steps and
 * their parts to the sink at the end. Called by torch.c for each track after it was attributed. */
struct tr_steps;
struct tr_steps *tr_steps_new(struct tr_trace *trace);
void tr_steps_track(struct tr_steps *steps, const struct tr_track *track);
enum ps_status tr_steps_end(struct tr_steps *steps);
void tr_steps_free(struct tr_steps *steps);

/* modules.c: rows of nn.Module of a host track. Called by torch.c after the track was
 * attributed. */
struct tr_modules;
struct tr_modules *tr_modules_new(struct tr_trace *trace);
void tr_modules_track(struct tr_modules *modules, const struct tr_track *track);
enum ps_status tr_modules_end(struct tr_modules *modules);
void tr_modules_free(struct tr_modules *modules);

/* memory.c: [memory] records. look.c adds them before any host track is attributed; torch_tree.c
 * queries sums. */
struct tr_memory;
struct tr_memory *
tr_memory_of(struct tr_trace *trace); /* created by the first call; freed by tr_import */

/* import.c: all that follows reading: writes the complete trace to the sink. */
enum ps_status tr_import(struct tr_trace *trace);

#endif
