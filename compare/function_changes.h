/* SPDX-License-Identifier: MIT */
/*
 * function_changes.h: which functions changed from one profile of a program to another: those that
 * are called more or less often, and those whose calls cost more or less.
 *
 * Functions are matched by file and name, in the order of their lines, then without the folder of
 * the file. What is left is matched by what stays when code is renamed or moved: the name, the name
 * of the file, the number of calls, callers and callees.
 *
 * The machine may have been faster or slower in one of the recordings. Its speed is the ratio of
 * times a call on which most functions agree, weighted by the root of their times: the mode of a
 * kernel density of the logarithms, pulled towards 1. A cost has changed if its ratio is farther
 * from the speed than that of most functions. Counts have no noise.
 *
 * Where calls are unknown, as in samples, times take the place of costs, and more to do looks like
 * a slower machine. Samples vary by more than counts do, since a machine is slow for a while. By
 * how much, the other functions tell: one has changed if its difference, in standard deviations of
 * counts, is too large for that of the others (Student's t, for all functions together).
 *
 * With n calls of cost c before and m calls of cost d after, at equal speed, (m - n) c is the
 * change by calls and m (d - c) the change by cost. Their sum is the whole change.
 *
 * Everything here is pure and works on the caller's arrays. Times are in any one unit.
 */
#ifndef PS_COMPARE_FUNCTION_CHANGES_H
#define PS_COMPARE_FUNCTION_CHANGES_H

#include <stdint.h>

#include "base/str.h"

#define PS_NO_FUNCTION_INDEX UINT32_MAX

/* Shorter than 3 % of the shorter recording: no change is named. */
#define PS_FUNCTION_CHANGE_SHARE 0.03

/* Calls by another function of the same profile. */
struct ps_profiled_caller {
    uint32_t function; /* index */
    int64_t calls;
};

/* Calls that functions make of code that is not compared, as that of libraries. */
struct ps_outward_calls {
    uint64_t hash; /* of the caller and what it calls */
    int64_t calls;
};

struct ps_profiled_function {
    struct ps_str name, path;
    int64_t line, calls; /* calls 0: unknown, as of imports; only the time is compared */
    double time;
    uint64_t hash;                     /* of the name, as in `callers` and `callees` of others */
    const uint64_t *callers, *callees; /* hashes of names, ascending, without duplicates */
    size_t n_callers, n_callees;
    const struct ps_profiled_caller *by; /* as far as they are compared as well */
    size_t n_by;
};

struct ps_profiled_functions {
    const struct ps_profiled_function *items;
    size_t n;
    double total;     /* also of what no function has */
    bool lacks_calls; /* all calls are unknown: times are compared */
    double sample;    /* time of a sample, of whose number follows the noise; 0: times are exact */
    const struct ps_outward_calls *outward; /* by hash, ascending, without duplicates */
    size_t n_outward;
};

enum ps_function_change_kind {
    PS_FUNCTION_CALLS, /* mostly by the number of calls */
    PS_FUNCTION_COST,  /* mostly by the cost of a call, or the calls are unknown */
    PS_FUNCTION_ADDED,
    PS_FUNCTION_REMOVED
};

struct ps_function_change {
    enum ps_function_change_kind kind;
    uint32_t base, now; /* indices; PS_NO_FUNCTION_INDEX: added or removed */
    double delta;       /* new time - speed * base time; beyond what another input makes of it */
    double calls_ratio; /* new / base; 0: added, removed or unknown */
    double cost_ratio;  /* of the times a call, divided by the speed; 0: added or removed */
    bool calls_changed, cost_changed; /* whether the ratios differ by more than noise */
    double weight;    /* |delta|, less the nearer a cost is to noise; changes are sorted by it */
    bool is_follower; /* changed as a larger change above: its calls grew alike, or it calls it */
    /* The function that calls it more or less often than before, though it is itself called as
     * before, in both profiles. PS_NO_FUNCTION_INDEX: unknown. */
    uint32_t caller_base, caller_now;
    size_t n_below; /* functions it calls whose calls changed with its own: their times are in
                     * `delta` */
};

struct ps_function_rename {
    uint32_t base, now; /* with the same number of calls */
};

struct ps_function_changes {
    enum {
        PS_FUNCTIONS_SAME,    /* no function changed */
        PS_FUNCTIONS_INPUT,   /* most are called `input` times as often; `changes`: beyond that */
        PS_FUNCTIONS_CHANGED, /* those in `changes` */
    } found;
    double speed; /* new time a call / base time a call, of functions that did not change */
    double band;  /* |ln| of a ratio of costs that is noise */
    double input;
    size_t n_alike; /* functions that agree on the speed */
    bool is_alike;  /* enough agree. Else the speed is the ratio in the middle of those that nearly
                     * all moved one way, or 1 */
    double alike_share; /* of the functions, weighted by their times: those that agree on it */
    struct ps_function_change *changes; /* the largest first */
    bool is_noisy;                      /* costs changed up and down alike: they are left out */
    size_t n_changes, cap_changes;
    struct ps_function_rename *renames; /* of functions that have PS_FUNCTION_CHANGE_SHARE */
    size_t n_renames, cap_renames;
};

/* Fills *out, which must be zeroed; release it with ps_function_changes_free. */
void ps_function_changes_find(const struct ps_profiled_functions *base,
                              const struct ps_profiled_functions *now,
                              struct ps_function_changes *out);
void ps_function_changes_free(struct ps_function_changes *changes); /* for PS_AUTO */

#endif
