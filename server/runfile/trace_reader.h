/* SPDX-License-Identifier: MIT */
/* trace_reader.h: shared by the files that read traces, and validate.c. */
#ifndef PS_RUNFILE_TRACE_READER_H
#define PS_RUNFILE_TRACE_READER_H

#include "server/runfile/handle.h"
#include "server/runfile/trace.h"

/* A row of table chunk. */
struct ps_chunk_row {
    int64_t id, start_ns, end_ns, last_start_ns;
    uint32_t track, first, n;
    uint32_t columns, kinds; /* PS_COL_BITs; bits 1 << enum ps_slice_kind */
    enum ps_track_kind track_kind;
    int64_t device, stream; /* of the track */
};

/* Reads columns of one chunk at a time. */
struct ps_trace_reader {
    struct ps_db *db;
    sqlite3_blob *blob;
    struct ps_buf raw[32];       /* packed values, by column */
    int64_t chunk_of_column[32]; /* id of the chunk whose column is in `raw`; 0: none */
    int64_t *column[PS_N_SLICE_COLUMNS];
    struct ps_trace_reader *next; /* next idle reader */
};

/* The tables of a trace run that a handle caches. Each is loaded on first use. */
struct ps_trace_cache {
    struct ps_track_row *tracks; /* in the order of the timeline */
    size_t n_tracks;
    struct ps_chunk_row *chunks; /* sorted by track, first */
    size_t n_chunks;
    bool has_texts, has_templates;
    struct ps_str *texts; /* by id */
    uint32_t *keys;
    size_t n_texts;
    uint32_t memory_text;     /* text id of [memory]; 0: none */
    struct ps_str *templates; /* by id */
    uint32_t *shapes;
    size_t n_templates;
    struct ps_arena arena;
    struct ps_trace_reader *idle;
    struct ps_trace_reader *slice_reader; /* for ps_trace_slice: keeps the columns it read last */
};

/* Returns the cache with tracks and chunks loaded. */
enum ps_status ps_trace_cache_load(struct ps_db *db, struct ps_trace_cache **out,
                                   struct ps_err *err);
/* Returns the cache with texts and templates loaded too. */
enum ps_status ps_trace_cache_load_texts(struct ps_db *db, struct ps_trace_cache **out,
                                         struct ps_err *err);
/* Finds the chunks of a track: [*first, *end). Track 0: all. */
void ps_trace_chunk_range(const struct ps_trace_cache *cache, uint32_t track, size_t *first,
                          size_t *end);
/* Returns the chunk that contains a slice; NULL: none. */
const struct ps_chunk_row *ps_trace_find_chunk(const struct ps_trace_cache *cache, int64_t slice);

struct ps_trace_reader *ps_trace_reader_acquire(struct ps_db *db); /* the cache must be loaded */
void ps_trace_reader_release(struct ps_trace_reader *reader);
/* Reads a column in packed form; {NULL, 0}: all values are 0. Valid until the reader reads this
 * column of another chunk. */
enum ps_status ps_trace_reader_packed(struct ps_trace_reader *reader,
                                      const struct ps_chunk_row *chunk, unsigned column,
                                      struct ps_str *out, struct ps_err *err);
/* Reads and unpacks a column; *out NULL: all values are 0. Valid until the reader unpacks this
 * column again. */
enum ps_status ps_trace_reader_column(struct ps_trace_reader *reader,
                                      const struct ps_chunk_row *chunk, enum ps_slice_column column,
                                      const int64_t **out, struct ps_err *err);
/* Reads one value. */
enum ps_status ps_trace_reader_value(struct ps_trace_reader *reader,
                                     const struct ps_chunk_row *chunk, enum ps_slice_column column,
                                     uint32_t i, int64_t *out, struct ps_err *err);
/* Finds the first row from `low` on that starts at or after `at`; chunk->n: none. */
enum ps_status ps_trace_reader_find_start(struct ps_trace_reader *reader,
                                          const struct ps_chunk_row *chunk, int64_t at,
                                          uint32_t low, uint32_t *out, struct ps_err *err);
/* Appends the arguments of a slice as JSON. */
enum ps_status ps_trace_reader_args(struct ps_trace_reader *reader,
                                    const struct ps_chunk_row *chunk, uint32_t i,
                                    struct ps_buf *out, struct ps_err *err);

/* Returns the text of a template; {NULL, 0} if there is none. */
struct ps_str ps_trace_template(const struct ps_trace_cache *cache, int64_t id);

enum ps_status ps_trace_fail_damaged(struct ps_err *err, const char *what, int64_t id);

/* Rows of table packed. */
struct ps_packed_rows {
    size_t n;
    int64_t *column[PS_PACKED_COLUMNS_MAX]; /* the requested columns */
};
struct ps_packed_reader {
    struct ps_db *db;
    struct ps_stmt *parts, *data;
    uint32_t columns; /* bits 1 << column: the requested ones */
    struct ps_packed_rows rows;
    int64_t id, part; /* id and part of the current rows */
};
/* part 0: all. Rows outside of range may be among them. */
enum ps_status ps_packed_open(struct ps_db *db, enum ps_packed_family family, int64_t part,
                              struct ps_range range, uint32_t columns, struct ps_packed_reader *out,
                              struct ps_err *err);
/* Reads the next rows; false at the end, or with err set. */
bool ps_packed_next(struct ps_packed_reader *reader, struct ps_err *err);
void ps_packed_close(struct ps_packed_reader *reader);

/* Virtual tables (trace_tables.c). */

/* Reads the range from the arguments of bits 0 and 1; false: neither was given. */
bool ps_table_range(int plan, sqlite3_value **argv, struct ps_range *out);

extern const struct ps_table_kind ps_operators_table, ps_kernels_table;
void ps_register_packed(struct ps_db *db);
void ps_register_stack_nodes(struct ps_db *db); /* ps_stack_nodes */

#endif
