/* SPDX-License-Identifier: MIT */
/*
 * reads.h: the table of URLs that only read, used by the server (server/api) and by HTML exports
 * (server/offline). To add a URL, add a row to PS_READS and a function to reads.c.
 *
 * The table does not contain SQL, which has a request body and its own limits, exports
 * (server/share), or data that only a server has (jobs, events, health).
 */
#ifndef PS_QUERY_READS_H
#define PS_QUERY_READS_H

#include "server/catalog/store.h"
#include "server/query/query.h"

#define PS_READ_ARGS 2

enum ps_read_flags {
    PS_READ_RUN = 1,    /* the segment {run} of the path names a run */
    PS_READ_GROUPS = 2, /* the parameters base and new name groups of runs */
    /* the answer depends only on the named runs, the parameters and the build, so it can be
     * cached */
    PS_READ_FIXED = 4,
    PS_READ_SLOW = 8, /* may take longer than a millisecond or so */
};

/* READ(path below /api/v1/, name, flags). In the path, {name} matches one segment, {name*} the rest
 * of the path. The first matching row is used. */
#define PS_READS(READ)                                                                             \
    READ("runs", runs, PS_READ_SLOW)                                                               \
    READ("runs/{run}", run, PS_READ_RUN)                                                           \
    READ("runs/{run}/what_if", what_if, PS_READ_RUN | PS_READ_SLOW)                                \
    READ("runs/{run}/timeline_notes", timeline_notes, PS_READ_RUN)                                 \
    READ("runs/{run}/companions", companions, PS_READ_RUN | PS_READ_SLOW)                          \
    READ("runs/{run}/environment", environment, PS_READ_RUN)                                       \
    READ("runs/{run}/{view*}", view, PS_READ_RUN | PS_READ_FIXED | PS_READ_SLOW)                   \
    READ("lines/files", line_files, PS_READ_SLOW)                                                  \
    READ("lines", lines, PS_READ_SLOW)                                                             \
    READ("compare", compare, PS_READ_GROUPS | PS_READ_SLOW)                                        \
    READ("compare/conclusion", compare_conclusion, PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)  \
    READ("compare/requests", compare_requests, PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)      \
    READ("compare/requests/summary", compare_requests_summary,                                     \
         PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)                                            \
    READ("compare/sweep", compare_sweep, PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)            \
    READ("compare/snapshot", compare_snapshot, PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)      \
    READ("compare/tree", compare_tree, PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)              \
    READ("compare/twin/{of}", compare_twin, PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)         \
    READ("compare/{of}", compare_rows, PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)              \
    READ("compare/{of}/{row}", compare_row, PS_READ_GROUPS | PS_READ_FIXED | PS_READ_SLOW)         \
    READ("trend", trend, PS_READ_SLOW)                                                             \
    READ("trend/rows", trend_rows, PS_READ_SLOW)                                                   \
    READ("search", search, PS_READ_SLOW)                                                           \
    READ("search/runs", occurrences, PS_READ_SLOW)                                                 \
    READ("queries", queries, 0)

struct ps_read_request {
    struct ps_store *store;
    struct ps_params params;
    /* the values of {...} in the path, URL-decoded; NULL if absent */
    const char *args[PS_READ_ARGS];
    /* Set by ps_read_request_resolve: */
    char run[PS_ID_SIZE];             /* PS_READ_RUN: the complete id of the run */
    struct ps_compare_groups *groups; /* PS_READ_GROUPS: the groups of runs; else NULL */
};

struct ps_read_route {
    const char *name; /* the name in PS_READS */
    enum ps_status (*answer)(const struct ps_read_request *request, struct ps_answer *answer,
                             struct ps_err *err);
    unsigned flags;
};

#define PS_READ_DECLARE(path, name, flags) extern const struct ps_read_route ps_read_##name;
PS_READS(PS_READ_DECLARE)

/* Finds the runs that a request names. Call it before read->answer, and free the request with
 * ps_read_request_free, also after a failure. */
enum ps_status ps_read_request_resolve(const struct ps_read_route *read,
                                       struct ps_read_request *request, struct ps_err *err);
void ps_read_request_free(struct ps_read_request *request);

#endif
