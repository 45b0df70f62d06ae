/* SPDX-License-Identifier: MIT */
/*
 * track.h: a row of the timeline before it is written to the sink.
 *
 * track.c makes the tracks of a thread, torch.c and torch_device.c add what the slices mean, emit.c
 * writes them. Columns are arrays of n. Functions that need the state of the import (import.h) take
 * the trace.
 */
#ifndef PS_TRACE_TRACK_H
#define PS_TRACE_TRACK_H

#include "importers/trace/trace.h"

#define TR_NO_ROW UINT32_MAX

/* Columns that few tracks have: NULL until tr_track_extra is called. */
enum tr_extra_column {
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
    struct tr_scratch *scratch; /* allocates the columns */
    uint32_t id;                /* from 1; 0: the track has no slices */
    uint32_t process;           /* id of a ps_process */
    enum ps_track_kind kind;
    struct ps_str name; /* thread_name as in the file, or a generated name */
    const struct tr_thread *thread;
    int64_t tid;            /* INT64_MIN: none */
    int64_t device, stream; /* -1: none */
    int64_t sort;
    uint32_t n, depth; /* number of slices; number of lanes */
    int64_t start_ns, end_ns;
    int64_t *start, *duration, *self;
    uint64_t *args_address;
    uint32_t *name_id, *template, *parent; /* parent: a row, or TR_NO_ROW */
    uint16_t *lane, *category;
    uint8_t *slice_kind, *flags, *family;
    int64_t *extra[TR_N_EXTRAS];
};

/* Creates a track with the columns that are read from the file, each of n values.
 * tr_track_tree_columns adds those of the tree, for the present number of slices. */
struct tr_track tr_track_new(struct tr_scratch *scratch, enum ps_track_kind kind, uint32_t n);
void tr_track_tree_columns(struct tr_track *track);
/* Returns a column of n values, zeroed when it is created by the first call. */
int64_t *tr_track_extra(struct tr_track *track, enum tr_extra_column which);
void tr_track_free(struct tr_track *track); /* frees its columns */

/* Rows [from, to) were written to the sink and are not read again: returns most of their memory to
 * the system. */
void tr_track_drop_rows(struct tr_track *track, uint32_t from, uint32_t to);

#define TR_IMPORT_ARGS (UINT64_C(1) << 63) /* bit of args_at: the arguments are in import.args */

/* Returns the packed arguments at args_at. */
struct ps_str tr_packed_args(const struct tr_trace *trace, uint64_t args_at);

/* Reads one integer of a slice's arguments; false: there is none. */
bool tr_read_slice_param(const struct tr_trace *trace, const struct tr_track *track, uint32_t row,
                         int index, int64_t *out);

/* Returns the stable order of n items, NULL if they are already in order. Free it with
 * tr_scratch_free. */
typedef bool (*tr_less)(const void *list, uint32_t a, uint32_t b);
uint32_t *tr_sort_order(struct tr_scratch *scratch, const void *list, size_t n, tr_less less);
void tr_track_sort(struct tr_track *track, bool by_length);

/* Sets parents, lanes and self times of sorted slices. Returns how many partly overlap
 * others. */
uint32_t tr_track_nest(struct tr_track *track, int64_t unit);

/* Finds free lanes. */
struct tr_lanes {
    int64_t *ends; /* segment tree of minimum end times; the leaves begin at index `leaves` */
    uint32_t leaves, used;
};
/* Returns the first lane at or after `from` that is free at `start`, and occupies it until
 * `end`. */
uint32_t tr_find_lane(struct tr_lanes *lanes, uint32_t from, int64_t start, int64_t end);

/* Returns the innermost slice that is open at `time` (start <= time < end), TR_NO_ROW if
 * there is none. Times must not decrease from call to call. */
struct tr_sweep {
    const struct tr_track *track;
    bool (*accepts)(const struct tr_track *track, uint32_t row); /* which rows count; NULL: all */
    uint32_t *open_rows;
    size_t n, cap;
    uint32_t next_row; /* first row that starts after the last time */
};
uint32_t tr_sweep(struct tr_sweep *sweep, int64_t time);
void tr_sweep_free(struct tr_sweep *sweep);

/* Turns the records of one thread into tracks and appends these to *tracks: usually one; a stream
 * may also have tracks of annotations and of waits. Flows, counters and asynchronous events
 * are added to those of the import (flows.c, counters.c, async.c). */
struct tr_tracks {
    struct tr_track *items;
    size_t n, cap;
};
enum ps_status tr_nest_thread(struct tr_trace *trace, struct tr_thread *thread,
                              struct tr_tracks *tracks);

#endif
