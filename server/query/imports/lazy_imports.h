/* SPDX-License-Identifier: MIT */
/* lazy_imports.h: declarations shared by the files about lazy imports. Only this folder includes
 * it. */
#ifndef PS_QUERY_IMPORTS_LAZY_IMPORTS_H
#define PS_QUERY_IMPORTS_LAZY_IMPORTS_H

#include "base/intern.h"
#include "compare/lazy_estimate.h"
#include "importers/sink.h"
#include "server/query/views.h"

#define PS_LAZY_CHOICES_MAX 500 /* imports that a request may make lazy */

enum ps_lazy_evidence {
    PS_EVIDENCE_NONE,    /* only the first importer of each module (plain log) */
    PS_EVIDENCE_CACHED,  /* also imports of loaded modules (importtime=2) */
    PS_EVIDENCE_RECORDED /* all imports (recorder) */
};

struct ps_lazy_module {
    struct ps_str name, package;
    int64_t row;
    uint32_t parent; /* node of the first importer; 0: the program */
    uint8_t origin;  /* enum ps_origin */
    bool is_startup; /* Python imports it at start-up, before the program */
};

/* Another import log of the shelf. */
struct ps_lazy_other_log {
    char id[PS_ID_SIZE];
    struct ps_str name;
    size_t edges; /* first edge that is known from it; the last one precedes that of the next log */
};

/* An import log as a graph. nodes[i] and modules[i] describe the same module; 0 is the program. */
struct ps_lazy_log {
    struct ps_import_node *nodes;
    struct ps_lazy_module *modules;
    uint32_t n;
    size_t cap_nodes, cap_modules;
    struct ps_import_edge *edges;
    size_t n_edges, cap_edges;
    struct ps_lazy_other_log *others; /* logs that were read for more edges, newest first */
    size_t n_others, cap_others;
    enum ps_lazy_evidence evidence;
    bool has_threads; /* several threads (a self time is negative): nesting and times are unreliable
                       */
    double total_us, startup_us; /* sums of self times; startup_us: Python's own imports */
    struct ps_arena text;
};

enum ps_status ps_lazy_read(struct ps_db *db, struct ps_lazy_log *out, struct ps_err *err);
void ps_lazy_free(struct ps_lazy_log *log);

/* If the log, which is of run `id`, has only first importers: adds edges from the newest other
 * import logs of the shelf. Logs of another Python version are left out if both logs state the
 * version. */
enum ps_status ps_lazy_read_other_logs(struct ps_store *store, const char *id,
                                       struct ps_lazy_log *log, struct ps_err *err);
/* Returns the log from which an edge of PS_EVIDENCE_OTHER_LOG is known. */
const struct ps_lazy_other_log *ps_lazy_edge_source(const struct ps_lazy_log *log, uint32_t edge);

/* An import to make lazy: of `module` in `importer`. An importer {NULL, 0} is the first importer in
 * the log, "*" all importers. */
struct ps_lazy_choice {
    struct ps_str module, importer;
    bool is_startup; /* Python itself imports the module: nothing was made lazy */
    size_t n_edges;  /* number of edges that were made lazy */
};

/* Parses "numpy@app, json" into choices in the arena. PS_BAD_REQUEST: more than
 * PS_LAZY_CHOICES_MAX, or an empty name. */
enum ps_status ps_lazy_parse_choices(const char *text, struct ps_arena *arena,
                                     struct ps_lazy_choice **out, size_t *n, struct ps_err *err);
/* Makes the edges of a choice lazy. PS_NOT_FOUND: the log has no such module, or no such importer,
 * or it has all imports and this one is not among them. */
enum ps_status ps_lazy_apply(struct ps_lazy_log *log, struct ps_lazy_choice *choice,
                             struct ps_err *err);

struct ps_lazy_estimate ps_lazy_log_estimate(const struct ps_lazy_log *log,
                                             struct ps_import_outcome *out);

/* Writes the key "suggestions": the packages whose imports in the program's own code save most. */
void ps_lazy_suggest(struct ps_lazy_log *log, struct ps_json *json);

/* Returns the name of a module; "__main__" for node 0. */
struct ps_str ps_lazy_name(const struct ps_lazy_log *log, uint32_t node);

#endif
