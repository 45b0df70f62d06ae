/* SPDX-License-Identifier: MIT */
/*
 * importtime.h: the import log in memory, and the parser of its lines. Private to importtime.c; the
 * unit tests use it too.
 *
 * Order of the calls: ps_importtime_parse_line for each line; ps_importtime_add_row for each row;
 * ps_importtime_compute_derived once; ps_importtime_free.
 */
#ifndef PS_IMPORTERS_IMPORTS_IMPORTTIME_H
#define PS_IMPORTERS_IMPORTS_IMPORTTIME_H

#include "base/intern.h"
#include "base/python_origin.h"
#include "importers/importer.h"
#include "importers/text/text_report.h"

enum ps_importtime_kind {
    PS_IMPORTTIME_OTHER,  /* output of another program */
    PS_IMPORTTIME_HEADER, /* the header of a log: an interpreter starts */
    PS_IMPORTTIME_TIMED,
    PS_IMPORTTIME_CACHED,
    PS_IMPORTTIME_EDGES,   /* `self`: number of PS_IMPORTTIME_EDGE lines that follow */
    PS_IMPORTTIME_EDGE,    /* an import: importer and imported module */
    PS_IMPORTTIME_INVALID, /* an import row whose fields cannot be parsed */
};

struct ps_importtime_line {
    enum ps_importtime_kind kind;
    struct ps_num self, cumulative;
    bool is_out_of_range; /* a number does not fit 64 bits; the nearest double is stored */
    /* number of spaces before the name, rounded down to an even number for timed rows; a remaining
     * space belongs to the name */
    size_t n_spaces;
    struct ps_str name;
    struct ps_str importer; /* PS_IMPORTTIME_EDGE: the importer; "__main__": the program */
    bool is_in_function;    /* PS_IMPORTTIME_EDGE: the importer has it only in functions */
};

/* Parses a line without its \n and \r. `ended`: the line ended in \n, so it is complete. */
struct ps_importtime_line ps_importtime_parse_line(struct ps_str text, bool ended);

enum { PS_IMPORTTIME_NO_ROW = 0 }; /* row ids start at 1 */

struct ps_importtime_row {
    struct ps_num self, cumulative;
    uint64_t line;
    int64_t total;
    uint32_t module, package;  /* ids in `modules` and `packages` of the log */
    uint32_t parent, importer; /* row ids; PS_IMPORTTIME_NO_ROW: none */
    /* `start_order`: position in preorder, from 1; `n_children`: number of children;
     * `subtree_size`: number of rows of the subtree; `level`: number of ancestors */
    uint32_t start_order, n_children, subtree_size, level;
    uint32_t interpreter;
    /* as printed: `spaces`: bytes of the spaces before the name; `width`: bytes of the spaces and
     * the name; used for cached rows only */
    uint32_t spaces, width;
    int32_t depth; /* as printed; -1: unknown */
    bool is_cached, is_startup, is_unfinished, is_topmost, is_first_of_module, is_estimated,
        skips_level, is_recorded, is_in_function;
};

struct ps_importtime_package {
    struct ps_num self, inclusive;
    uint32_t n_modules, first_row;
    enum ps_origin origin;
};

struct ps_importtime_tally {
    uint64_t count, offset, line; /* number of occurrences; byte offset and line of the first */
};

/* An import seen by the recorder: importer and module as ids in the log's edge_names. */
struct ps_importtime_edge {
    uint32_t importer, module;
    uint64_t line;
    bool is_in_function;
};

struct ps_importtime_log {
    struct ps_importtime_row *rows;
    size_t n, cap;
    struct ps_intern modules, packages;
    uint32_t *package_of_module, n_package_of_module,
        cap_package_of_module;             /* package of each module id */
    struct ps_importtime_package *package; /* by package id; set by ps_importtime_compute_derived */
    uint32_t *pending_rows; /* row ids whose parent was not read yet, in order of depth */
    size_t n_pending, cap_pending;
    struct ps_importtime_edge *edges;
    size_t n_edges, cap_edges;
    struct ps_intern edge_names;
    uint64_t n_announced_edges; /* sum of the counts in the PS_IMPORTTIME_EDGES lines */
    uint32_t n_headers;
    uint64_t n_lines, n_repaired, n_rejected; /* `n_lines`: number of lines read */
    struct ps_importtime_tally other_lines, rejects, repairs, time_mismatches;
    bool is_complete; /* the last line ended in \n */

    /* Set by ps_importtime_compute_derived. */
    struct ps_num total_us, self_us, startup_us, program_us;
    uint32_t n_timed, n_cached, n_roots, n_startup_modules, n_negative_self, max_depth, n_estimated,
        n_skipped_levels, n_unfinished;
    uint32_t deepest_row; /* id of the row with the most ancestors */
    uint32_t title_row;   /* id of the root row whose module is the title of the run */
};

/* Adds the row of a PS_IMPORTTIME_TIMED or PS_IMPORTTIME_CACHED line; `name`: module name for
 * display. A timed row becomes the parent of the pending rows with a greater depth. */
struct ps_importtime_row *ps_importtime_add_row(struct ps_importtime_log *log,
                                                const struct ps_importtime_line *line,
                                                struct ps_str name);

/* Computes the fields that depend on several rows, such as packages. Call it after the last row was
 * added. */
void ps_importtime_compute_derived(struct ps_importtime_log *log);

/* A sum: exact as long as all values are integers and the sum fits 64 bits, else a double. */
struct ps_importtime_sum {
    __int128 integer;
    double fraction;
    bool is_real;
};
void ps_importtime_sum_add(struct ps_importtime_sum *sum, struct ps_num value);
struct ps_num ps_importtime_sum_value(const struct ps_importtime_sum *sum);

void ps_importtime_free(struct ps_importtime_log *log);

#endif
