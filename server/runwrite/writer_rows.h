/* SPDX-License-Identifier: MIT */
/* writer_rows.h: the state of a run that is being written, shared by run_writer.c and
 * run_trace.c. */
#ifndef PS_RUNWRITE_WRITER_ROWS_H
#define PS_RUNWRITE_WRITER_ROWS_H

#include "server/runfile/handle.h"
#include "server/runwrite/run_tables.h"
#include "server/runwrite/run_writer.h"
#include "slices/operators.h"
#include "slices/pyramid.h"

#define PS_NOTES_MAX                                                                               \
    10000 /* limit of notes on repaired and rejected records of one file; the ledger counts all */

/* A file with functions, and their sums. Views need the sums often, and collecting them while the
 * functions are written is cheap. */
struct ps_run_file {
    struct ps_str path;
    enum ps_origin origin; /* of its first function */
    uint32_t functions;    /* number of listed functions */
    struct ps_num ncalls, tottime_s;
};

struct ps_run_files {
    struct ps_run_file *items; /* id is the index + 1 */
    uint32_t n, cap;
    uint32_t *by_key; /* ids by ps_function.file_key; 0: not seen yet */
    size_t n_keys;
    struct ps_arena arena;
};

/* Returns the id of the file of a function, and adds the function's numbers to its sums. */
uint32_t ps_run_files_add(struct ps_run_files *files, const struct ps_function *row);

/* Returns a + b, as an integer if possible. If a is PS_NUM_NONE the sum is b, and vice versa. */
struct ps_num ps_num_add(struct ps_num a, struct ps_num b);

/* Sums over the lines of a function, or over the lines of a file that are in no function. */
struct ps_line_sum {
    uint32_t file, function;
    uint64_t first_row, last_row; /* in table line */
    uint32_t last_line, lines, executed;
    uint32_t block;  /* block of the last increment */
    bool has_source; /* the profile contains the source text of some lines */
    struct ps_num hits, ticks, increment_mib, mem_mib, peak_mib;
    struct ps_num cpu_python_pct, cpu_native_pct, cpu_system_pct, malloc_mib, copy_mib_s, gpu_pct;
};

struct ps_line_sums {
    struct ps_line_sum *items;
    size_t n, cap;
    uint64_t rows;
    uint32_t *by_function, *by_file;
    size_t n_functions, n_files;
};

void ps_line_sums_add(struct ps_line_sums *sums, const struct ps_line_row *row);
void ps_line_sums_free(struct ps_line_sums *sums);

/* Rows of which there may be millions, collected for the tables packed and packed_column. */
struct ps_pack_buffer {
    enum ps_packed_family family;
    int64_t part;
    unsigned columns;
    uint32_t n, cap, max_rows; /* max_rows: in one row of table packed */
    int64_t *column[PS_PACKED_COLUMNS_MAX];
};

/* A series of numbers over time. */
struct ps_series {
    uint32_t process;
    struct ps_str name, unit;
    double min, max;
    struct ps_pack_buffer counts;
};

/* Sums over a trace, collected while it is written. */
struct ps_trace_sums {
    struct ps_operators operators; /* by name and shapes */
    uint32_t *keys, *shapes;       /* by text id, by template id */
    size_t n_keys, n_shapes;       /* number of elements allocated */
    uint32_t last_text;            /* largest id */
    uint32_t memory_text;          /* text id of [memory]; 0: the trace does not have it */
    struct ps_operator memory;     /* events outside of all operators */
    struct ps_pyramid *pyramid;
    uint32_t track;         /* the track of `pyramid` */
    int64_t chunks, packed; /* last ids used */
    struct ps_pack_buffer flows, events;
    struct ps_series *series; /* by id - 1 */
    uint32_t n_series, series_cap;
};

/* Writes the remaining rows and the sums, after the last row. */
void ps_trace_sums_end(struct ps_writer *w);
void ps_trace_sums_free(struct ps_trace_sums *sums);
void ps_trace_packed_end(struct ps_writer *w);
void ps_trace_packed_free(struct ps_trace_sums *sums);

struct ps_writer {
    struct ps_sink sink; /* first member: a pointer to it is a pointer to the writer */
    struct ps_writer_options writing;
    struct ps_db *db;
    struct ps_arena arena;
    struct ps_ledger ledger;
    struct ps_headline headline;
    struct ps_inserter rows;
    struct ps_buf summary_text;
    struct ps_json summary;
    struct ps_buf blob, blob2;
    uint32_t *first_descendant; /* by id of parents not written yet: smallest id below */
    size_t first_descendant_cap;
    struct ps_run_files files;
    struct ps_line_sums line_sums;
    struct ps_trace_sums trace;
    uint64_t notes, notes_left_out;
};

extern const struct ps_sink_ops ps_writer_ops;

/* The sink's operations for traces (run_trace.c). */
void ps_writer_text(struct ps_sink *sink, const struct ps_trace_text *row);
void ps_writer_args_template(struct ps_sink *sink, const struct ps_args_template *row);
void ps_writer_process(struct ps_sink *sink, const struct ps_process *row);
void ps_writer_track(struct ps_sink *sink, const struct ps_track *row);
void ps_writer_slices(struct ps_sink *sink, const struct ps_chunk *chunk);
void ps_writer_flow(struct ps_sink *sink, const struct ps_flow *row);
void ps_writer_counter(struct ps_sink *sink, const struct ps_counter *row);
void ps_writer_count(struct ps_sink *sink, uint32_t counter, int64_t t_ns, double value);
void ps_writer_memory_event(struct ps_sink *sink, const struct ps_memory_event *row);
void ps_writer_trace_step(struct ps_sink *sink, const struct ps_step *row);
void ps_writer_step_part(struct ps_sink *sink, const struct ps_step_part *row);
void ps_writer_device(struct ps_sink *sink, const struct ps_device_summary *row);
void ps_writer_gap(struct ps_sink *sink, const struct ps_gap *row);
void ps_writer_module(struct ps_sink *sink, const struct ps_module *row);
int ps_writer_scratch(struct ps_sink *sink);

#endif
