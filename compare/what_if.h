/* SPDX-License-Identifier: MIT */
/*
 * what_if.h: what a start-up saves when some of its imports are made lazy.
 *
 * Modules are nodes, node 0 is the program itself; an edge says that one module imports another.
 * With the lazy edges gone, what the program still reaches stays and the rest is saved. An
 * import-time log alone knows only the first importer of a module, so the answer is an interval:
 *
 *     high   what nothing that is known for sure keeps
 *     best   the same, and what other evidence keeps is not counted either
 *     low    only modules all of whose importers are known, and so on up to a lazy edge
 */
#ifndef PS_COMPARE_WHAT_IF_H
#define PS_COMPARE_WHAT_IF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ps_import_proof {
    PS_PROOF_LOG,      /* it was the first importer */
    PS_PROOF_PACKAGE,  /* a submodule imports its package, always: such an edge is never lazy */
    PS_PROOF_CACHED,   /* asked for it when it was loaded: a line of -X importtime=2 */
    PS_PROOF_RECORDED, /* likewise, seen by the recorder */
    PS_PROOF_ELSEWHERE /* was the first importer in another log: weaker */
};

struct ps_import_edge {
    uint32_t from, to; /* nodes; `from` imports `to` */
    uint8_t proof;     /* enum ps_import_proof */
    bool lazy;
};

struct ps_import_node {
    double self_us;
    uint32_t package; /* node of the package that it is a submodule of; 0: none */
    bool known;       /* all of its importers are among the edges */
};

enum ps_import_fate {
    PS_FATE_STAYS,
    PS_FATE_LIKELY, /* stays: only what PS_PROOF_ELSEWHERE says keeps it */
    PS_FATE_OPEN,   /* nothing known keeps it, but not all of its importers are known */
    PS_FATE_SAVED
};

struct ps_import_outcome {
    uint8_t fate;  /* enum ps_import_fate */
    uint8_t proof; /* of `by` */
    uint32_t by;   /* STAYS, LIKELY: a node that stays and imports it. OPEN, SAVED: 0 */
    uint32_t edge; /* STAYS, LIKELY: the one that says so */
};

struct ps_what_if {
    double low, best, high; /* us */
};

/*
 * out has room for n nodes, of which nodes[0] is the program. `hides_from`: the log does not tell
 * when `from package import module` asks for a module that is loaded, so where a module that stays
 * asks for a package (PS_PROOF_CACHED), who imports its modules is open. Takes
 * O(nodes + edges).
 */
struct ps_what_if ps_what_if(const struct ps_import_node *nodes, uint32_t n,
                             const struct ps_import_edge *edges, size_t n_edges, bool hides_from,
                             struct ps_import_outcome *out);

#endif
