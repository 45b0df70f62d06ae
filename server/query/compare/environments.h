/* SPDX-License-Identifier: MIT */
/* environments.h: the machines and the software of two groups of runs, and in what they differ. */
#ifndef PS_QUERY_COMPARE_ENVIRONMENTS_H
#define PS_QUERY_COMPARE_ENVIRONMENTS_H

#include "server/query/compare/compare.h"
#include "server/query/environment/environment.h"

struct ps_environments {
    const struct ps_compare_groups *groups;
    struct ps_environment *runs; /* of each run of the groups */
    size_t n_runs;               /* 0: there is no base */
    struct ps_environment
        names; /* the facts that any run has, each once; their values are of any */
    struct ps_arena arena;
};

/* Reads the environments of all runs. The caller frees *out, also after a failure. */
enum ps_status ps_environments_read(struct ps_store *store, const struct ps_compare_groups *groups,
                                    struct ps_environments *out, struct ps_err *err);
void ps_environments_free(struct ps_environments *all); /* for PS_AUTO */
/* Writes the keys environment, environments and environment_notes into the object that is open. */
void ps_environments_write(const struct ps_environments *all, struct ps_json *json);

/* --- The values of a fact --- */

struct ps_environment_value {
    struct ps_environment_fact fact;
    size_t n_runs;
};

/* The different values of a group, in the order of its runs. */
struct ps_environment_side {
    struct ps_environment_value *values;
    size_t n, cap;
    size_t n_runs, n_unknown; /* of the group; those whose value is unknown */
};

/* Reads the values of base and new. The caller frees them with ps_environment_sides_free. */
void ps_environment_sides_read(const struct ps_environments *all,
                               const struct ps_environment_fact *name,
                               struct ps_environment_side out[2]);
void ps_environment_sides_free(struct ps_environment_side sides[2]);
/* Whether two runs of the groups have different values. */
bool ps_environment_sides_differ(const struct ps_environment_side sides[2]);
/* Appends a difference in words, such as "Python 3.13.1 against 3.15.0". */
void ps_environment_append_difference(const struct ps_environment_fact *name,
                                      const struct ps_environment_side sides[2],
                                      struct ps_buf *out);

/* --- The parameter `same` (same_environment.c) --- */

/* PS_BAD_REQUEST: `same` (NULL: none) lists an unknown fact. PS_CONFLICT: the runs differ in one of
 * its facts, or it is unknown of a run. */
enum ps_status ps_environments_check_same(const struct ps_environments *all, const char *same,
                                          struct ps_err *err);

#endif
