/* SPDX-License-Identifier: MIT */
/* environment.h: the machine and the software that a run was recorded with: what its file states,
 * and what tags of the same names state. */
#ifndef PS_QUERY_ENVIRONMENT_H
#define PS_QUERY_ENVIRONMENT_H

#include "base/json_out.h"
#include "importers/records/environment.h"
#include "server/catalog/store.h"

struct ps_environment_fact {
    const struct ps_environment_key *key;
    struct ps_str package; /* its name; {NULL, 0}: the fact is of no package */
    struct ps_str value;   /* "": a package that is listed without a version */
    bool is_tag;           /* a tag states it, the file does not */
};

/* The facts of a run, in the order of ps_environment_order. */
struct ps_environment {
    struct ps_environment_fact *facts; /* free() */
    size_t n, cap;
};

/* Orders facts by their rows of the table, then by the names of packages; for qsort and bsearch. */
int ps_environment_order(const void *a, const void *b);
/* Returns the fact of the same row and package, or NULL. */
const struct ps_environment_fact *ps_environment_find(const struct ps_environment *environment,
                                                      const struct ps_environment_fact *like);
/* Reads the facts of a run. A fact of the file takes precedence over a tag. The texts are in the
 * arena. The caller frees out->facts, also after a failure. */
enum ps_status ps_environment_read(struct ps_store *store, const char *run, struct ps_arena *arena,
                                   struct ps_environment *out, struct ps_err *err);
void ps_environment_free(struct ps_environment *environment); /* for PS_AUTO */

/* GET /api/v1/runs/RUN/environment: the facts of a run. */
enum ps_status ps_query_environment(struct ps_store *store, const char *run, struct ps_json *json,
                                    struct ps_err *err);

#endif
