/* SPDX-License-Identifier: MIT */
/*
 * sources.h: source files that come beside line-level profiles: which measured file each of them
 * is, and attaching them to published runs.
 */
#ifndef PS_JOBS_SOURCES_H
#define PS_JOBS_SOURCES_H

#include "server/catalog/store.h"

/* What became of one file that was to be attached. */
struct ps_source_outcome {
    const char *name; /* as the sender calls it */
    const char *path; /* the measured file that it is; NULL when it is none */
    struct ps_source source;
    struct ps_err err; /* PS_OK: attached */
};

struct ps_source_outcomes {
    struct ps_source_outcome *at;
    size_t n;
    struct ps_arena arena; /* holds all of it */
};
void ps_source_outcomes_free(struct ps_source_outcomes *outcomes);
void ps_source_outcomes_copy(struct ps_source_outcomes *out, const struct ps_source_outcomes *from);

/* Files of one upload in the spool, shared by the imports of its profiles; removed with the last
 * holder. */
struct ps_source_set;

struct ps_source_set *ps_source_set_create(struct ps_store *store);              /* held once */
void ps_source_set_add(struct ps_source_set *set, char *path, const char *name); /* takes path */
struct ps_source_set *ps_source_set_hold(struct ps_source_set *set);
void ps_source_set_drop(struct ps_source_set *set); /* NULL is fine */
/* The files outlive the last holder. */
void ps_source_set_leave(struct ps_source_set *set);
/* Its files: the path of each, and what the sender calls it. */
const struct ps_tag *ps_source_set_files(const struct ps_source_set *set, size_t *n);

/* Attaches the files of the set that the run measured; out gets one row a file. Failures are there,
 * for what came beside a profile never spoils it. */
void ps_source_set_attach(struct ps_source_set *set, struct ps_store *store, const char *run,
                          struct ps_source_outcomes *out);

/*
 * The measured file that `name` means: the same path, else the only one that ends like it or that
 * it ends like, by whole parts between slashes of either kind; of several the one that agrees
 * furthest. PS_NOT_FOUND: none; PS_CONFLICT: several agree as far.
 */
enum ps_status ps_measured_find(const struct ps_measured_list *list, const char *name,
                                size_t *index_out, struct ps_err *err);

#endif
