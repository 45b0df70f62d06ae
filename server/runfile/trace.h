/* SPDX-License-Identifier: MIT */
/*
 * trace.h: reads the slices of a trace run. Handles come from ps_run_acquire and belong to one
 * thread; borrowed values are valid until the handle is released. PS_INTERNAL: the file is damaged.
 *
 *     static bool count(void *user, const struct ps_chunk *chunk)
 *     {
 *         *(uint64_t *)user += chunk->n;
 *         return true;
 *     }
 *
 *     const struct ps_chunk_query all = {.range = PS_RANGE_ALL};
 *
 *     ps_trace_each_chunk(db, &all, count, &n, err);      n: the slices of the run
 */
#ifndef PS_RUNFILE_TRACE_H
#define PS_RUNFILE_TRACE_H

#include "server/runfile/db.h"
#include "slices/operators.h"
#include "slices/slices.h"
#include "slices/window.h"

struct ps_track_row {
    uint32_t id, process;
    enum ps_track_kind kind;
    int64_t device, stream; /* -1: none */
    uint32_t slices, depth;
    int64_t start_ns, end_ns;
};

/* Returns all tracks in the order of the timeline: by worker, process, then their own order. */
enum ps_status ps_trace_tracks(struct ps_db *db, const struct ps_track_row **out, size_t *n,
                               struct ps_err *err);

/* Returns a text by its id; {NULL, 0} if there is none. Texts are loaded once per handle. */
struct ps_str ps_trace_text(struct ps_db *db, uint32_t id);
/* Sets *end to the largest text id + 1. Some smaller ids may have no text. */
enum ps_status ps_trace_text_end(struct ps_db *db, size_t *end, struct ps_err *err);
/* Returns a template of arguments by its id (slices/args.h); {NULL, 0} if there is none. */
struct ps_str ps_trace_args_template(struct ps_db *db, int64_t id);
/* Sets the maps of `sums`: text id -> text id of the key, template id -> text id of the shapes. */
enum ps_status ps_trace_keys(struct ps_db *db, struct ps_operators *sums, bool by_shape,
                             struct ps_err *err);

struct ps_chunk_query {
    uint32_t track; /* 0: all */
    uint32_t kinds; /* bits 1 << enum ps_track_kind; 0: all */
    /* bits 1 << enum ps_slice_kind: chunks that contain any of them; 0: all */
    uint32_t slice_kinds;
    struct ps_range range; /* chunks with slices that touch it; PS_RANGE_ALL: all */
    bool starting;         /* only chunks with slices that start in it */
    uint32_t columns;      /* PS_COL_BITs of the columns to read */
    bool args;             /* also read ps_chunk.args */
};
/* Calls `visit` with the chunks, by track and row, until it returns false. The chunk is valid
 * during the call. PS_INTERNAL: the file is damaged. PS_TOO_SLOW: the handle's time is up. */
enum ps_status ps_trace_each_chunk(struct ps_db *db, const struct ps_chunk_query *query,
                                   bool (*visit)(void *user, const struct ps_chunk *chunk),
                                   void *user, struct ps_err *err);

/* Reads the requested columns of one slice. PS_NOT_FOUND: there is no such slice. */
enum ps_status ps_trace_slice(struct ps_db *db, int64_t id, uint32_t columns,
                              int64_t out[PS_N_SLICE_COLUMNS], struct ps_err *err);
/* Appends the arguments of a slice as JSON. */
enum ps_status ps_trace_args(struct ps_db *db, int64_t id, struct ps_buf *out, struct ps_err *err);

/* Reads what is to be drawn of a track (slices/window.h), from chunks or from a level of the
 * pyramid. `out` may be reused; free it with ps_window_free at the end. PS_NOT_FOUND: no such
 * track. */
enum ps_status ps_trace_window(struct ps_db *db, uint32_t track, int64_t from_ns, int64_t to_ns,
                               uint32_t px, struct ps_window *out, struct ps_err *err);

#endif
