/* SPDX-License-Identifier: MIT */
/*
 * reads.h: the URLs that only read, as one table for the server (server/api) and for HTML exports
 * (server/offline). A new one is a row of PS_READS and a function in reads.c.
 *
 * Not here: SQL, which has a body and limits of its own, exports, which are server/share's, and
 * what only a server knows (jobs, events, health).
 */
#ifndef PS_QUERY_READS_H
#define PS_QUERY_READS_H

#include "server/query/query.h"

#define PS_READ_ARGS 2

enum ps_read_flags {
    PS_READ_RUN = 1,    /* {run} of the path names a run */
    PS_READ_GROUPS = 2, /* base= and new= name groups of runs */
    PS_READ_FIXED = 4,  /* the answer depends on these runs and the program, and on nothing else */
    PS_READ_SLOW = 8,   /* may take longer than a millisecond or so */
};

/* READ(path below /api/v1/, name, flags); {name} is one segment, {name*} the rest of the path. The
 * first row that fits is taken. */
#define PS_READS(READ)                                                                             \
    READ("runs", runs, PS_READ_SLOW)                                                               \
    READ("runs/{run}", run, PS_READ_RUN)                                                           \
    READ("runs/{run}/what_if", what_if, PS_READ_RUN | PS_READ_SLOW)                                \
    READ("runs/{run}/{view*}", view, PS_READ_RUN | PS_READ_FIXED | PS_READ_SLOW)                   \
    READ("lines/files", line_files, PS_READ_SLOW)                                                  \
    READ("lines", lines, PS_READ_SLOW)                                                             \
    READ("compare", compare, PS_READ_GROUPS | PS_READ_SLOW)                                        \
    READ("compare/tree", compare_tree, PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)              \
    READ("compare/twin/{of}", compare_twin, PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)         \
    READ("compare/{of}", compare_rows, PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)              \
    READ("compare/{of}/{row}", compare_row, PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)         \
    READ("trend", trend, PS_READ_SLOW)                                                             \
    READ("queries", queries, 0)

struct ps_read_request {
    struct ps_store *store;
    struct ps_params params;
    const char *args[PS_READ_ARGS]; /* what {...} of the path stood for, decoded */
    /* By ps_read_request_resolve: */
    char run[PS_ID_SIZE];             /* PS_READ_RUN: its whole id */
    struct ps_compare_groups *groups; /* PS_READ_GROUPS */
};

struct ps_read_route {
    const char *name; /* as in PS_READS */
    enum ps_status (*answer)(const struct ps_read_request *question, struct ps_answer *answer,
                             struct ps_err *err);
    unsigned flags;
};

#define PS_READ_DECLARE(path, name, flags) extern const struct ps_read_route ps_read_##name;
PS_READS(PS_READ_DECLARE)

/* Finds the runs that a question names, before it is asked. Free it in any case. */
enum ps_status ps_read_request_resolve(const struct ps_read_route *read,
                                       struct ps_read_request *question, struct ps_err *err);
void ps_read_request_free(struct ps_read_request *question);

#endif
