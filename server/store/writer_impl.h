/* SPDX-License-Identifier: MIT */
/* writer_impl.h: the state of a run on its way to the disk, for run_rows.c (its rows) and
 * run_writer.c (its life). */
#ifndef PS_STORE_WRITER_IMPL_H
#define PS_STORE_WRITER_IMPL_H

#include "server/store/db_impl.h"

#define NOTES_MAX                                                                                  \
    10000 /* of the repaired and rejected records of one file; the ledger counts the rest */

enum insert {
    INSERT_IMPORT,
    INSERT_FUNCTION,
    INSERT_FILE,
    INSERT_PACKAGE,
    INSERT_NOTE,
    INSERT_META,
    INSERT_LINE_FILE,
    INSERT_LINE_FUNCTION,
    INSERT_LINE,
    INSERT_LINE_SUM,
    INSERT_MEMORY,
    INSERT_SPAN,
    N_INSERTS
};

/* A file that functions stand in, with their sums: asked for often, and cheap to have while they
 * pass by. */
struct ps_run_file {
    struct ps_str path;
    enum ps_origin origin; /* of its first function */
    uint32_t functions;    /* listed ones */
    struct ps_num ncalls, tottime_s;
};

struct ps_run_files {
    struct ps_run_file *at; /* id is the index + 1 */
    uint32_t n, cap;
    uint32_t *by_key; /* ids by ps_function.file_key, 0 not met */
    uint32_t n_keys;
    struct ps_arena arena;
};

/* The id of the file of a function, whose figures are added to it. */
uint32_t ps_run_file(struct ps_run_files *files, const struct ps_function *row);
void ps_run_files_free(struct ps_run_files *files);

/* a + b; an integer while it can be. Nothing plus b is b, whatever the kinds. */
struct ps_num ps_num_sum(struct ps_num a, struct ps_num b);

/* What the lines of a function come to, or those of a file that are in none. */
struct ps_line_sum {
    uint32_t file, function;
    uint64_t first_row, last_row; /* of the line table */
    uint32_t last_line, lines, executed;
    uint32_t block; /* of the last increment */
    bool carried;   /* the profile holds text of some */
    struct ps_num hits, ticks, increment_mib, mem_mib, peak_mib;
    struct ps_num cpu_python_pct, cpu_native_pct, cpu_system_pct, malloc_mib, copy_mib_s, gpu_pct;
};

struct ps_line_sums {
    struct ps_line_sum *at;
    size_t n, cap;
    uint64_t rows;
    uint32_t *by_function, *by_file, n_functions, n_files;
};

void ps_line_sums_add(struct ps_line_sums *sums, const struct ps_line_row *row);
void ps_line_sums_free(struct ps_line_sums *sums);

struct ps_writer {
    struct ps_sink sink; /* first: a sink is a writer */
    struct ps_store *store;
    struct ps_db *db;
    char *part;
    int lock_fd;
    struct ps_arena arena;
    struct ps_catalog_row row;
    const char *filename, *title;
    struct ps_stmt *inserts[N_INSERTS];
    struct ps_buf summary_text;
    struct ps_json summary;
    uint32_t bound; /* figures of INSERT_LINE that are not NULL, a bit each */
    struct ps_buf blob, blob2;
    uint32_t *low; /* of pending parents, by id: smallest id below */
    uint32_t low_cap;
    struct ps_run_files files;
    struct ps_line_sums line_sums;
    uint64_t notes, notes_left_out;
    bool (*progress)(void *user, uint64_t done, uint64_t total, uint64_t records);
    void *user;
};

extern const struct ps_sink_ops ps_writer_ops;

/* The rows of the files, when all functions have passed. */
enum ps_status ps_writer_files(struct ps_writer *w);
/* The rows of what lines come to, when all lines have passed. */
enum ps_status ps_writer_line_sums(struct ps_writer *w);

/* One row of meta: the number, or the text where there is none. */
void ps_writer_meta(struct ps_writer *w, const char *key, struct ps_num number, struct ps_str text);

#endif
