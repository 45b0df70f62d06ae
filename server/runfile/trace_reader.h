/* SPDX-License-Identifier: MIT */
/* trace_reader.h: reads the tables of a trace and the columns of its slices, for trace.h and for
 * the virtual tables. */
#ifndef PS_RUNFILE_TRACE_READER_H
#define PS_RUNFILE_TRACE_READER_H

#include "server/runfile/handle.h"
#include "server/runfile/trace.h"

/* A row of table chunk. */
struct ps_chunk_row {
    int64_t id, start_ns, end_ns, last_start_ns;
    uint32_t track, first_row, n;
    uint32_t columns, kinds; /* columns: PS_COL_BITs; kinds: bits 1 << enum ps_slice_kind */
    enum ps_track_kind track_kind;
    int64_t device, stream; /* of the track; -1: none */
};

/* Reads columns of one chunk at a time. */
struct ps_trace_reader {
    struct ps_db *db;
    sqlite3_blob *blob;
    struct ps_buf packed[32];    /* packed values of the last chunk read, by column */
    int64_t chunk_of_column[32]; /* by column: id of the chunk in `packed`; 0: none */
    int64_t *column[PS_N_SLICE_COLUMNS];
    struct ps_trace_reader *next; /* next reader in the list `idle` */
};

/* The tables of a trace run that a handle caches. Each is loaded on first use. */
struct ps_trace_cache {
    struct ps_track_row *tracks; /* in the order of the timeline */
    size_t n_tracks;
    struct ps_chunk_row *chunks; /* sorted by track, then by first row */
    size_t n_chunks;
    bool has_texts, has_templates;
    struct ps_str *texts; /* by id */
    uint32_t *keys;
    size_t n_texts;
    uint32_t memory_text;     /* text id of [memory]; 0: none */
    struct ps_str *templates; /* by id */
    uint32_t *shapes;
    size_t n_templates;
    struct ps_layered_track **layers; /* by track id; NULL: not yet computed, or one track */
    size_t n_layers;
    struct ps_arena arena;
    struct ps_trace_reader *idle_readers;
    struct ps_trace_reader *slice_reader; /* for ps_trace_read_slice and ps_trace_append_args:
                                             caches the columns of the last slice */
};

/* Returns the cache of the handle, with tracks and chunks loaded. */
enum ps_status ps_trace_cache_load(struct ps_db *db, struct ps_trace_cache **out,
                                   struct ps_err *err);
/* Returns the cache of the handle, with tracks, chunks, texts and templates loaded. */
enum ps_status ps_trace_cache_load_texts(struct ps_db *db, struct ps_trace_cache **out,
                                         struct ps_err *err);
/* Sets [*first, *end) to the indexes of the chunks of a track. Track 0: all chunks. */
void ps_trace_chunk_range(const struct ps_trace_cache *cache, uint32_t track, size_t *first,
                          size_t *end);
/* Returns the chunk that contains the slice with this id; NULL: there is none. */
const struct ps_chunk_row *ps_trace_find_chunk(const struct ps_trace_cache *cache, int64_t slice);

#define PS_LEVELS_MAX 64

/* A thread that has layers, with levels of detail for slices at the depths of layers.row_depth. */
struct ps_layered_track {
    struct ps_layers layers;
    bool has_levels;
    unsigned n_levels;
    int64_t bin_ns[PS_LEVELS_MAX];
    struct ps_buf level[PS_LEVELS_MAX];
};
/* Computes the levels at the first call. */
enum ps_status ps_layered_track_load(struct ps_db *db, uint32_t track,
                                     struct ps_layered_track **out, struct ps_err *err);
void ps_layered_track_free(struct ps_layered_track *track); /* may be NULL */

struct ps_trace_reader *ps_trace_reader_acquire(struct ps_db *db); /* its cache must be loaded */
void ps_trace_reader_release(struct ps_trace_reader *reader);
/* Reads a column of a chunk without unpacking it. {NULL, 0}: all values are 0. *out is valid until
 * the reader reads this column of another chunk. */
enum ps_status ps_trace_reader_read_packed(struct ps_trace_reader *reader,
                                           const struct ps_chunk_row *chunk, unsigned column,
                                           struct ps_str *out, struct ps_err *err);
/* Reads and unpacks a column of a chunk. *out NULL: all values are 0. *out is valid until the
 * reader unpacks this column again. */
enum ps_status ps_trace_reader_read_column(struct ps_trace_reader *reader,
                                           const struct ps_chunk_row *chunk,
                                           enum ps_slice_column column, const int64_t **out,
                                           struct ps_err *err);
/* Reads the value of a column in row i of a chunk. */
enum ps_status ps_trace_reader_read_value(struct ps_trace_reader *reader,
                                          const struct ps_chunk_row *chunk,
                                          enum ps_slice_column column, uint32_t i, int64_t *out,
                                          struct ps_err *err);
/* Sets *out to the first row from `low` on that starts at or after time `at` (ns); chunk->n: none.
 */
enum ps_status ps_trace_reader_find_start(struct ps_trace_reader *reader,
                                          const struct ps_chunk_row *chunk, int64_t at,
                                          uint32_t low, uint32_t *out, struct ps_err *err);
/* Appends the arguments of row i of a chunk as a JSON object. */
enum ps_status ps_trace_reader_append_args(struct ps_trace_reader *reader,
                                           const struct ps_chunk_row *chunk, uint32_t i,
                                           struct ps_buf *out, struct ps_err *err);

/* Returns the text of a template; {NULL, 0}: there is none. */
struct ps_str ps_trace_cache_template(const struct ps_trace_cache *cache, int64_t id);

enum ps_status ps_trace_fail_damaged(struct ps_err *err, const char *what, int64_t id);

/* Unpacked rows of one row of table packed. */
struct ps_packed_rows {
    size_t n;
    int64_t *column[PS_PACKED_COLUMNS_MAX]; /* values; NULL: not requested */
};
struct ps_packed_reader {
    struct ps_db *db;
    struct ps_stmt *parts_stmt, *data_stmt;
    enum ps_packed_family family;
    uint32_t columns; /* bits 1 << column: requested columns */
    struct ps_packed_rows rows;
    int64_t id, part; /* id and part of the current rows */
};
/* Begins to read rows of table packed of this family. part 0: all parts. Rows outside of `range`
 * may be returned. */
enum ps_status ps_packed_open(struct ps_db *db, enum ps_packed_family family, int64_t part,
                              struct ps_range range, uint32_t columns, struct ps_packed_reader *out,
                              struct ps_err *err);
/* Reads the next rows into reader->rows. False: there are no more rows, or err has an error. */
bool ps_packed_next(struct ps_packed_reader *reader, struct ps_err *err);
void ps_packed_close(struct ps_packed_reader *reader);

/* Virtual tables (trace_tables.c). */

/* Reads the range from arguments 0 and 1 (ps_table_argument). False: neither was given. */
bool ps_table_read_range(int plan, sqlite3_value **argv, struct ps_range *out);

/* Reads the set of tracks from argument `which`; without the argument it is the set of all. */
enum ps_status ps_table_read_tracks(struct ps_db *db, int plan, sqlite3_value **argv, int which,
                                    struct ps_track_set *out, struct ps_err *err);

extern const struct ps_table_kind ps_operators_table, ps_kernels_table;
void ps_register_packed(struct ps_db *db);
void ps_register_stack_nodes(struct ps_db *db); /* ps_stack_nodes */

#endif
