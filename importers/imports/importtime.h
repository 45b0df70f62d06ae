/* SPDX-License-Identifier: MIT */
/*
 * importtime.h: what the files importtime*.c share: one line of a log, and a log in memory. For
 * them alone.
 *
 * _line.c knows the grammar, _tree.c what the rows mean together (order, packages, start-up),
 * _cached.c who asked for a cached module, _edges.c what the recorder saw of that, _report.c tells
 * the sink, importtime.c reads and holds the descriptor.
 */
#ifndef PS_IMPORTERS_IMPORTS_IMPORTTIME_H
#define PS_IMPORTERS_IMPORTS_IMPORTTIME_H

#include "base/intern.h"
#include "importers/importer.h"
#include "importers/text/text_report.h"

enum ps_it_kind {
    PS_IT_OTHER,  /* another program's output */
    PS_IT_HEADER, /* an interpreter begins */
    PS_IT_TIMED,
    PS_IT_CACHED,
    PS_IT_EDGES,  /* so many lines of who imports what follow */
    PS_IT_EDGE,   /* who imports what */
    PS_IT_BROKEN, /* meant to be a row, but its fields cannot be read */
};

struct ps_it_line {
    enum ps_it_kind kind;
    struct ps_num self, cumulative;
    bool beyond; /* a figure does not fit 64 bits and became the nearest double */
    size_t
        spaces; /* before the name, without the odd one of a timed row, which belongs to the name */
    struct ps_str name;
    struct ps_str by; /* of an edge: the importer, "__main__" for the program */
};

/* Reads a line without its \n and \r. `ended`: it had a \n, so nothing of it is missing. */
struct ps_it_line ps_it_read(struct ps_str text, bool ended);

enum { PS_IT_NOBODY = 0 }; /* ids begin at 1 */

struct ps_it_row {
    struct ps_num self, cumulative;
    uint64_t line;
    int64_t total;
    uint32_t module, package;              /* ids in the tables of the log */
    uint32_t parent, importer;             /* row ids, PS_IT_NOBODY for none */
    uint32_t start, children, size, level; /* size: rows of the subtree; level: ancestors */
    uint32_t interpreter;
    uint32_t spaces, width; /* of a cached row: as printed, bytes */
    int32_t depth;          /* as printed; -1: not told */
    bool cached, startup, unfinished, topmost, first, estimated, gap, recorded;
};

struct ps_it_package {
    struct ps_num self, inclusive;
    uint32_t modules, first;
    enum ps_origin origin;
};

struct ps_it_tally {
    uint64_t count, at, line; /* of the first one */
};

/* A line of who imports what; ids in the log's edge_names. */
struct ps_it_edge {
    uint32_t by, name;
    uint64_t line;
};

struct ps_it_log {
    struct ps_it_row *rows;
    size_t n, cap;
    struct ps_intern modules, packages;
    uint32_t *module_package, module_package_n, module_package_cap; /* package of each module id */
    struct ps_it_package *package; /* by id; made by ps_it_understand */
    uint32_t *pending;             /* rows that wait for their parent, depth rising */
    size_t n_pending, cap_pending;
    struct ps_it_edge *edges;
    size_t n_edges, cap_edges;
    struct ps_intern edge_names;
    uint64_t edges_told; /* as their heads say */
    uint32_t headers;
    uint64_t lines, repaired, rejected; /* lines: the number of the last one */
    struct ps_it_tally others, rejects, repairs, uneven;
    bool whole; /* the last line had its \n */

    /* made by ps_it_understand */
    struct ps_num total_us, self_us, startup_us, program_us;
    uint32_t timed, cached, roots, startup_modules, negative_self, max_depth, estimated, gaps,
        unfinished;
    uint32_t deepest; /* the row at the end of the longest chain */
    uint32_t title;   /* the root row that the program is called after */
};

/* Adds the row of a TIMED or CACHED line; `name` is finished text. Timed rows adopt the pending
 * rows below them. */
struct ps_it_row *ps_it_add(struct ps_it_log *log, const struct ps_it_line *line,
                            struct ps_str name);

/* When all rows are there: fills what the rows mean together. */
void ps_it_understand(struct ps_it_log *log);

/* The importers of cached rows, from the layout; a step of ps_it_understand, in _cached.c. */
void ps_it_find_importers(struct ps_it_log *log);

/* Edges become cached rows at the end of the log, when all of them came; a step of
 * ps_it_understand, in _edges.c. */
void ps_it_add_edges(struct ps_it_log *log);

/* Sums of figures: exact as long as all are integers and fit 64 bits. */
struct ps_it_sum {
    __int128 whole;
    double part;
    bool real;
};
void ps_it_sum_add(struct ps_it_sum *sum, struct ps_num value);
struct ps_num ps_it_sum_value(const struct ps_it_sum *sum);

void ps_it_free(struct ps_it_log *log);

#endif
