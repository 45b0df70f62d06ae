/* SPDX-License-Identifier: MIT */
/*
 * track.h: a row of the timeline before it is written to the sink.
 *
 * thread_tracks.c creates the tracks of a thread, torch.c and torch_device.c fill the columns that
 * are specific to PyTorch, and emit.c writes the tracks. Each column is an array of n values.
 * Functions that need the state of the import (import_state.h) have the trace as a parameter.
 */
#ifndef PS_TRACE_TRACK_H
#define PS_TRACE_TRACK_H

#include "importers/trace/trace.h"

#define TR_NO_ROW UINT32_MAX

/* Columns that few tracks have. A column is NULL until tr_track_extra_column creates it. */
enum tr_extra_column {
    TR_EXTRA_OP_SELF,
    TR_EXTRA_DEVICE_SELF,
    TR_EXTRA_DEVICE_TOTAL,
    TR_EXTRA_CPU_BYTES_SELF,
    TR_EXTRA_CPU_BYTES,
    TR_EXTRA_DEVICE_BYTES_SELF,
    TR_EXTRA_DEVICE_BYTES,
    TR_EXTRA_FLOPS,
    TR_EXTRA_LAUNCH,
    TR_EXTRA_OP,
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
    int64_t sort_key;
    uint32_t n, n_lanes; /* number of slices; number of lanes */
    int64_t start_ns, end_ns;
    int64_t *start, *duration, *self;
    uint64_t *args_address;
    uint32_t *name_id, *template, *parent; /* parent: a row; TR_NO_ROW: none */
    uint16_t *lane, *category, *flags;
    uint8_t *slice_kind, *family;
    int64_t *extra[TR_N_EXTRAS];
    /* 1 + index in tr_import_state.unbound_flows of the first flow of the row; NULL: no row has
     * one, and flows are bound to rows by time */
    uint32_t *flow;
};

/* Creates a track with the columns that are read from the file, each with n values.
 * tr_track_add_tree_columns adds the columns of the tree, for the current number of slices. */
struct tr_track tr_track_new(struct tr_scratch *scratch, enum ps_track_kind kind, uint32_t n);
void tr_track_add_tree_columns(struct tr_track *track);
/* Returns a column of n values, zeroed when it is created by the first call. */
int64_t *tr_track_extra_column(struct tr_track *track, enum tr_extra_column which);
void tr_track_free(struct tr_track *track); /* frees its columns */

/* Returns most of the memory of rows [from, to) to the system. Call it when the rows were written
 * to the sink and are not read again. */
void tr_track_drop_rows(struct tr_track *track, uint32_t from, uint32_t to);

/* Reads one integer of a slice's arguments; false: there is none. */
bool tr_read_slice_param(const struct tr_trace *trace, const struct tr_track *track, uint32_t row,
                         int index, int64_t *out);

/* Sorts the rows by start time; by_length: of those with the same start the longest first. */
void tr_track_sort(struct tr_track *track, bool by_length);

static inline int64_t tr_slice_end_ns(const struct tr_track *track, uint32_t row)
{
    return track->start[row] + track->duration[row];
}

/* A list of tracks. */
struct tr_tracks {
    struct tr_track *items;
    size_t n, cap;
};

#endif
