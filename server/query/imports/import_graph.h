/* SPDX-License-Identifier: MIT */
/*
 * import_graph.h: an import log as a graph of modules and imports, for estimates with
 * compare/lazy_estimate.h.
 *
 *     PS_AUTO(ps_import_graph_free) struct ps_import_graph graph = {.n = 0};
 *     if (ps_import_graph_read(store, run, &graph, err) == PS_OK)
 *         ps_lazy_estimate_saving(graph.nodes, graph.n, graph.edges, graph.n_edges, ...);
 */
#ifndef PS_QUERY_IMPORTS_IMPORT_GRAPH_H
#define PS_QUERY_IMPORTS_IMPORT_GRAPH_H

#include "compare/lazy_estimate.h"
#include "server/catalog/store.h"
#include "server/query/view.h"

/* Which imports a log has. */
enum ps_lazy_evidence {
    PS_EVIDENCE_NONE,    /* only the first importer of each module (plain log) */
    PS_EVIDENCE_CACHED,  /* also imports of loaded modules (importtime=2) */
    PS_EVIDENCE_RECORDED /* all imports (recorder) */
};

struct ps_import_module {
    struct ps_str name, package;
    int64_t import_id;
    uint32_t parent;      /* node of the first importer; 0: the program */
    uint32_t interpreter; /* a log may have those of several processes */
    uint8_t origin;       /* enum ps_origin */
    bool is_startup;      /* Python imports it at start-up, before the program */
};

/* An import log as a graph. nodes[i] and modules[i] describe the same module; 0 is the program. */
struct ps_import_graph {
    struct ps_import_node *nodes;
    struct ps_import_module *modules;
    uint32_t n;
    size_t cap_nodes, cap_modules;
    struct ps_import_edge *edges;
    size_t n_edges, cap_edges;
    enum ps_lazy_evidence evidence;
    /* A self time is negative: several threads imported, so nesting and times are unreliable. */
    bool has_threads;
    double total_us, startup_us; /* sums of self times; startup_us: Python's own imports */
    struct ps_arena text;
};

/* Reads the log of a run. Its estimates depend on this run only: what another program imports is no
 * evidence. PS_NOT_FOUND: the run is not an import log. Free *out also after a failure. */
enum ps_status ps_import_graph_read(struct ps_store *store, const char *id,
                                    struct ps_import_graph *out, struct ps_err *err);
/* Like ps_import_graph_read, from an open run that is an import log. */
enum ps_status ps_import_graph_read_run(struct ps_db *db, struct ps_import_graph *out,
                                        struct ps_err *err);
void ps_import_graph_free(struct ps_import_graph *graph);

/* Returns the name of a module; "__main__" for node 0. */
struct ps_str ps_import_graph_name(const struct ps_import_graph *graph, uint32_t node);

/* Estimates the time that the lazy edges of the graph save. `out` has an entry for each node. */
struct ps_lazy_estimate ps_import_graph_estimate(const struct ps_import_graph *graph,
                                                 struct ps_import_outcome *out);

/* Whether a module is code of the program itself, which its authors can change. */
bool ps_import_graph_is_own(const struct ps_import_graph *graph, uint32_t node);

/* Whether programs use a package while their modules are executed, as bases of their classes or as
 * decorators, so that a lazy import of it saves nothing: pydantic, flask. */
bool ps_is_used_at_import(struct ps_str package);

/* A package that the program's own code imports. Strings belong to the graph. */
struct ps_import_suggestion {
    struct ps_str package;
    /* its imports in the format of the parameter `lazy`: "numpy@app,json"; empty: own code imports
     * it only in functions, or with importlib */
    struct ps_str choices;
    uint32_t importer; /* node of the program that imports it first */
    uint8_t origin;    /* enum ps_origin */
    double self_us;    /* of the modules that are first imported below it, without own code */
    struct ps_lazy_estimate saving; /* if only its imports in the program are lazy */
};

#define PS_IMPORT_SUGGESTIONS 10

/* Both find packages and return their number, and leave no edge lazy: those whose lazy imports save
 * most, the largest saving first; and those with the most self time, also if they save nothing. */
size_t ps_import_graph_suggest(struct ps_import_graph *graph,
                               struct ps_import_suggestion out[PS_IMPORT_SUGGESTIONS]);
size_t ps_import_graph_largest(struct ps_import_graph *graph,
                               struct ps_import_suggestion out[PS_IMPORT_SUGGESTIONS]);

/* Estimates what packages save if the imports of all of them are lazy. Packages share modules, so
 * this may be more or less than the sum of their savings. Leaves no edge lazy. */
struct ps_lazy_estimate
ps_import_graph_estimate_together(struct ps_import_graph *graph,
                                  const struct ps_import_suggestion *packages, size_t n);

#endif
