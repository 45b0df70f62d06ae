/* SPDX-License-Identifier: MIT */
/*
 * trace.h: the slices of a trace run, read back. Handles come from ps_run_acquire; what is lent
 * stays valid until the handle is released.
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
    int64_t device, stream; /* -1 none */
    uint32_t slices, depth;
    int64_t start_ns, end_ns;
};

/* All tracks in the order of the timeline: by worker, process, their own order. */
enum ps_status ps_trace_tracks(struct ps_db *db, const struct ps_track_row **out, size_t *n,
                               struct ps_err *err);

/* A text by its id, {NULL, 0} when there is none. Loaded once a handle. */
struct ps_str ps_trace_text(struct ps_db *db, uint32_t id);
/* One more than the greatest id of a text. Ids that are no text lie between. */
enum ps_status ps_trace_text_end(struct ps_db *db, size_t *end, struct ps_err *err);
/* A template of arguments by its id (slices/args.h), likewise. */
struct ps_str ps_trace_args_template(struct ps_db *db, int64_t id);
/* text id -> key text id, template id -> shapes text id; for ps_operators. */
enum ps_status ps_trace_keys(struct ps_db *db, struct ps_operators *sums, bool by_shape,
                             struct ps_err *err);

struct ps_chunk_query {
    uint32_t track;        /* 0: all */
    uint32_t kinds;        /* bits 1 << enum ps_track_kind; 0: all */
    uint32_t slice_kinds;  /* bits 1 << enum ps_slice_kind: chunks that hold any; 0: all */
    struct ps_range range; /* chunks with slices that touch it; PS_RANGE_ALL */
    bool starting;         /* ... with slices that start in it */
    uint32_t columns;      /* PS_COL_BITs */
    bool args;             /* ps_chunk.args too */
};
/* Shows the chunks, by track and row. visit returns false to stop. The chunk lives for the call.
 * PS_INTERNAL: the file is damaged. PS_TOO_SLOW: the handle's time is up. */
enum ps_status ps_trace_chunks(struct ps_db *db, const struct ps_chunk_query *query,
                               bool (*visit)(void *user, const struct ps_chunk *chunk), void *user,
                               struct ps_err *err);

/* One slice: values of the columns asked for. PS_NOT_FOUND. */
enum ps_status ps_trace_slice(struct ps_db *db, int64_t id, uint32_t columns,
                              int64_t out[PS_N_SLICE_COLUMNS], struct ps_err *err);
/* Its arguments as JSON, appended. */
enum ps_status ps_trace_args(struct ps_db *db, int64_t id, struct ps_buf *out, struct ps_err *err);

/* What is to be drawn of a track (slices/window.h): picks chunks or a level of the pyramid. `out`
 * may be one that was used before; ps_window_free it at the end. PS_NOT_FOUND: no such track. */
enum ps_status ps_trace_window(struct ps_db *db, uint32_t track, int64_t from_ns, int64_t to_ns,
                               uint32_t px, struct ps_window *out, struct ps_err *err);

#endif
