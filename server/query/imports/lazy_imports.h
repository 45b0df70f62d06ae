/* SPDX-License-Identifier: MIT */
/* lazy_imports.h: what the files about lazy imports share. Only files of this folder include it. */
#ifndef PS_QUERY_IMPORTS_LAZY_IMPORTS_H
#define PS_QUERY_IMPORTS_LAZY_IMPORTS_H

#include "base/intern.h"
#include "compare/what_if.h"
#include "importers/sink.h"
#include "server/query/views.h"

#define PS_LAZY_MOST 500 /* ticks of one question */

enum ps_lazy_evidence {
    PS_EVIDENCE_NONE,    /* a plain log: the first importers */
    PS_EVIDENCE_CACHED,  /* importtime=2 */
    PS_EVIDENCE_RECORDED /* every edge */
};

struct ps_lazy_module {
    struct ps_str name, package;
    int64_t row;
    uint32_t parent; /* node of the first importer, 0 the program */
    uint8_t origin;  /* enum ps_origin */
    bool startup;    /* Python imports it before the program */
};

/* Another import log of the shelf. */
struct ps_lazy_other {
    char id[PS_ID_SIZE];
    struct ps_str name;
    size_t edges; /* those from here on, up to the next one's, are known from it */
};

/* An import log as a graph; nodes[i] and modules[i] are one module, 0 the program. */
struct ps_lazy_log {
    struct ps_import_node *nodes;
    struct ps_lazy_module *modules;
    uint32_t n;
    size_t cap_nodes, cap_modules;
    struct ps_import_edge *edges;
    size_t n_edges, cap_edges;
    struct ps_lazy_other *others; /* that were asked, the newest first */
    size_t n_others, cap_others;
    enum ps_lazy_evidence evidence;
    bool threads;                /* a self time is negative: nesting and times are unreliable */
    double total_us, startup_us; /* of self times; startup: Python's own imports */
    struct ps_arena text;
};

enum ps_status ps_lazy_read(struct ps_db *db, struct ps_lazy_log *out, struct ps_err *err);
void ps_lazy_free(struct ps_lazy_log *log);

/* Adds what the newest other import logs of the shelf say, where this one, run `id`, knows first
 * importers alone. Logs that another Python recorded are left out, where both say which. */
enum ps_status ps_lazy_ask_others(struct ps_store *store, const char *id, struct ps_lazy_log *log,
                                  struct ps_err *err);
/* The log that an edge of PS_PROOF_ELSEWHERE is known from. */
const struct ps_lazy_other *ps_lazy_other_of(const struct ps_lazy_log *log, uint32_t edge);

/* What becomes lazy: the import of `module` in `importer`, NULL-text: where the log has it first,
 * "*": wherever it is imported. */
struct ps_lazy_tick {
    struct ps_str module, importer;
    bool startup; /* Python itself imports it: nothing was made lazy */
    size_t edges; /* made lazy */
};

/* "numpy@app, json" to ticks of the arena. PS_BAD_REQUEST: more than PS_LAZY_MOST, or an empty
 * name. */
enum ps_status ps_lazy_ticks(const char *text, struct ps_arena *arena, struct ps_lazy_tick **out,
                             size_t *n, struct ps_err *err);
/* PS_NOT_FOUND: the log has no such module, or nobody of that name imports it and the log knows all
 * importers. */
enum ps_status ps_lazy_apply(struct ps_lazy_log *log, struct ps_lazy_tick *tick,
                             struct ps_err *err);

struct ps_what_if ps_lazy_saving(const struct ps_lazy_log *log, struct ps_import_outcome *out);

/* Key "suggestions": packages whose imports in the program's own code save most. */
void ps_lazy_suggest(struct ps_lazy_log *log, struct ps_json *json);

/* "the program" of node 0. */
struct ps_str ps_lazy_name(const struct ps_lazy_log *log, uint32_t node);

#endif
