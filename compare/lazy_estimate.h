/* SPDX-License-Identifier: MIT */
/*
 * lazy_estimate.h: estimates the start-up time saved if some imports are made lazy.
 *
 * Modules are nodes, node 0 is the program itself; an edge means that one module imports another.
 * Modules that the program still reaches without the lazy edges stay; the others are saved. An
 * import-time log only has the first importer of each module, so the result is an interval:
 *
 *     high   all modules that no known import keeps
 *     low    only modules whose importers are all known, and each is saved too or imports lazily
 *
 * Both assume that the program does not use a lazy module while it starts.
 */
#ifndef PS_COMPARE_LAZY_ESTIMATE_H
#define PS_COMPARE_LAZY_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ps_import_evidence {
    PS_EVIDENCE_FIRST_IMPORT, /* it was the first importer of the module */
    PS_EVIDENCE_PACKAGE, /* a submodule imports its package, always: such an edge is never lazy */
    /* `from` imported `to`, which was already loaded: a line of -X importtime=2 says so */
    PS_EVIDENCE_CACHED_IMPORT,
    /* `from` imported `to`, which was already loaded: the recorder saw it */
    PS_EVIDENCE_RECORDED_IMPORT
};

struct ps_import_edge {
    uint32_t from, to;   /* nodes; `from` imports `to` */
    uint8_t evidence;    /* enum ps_import_evidence */
    bool is_in_function; /* `from` has no import statement of `to` outside of its functions */
    bool is_lazy;
};

struct ps_import_node {
    double self_us;
    uint32_t package;       /* node of the package that contains it; 0: none */
    bool has_all_importers; /* all of its importers are in the edges */
};

enum ps_lazy_effect {
    PS_LAZY_STILL_IMPORTED,
    PS_LAZY_UNCERTAIN, /* no known import keeps it, but not all of its importers are known */
    PS_LAZY_SAVED,
    PS_N_LAZY_EFFECTS
};

struct ps_import_outcome {
    uint8_t effect;    /* enum ps_lazy_effect */
    uint8_t evidence;  /* enum ps_import_evidence: of the edge from `importer` */
    uint32_t importer; /* a node that remains imported and imports it; 0 if uncertain or saved */
};

struct ps_lazy_estimate {
    double low, high; /* time saved, in us */
};

/*
 * out: an array of n outcomes; nodes[0] is the program. `hides_from`: the log has no line for `from
 * package import module` if the module is loaded already. A cached import of the package
 * (PS_EVIDENCE_CACHED_IMPORT) by a module that is still imported may then hide an import of any of
 * its modules: such a module is PS_LAZY_UNCERTAIN instead of PS_LAZY_SAVED. Takes O(nodes + edges).
 */
struct ps_lazy_estimate ps_lazy_estimate_saving(const struct ps_import_node *nodes, uint32_t n,
                                                const struct ps_import_edge *edges, size_t n_edges,
                                                bool hides_from, struct ps_import_outcome *out);

#endif
