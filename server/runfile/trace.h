/* SPDX-License-Identifier: MIT */
/*
 * trace.h: reads the slices of a trace run. ps_run_acquire returns the handle, which belongs to one
 * thread; returned pointers are valid until the handle is released. PS_INTERNAL: the file is
 * damaged.
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
#include "slices/layers.h"
#include "slices/operators.h"
#include "slices/slices.h"
#include "slices/window.h"

/* Primary key of table chunk_column. `column`: enum ps_slice_column, or PS_CHUNK_ARGS. */
#define PS_CHUNK_COLUMNS 32 /* keys per chunk */
#define PS_CHUNK_ARGS    31 /* the packed arguments */
static inline int64_t ps_chunk_key(int64_t chunk, unsigned column)
{
    return chunk * PS_CHUNK_COLUMNS + column;
}

struct ps_track_row {
    uint32_t id, process_id;
    enum ps_track_kind kind;
    int64_t device, stream; /* -1: none */
    uint32_t n_slices, depth;
    int64_t start_ns, end_ns;
};

/* Returns all tracks in the order of the timeline: by worker, by process, then by their order in
 * the process. */
enum ps_status ps_trace_get_tracks(struct ps_db *db, const struct ps_track_row **out, size_t *n,
                                   struct ps_err *err);

/* Returns the text with this id; {NULL, 0}: there is none. Loads all texts at the first call for a
 * handle. */
struct ps_str ps_trace_text(struct ps_db *db, uint32_t id);
/* Sets *end to the largest text id + 1. Some smaller ids may have no text. */
enum ps_status ps_trace_get_text_end(struct ps_db *db, size_t *end, struct ps_err *err);
/* Returns the template of arguments (slices/args.h) with this id; {NULL, 0}: there is none. */
struct ps_str ps_trace_args_template(struct ps_db *db, int64_t id);
/* Sets the maps of `sums`, which borrows them. `key` maps the text id of a name to the text id of
 * its key. With by_shape, `shapes` maps a template id to the text id of the shapes. */
enum ps_status ps_trace_set_keys(struct ps_db *db, struct ps_operators *sums, bool by_shape,
                                 struct ps_err *err);

/* A set of tracks. n 0: all tracks of the run. */
struct ps_track_set {
    uint32_t *ids; /* ascending, without duplicates */
    size_t n;
};
#define PS_TRACK_SET_MAX 4096

/* Parses ids separated by commas, such as "3,4"; an empty text is the set of all tracks. *out is
 * {NULL, 0} after a failure. PS_BAD_REQUEST: the text has another form or more than
 * PS_TRACK_SET_MAX ids, or the run has no track with one of the ids. */
enum ps_status ps_track_set_parse(struct ps_db *db, struct ps_str text, struct ps_track_set *out,
                                  struct ps_err *err);
bool ps_track_set_has(const struct ps_track_set *set, int64_t track);
void ps_track_set_free(struct ps_track_set *set); /* for PS_AUTO */
/* Returns the track of a slice, from its id. */
static inline int64_t ps_track_of_slice(int64_t slice)
{
    return slice >> 32;
}

struct ps_chunk_query {
    uint32_t track;                    /* 0: all */
    const struct ps_track_set *tracks; /* further restricts the tracks; NULL: does not */
    uint32_t track_kinds;              /* bits 1 << enum ps_track_kind; 0: all */
    /* bits 1 << enum ps_slice_kind: only chunks that contain a slice of these kinds; 0: all */
    uint32_t slice_kinds;
    struct ps_range range; /* only chunks with slices that overlap the range; PS_RANGE_ALL: all */
    bool must_start_in_range; /* only chunks with slices that start in the range */
    uint32_t columns;         /* PS_COL_BITs of the columns to read */
    bool wants_args;          /* also read ps_chunk.args */
};
/* Calls `visit` with each chunk, ordered by track and row, until it returns false. A chunk is valid
 * during the call. PS_INTERNAL: the file is damaged. PS_TOO_SLOW: the time limit of the thread's
 * context was exceeded. */
enum ps_status ps_trace_each_chunk(struct ps_db *db, const struct ps_chunk_query *query,
                                   bool (*visit)(void *user, const struct ps_chunk *chunk),
                                   void *user, struct ps_err *err);

/* Reads columns (PS_COL_BITs) of one slice into out[column]. PS_NOT_FOUND: there is no such slice.
 */
enum ps_status ps_trace_read_slice(struct ps_db *db, int64_t id, uint32_t columns,
                                   int64_t out[PS_N_SLICE_COLUMNS], struct ps_err *err);
/* Appends the arguments of a slice as a JSON object. PS_NOT_FOUND: there is no such slice. */
enum ps_status ps_trace_append_args(struct ps_db *db, int64_t id, struct ps_buf *out,
                                    struct ps_err *err);

/* Reads the slices and bins to draw for a track (slices/window.h) from from_ns to to_ns in `px`
 * pixels. `out` may be used again; free it with ps_window_free at the end. PS_NOT_FOUND: there is
 * no such track. */
enum ps_status ps_trace_read_window(struct ps_db *db, uint32_t track, int64_t from_ns,
                                    int64_t to_ns, uint32_t px, struct ps_window *out,
                                    struct ps_err *err);

/* Returns the layers of a thread (slices/layers.h); NULL: the track is one track. Computes them at
 * the first call for a handle. PS_TOO_SLOW: see ps_trace_each_chunk. */
enum ps_status ps_trace_get_layers(struct ps_db *db, uint32_t track, const struct ps_layers **out,
                                   struct ps_err *err);
/* Like ps_trace_read_window, for one layer of a track that has layers. */
enum ps_status ps_trace_read_layer(struct ps_db *db, uint32_t track, enum ps_layer layer,
                                   struct ps_range range, uint32_t px, struct ps_window *out,
                                   struct ps_err *err);

#endif
