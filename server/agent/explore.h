/* SPDX-License-Identifier: MIT */
/* explore.h: what the files of the tool explore share. Only they include it. */
#ifndef PS_AGENT_EXPLORE_H
#define PS_AGENT_EXPLORE_H

#include "server/agent/tools.h"

/* What is explored: a run, and the name that the caller asked for. */
struct ps_explored {
    struct ps_tool_call *call;
    const cJSON *run;
    const char *id;   /* of the run */
    const char *name; /* as asked for */
};

/* "samples" or "slices" in place of "calls" if a sampling profiler made the run. */
const char *ps_explore_count_word(const struct ps_explored *x, const char *of_samples);

/* Finds the row of a table view whose column `column` is the name, or else contains it: the first
 * by `sort`, descending. *out is the table with at most 4 rows, the found one first, and `total`
 * the number of rows that match. PS_NOT_FOUND: no row matches. */
enum ps_status ps_explore_find(const struct ps_explored *x, const char *view, const char *sort,
                               cJSON **out, struct ps_err *err);
/* Begins the answer: the run, its page on `route` ("functions?fn=12"), the name that was found, and
 * other names that match (a table from ps_explore_find and its column of names; NULL: none). */
void ps_explore_begin(const struct ps_explored *x, const char *route, const char *found,
                      const cJSON *matches, const char *column);

/* Writes a table of source lines around `line` of a file that is attached to the run; nothing if
 * its text is not known. */
void ps_explore_add_source(const struct ps_explored *x, const char *path, double line);

/* explore_request.c: a request by its number, a part of its name, or "worst request". Nothing is
 * written unless *is_found. */
enum ps_status ps_explore_request(const struct ps_explored *x, bool has_trace, bool *is_found,
                                  struct ps_err *err);
/* explore_stacks.c, explore_trace.c: runs of stacks, and of traces. */
enum ps_status ps_explore_stacks(const struct ps_explored *x, struct ps_err *err);
/* Adds to an answer the stacks in which a function of that name allocates; nothing if there are
 * none. */
enum ps_status ps_explore_allocations(const struct ps_explored *x, struct ps_err *err);
enum ps_status ps_explore_trace(const struct ps_explored *x, struct ps_err *err);

/* A call tree as the API answers it (nodes.c). */
struct ps_nodes {
    size_t n;
    int *parent;        /* index, or -1; a parent is before its children */
    const char **names; /* of each node */
    double *self, *total;
};

/* Reads the arrays parent, name, names, self and total of an answer. The names point into it. Call
 * ps_nodes_free in any case. PS_INTERNAL: the arrays do not belong together. */
enum ps_status ps_nodes_read(const cJSON *answer, struct ps_nodes *out, struct ps_err *err);
void ps_nodes_free(struct ps_nodes *flame); /* for PS_AUTO */

/* Appends the path from a node of a tree of callers, the outermost caller, to the function: "`a` >
 * `b` > `c`". Only the last 8 frames. */
void ps_nodes_add_callers(const struct ps_nodes *callers, int node, struct ps_buf *text);

/* How values of a flame graph are shown: divided by `scale`, in `unit`. */
struct ps_node_unit {
    double scale;
    const char *unit;
};
struct ps_neighbour_words {
    const char *title, *base;
    const char *of_root; /* name of a row with the self weight of the root; NULL: there is none */
};
/* Writes a table of the names directly below the root of a tree of callers or of callees: the
 * total, and the percent of the root's. */
void ps_explore_add_neighbours(const struct ps_explored *x, const struct ps_nodes *flame,
                               const struct ps_neighbour_words *words,
                               const struct ps_node_unit *unit);

#endif
