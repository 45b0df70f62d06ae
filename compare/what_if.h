/* SPDX-License-Identifier: MIT */
/*
 * what_if.h: estimates the start-up time saved if some imports are made lazy.
 *
 * Modules are nodes, node 0 is the program itself; an edge means that one module imports another.
 * Modules that the program still reaches without the lazy edges stay; the others are saved. An
 * import-time log only has the first importer of each module, so the result is an interval:
 *
 *     high   all modules that no certain import keeps
 *     best   the same without the modules that weaker evidence keeps (PS_PROOF_ELSEWHERE)
 *     low    only modules whose importers are all known, and each is saved too or imports lazily
 */
#ifndef PS_COMPARE_WHAT_IF_H
#define PS_COMPARE_WHAT_IF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ps_import_proof {
    PS_PROOF_LOG,      /* it was the first importer of the module */
    PS_PROOF_PACKAGE,  /* a submodule imports its package, always: such an edge is never lazy */
    PS_PROOF_CACHED,   /* imported it when it was already loaded: a line of -X importtime=2 */
    PS_PROOF_RECORDED, /* imported it when it was already loaded: seen by the recorder */
    PS_PROOF_ELSEWHERE /* it was the first importer in another log: weaker evidence */
};

struct ps_import_edge {
    uint32_t from, to; /* nodes; `from` imports `to` */
    uint8_t proof;     /* enum ps_import_proof */
    bool lazy;
};

struct ps_import_node {
    double self_us;
    uint32_t package; /* node of the package that contains it; 0: none */
    bool known;       /* all of its importers are in the edges */
};

enum ps_import_fate {
    PS_FATE_STAYS,
    PS_FATE_LIKELY, /* probably stays: only edges with PS_PROOF_ELSEWHERE keep it */
    PS_FATE_OPEN,   /* no known import keeps it, but not all of its importers are known */
    PS_FATE_SAVED
};

struct ps_import_outcome {
    uint8_t fate;  /* enum ps_import_fate */
    uint8_t proof; /* proof of the edge from `by` */
    uint32_t by;   /* STAYS, LIKELY: a node that stays and imports it. OPEN, SAVED: 0 */
    uint32_t edge; /* STAYS, LIKELY: index of the edge from `by` */
};

struct ps_what_if {
    double low, best, high; /* time saved, in us */
};

/*
 * out: an array of n outcomes; nodes[0] is the program. `hides_from`: the log omits `from package
 * import module` if the module is already loaded. So if a module that stays imports a package
 * (PS_PROOF_CACHED), modules of that package may have an importer that is unknown. Takes O(nodes +
 * edges).
 */
struct ps_what_if ps_what_if(const struct ps_import_node *nodes, uint32_t n,
                             const struct ps_import_edge *edges, size_t n_edges, bool hides_from,
                             struct ps_import_outcome *out);

#endif
