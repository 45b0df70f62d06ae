/* SPDX-License-Identifier: MIT */
/*
 * own_functions.h: the functions of the program itself in a run, with the time that each causes:
 * its own, and that of the library code below it. What two runs are compared by.
 *
 * cProfile knows callers and callees (own_time.h). Of sampled stacks, each sample belongs to its
 * innermost own frame. line_profiler measures chosen functions only: what a line spends in another
 * measured function belongs to that one (line_calls.h). Of a trace of PyTorch without devices, each
 * slice belongs to the innermost function or annotation of the program (host_units.h).
 */
#ifndef PS_QUERY_OWN_FUNCTIONS_H
#define PS_QUERY_OWN_FUNCTIONS_H

#include "compare/function_changes.h"
#include "server/query/conclusion/own_time.h"

#define PS_NO_OWN_CODE "code that no own function calls"

struct ps_own_functions {
    struct ps_profiled_functions all;
    const char *unit; /* of times: "s" or "samples" */
    const char *tab;  /* of the report: finds a function by its name; NULL: none does */
    bool is_known;    /* false: the run has no such times, or own code causes too little of them */
    bool is_trace;    /* also operators are known, of which a comparison can be */
    int64_t n_steps;  /* of a trace: times are means of so many steps; 0: not of steps */
    double floor;     /* the profile may leave out functions with less time; 0: it has all */

    /* what `all` points to */
    struct ps_own_time times;
    struct ps_profiled_function *items;
    uint64_t *hashes;
    struct ps_profiled_caller *by;
    struct ps_outward_calls *outward;
    struct ps_arena arena;
};

/* Reads a run; `has`: the flags of its kind (importers/kinds.h); `step`: the name of the ranges of
 * a trace that are its steps, or NULL; `sample_type`: of stacks, NULL: the default of the run. The
 * caller frees *out, also after a failure. */
enum ps_status ps_own_functions_read(struct ps_db *db, unsigned has, const char *step,
                                     const char *sample_type, struct ps_own_functions *out,
                                     struct ps_err *err);
void ps_own_functions_free(struct ps_own_functions *own); /* for PS_AUTO */

#endif
