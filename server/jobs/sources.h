/* SPDX-License-Identifier: MIT */
/*
 * sources.h: source files that are uploaded together with line-level profiles: finds the measured
 * file that each one corresponds to, and attaches them to published runs.
 */
#ifndef PS_JOBS_SOURCES_H
#define PS_JOBS_SOURCES_H

#include "server/catalog/store.h"

/* The outcome for one source file. */
struct ps_source_outcome {
    const char *name; /* name from the sender */
    const char *path; /* path of the measured file; NULL if there is none */
    struct ps_source source;
    struct ps_err err; /* PS_OK: attached */
};

struct ps_source_outcomes {
    struct ps_source_outcome *items;
    size_t n;
    struct ps_arena arena; /* contains the array and all strings */
};
void ps_source_outcomes_free(struct ps_source_outcomes *outcomes);
void ps_source_outcomes_copy(struct ps_source_outcomes *out, const struct ps_source_outcomes *from);

/* Source files of one upload in the spool, shared by the imports of its profiles.
 * Reference-counted; the files are deleted with the last reference. */
struct ps_source_set;

struct ps_source_set *ps_source_set_create(struct ps_store *store);              /* one reference */
void ps_source_set_add(struct ps_source_set *set, char *path, const char *name); /* owns path */
struct ps_source_set *ps_source_set_retain(struct ps_source_set *set);
void ps_source_set_release(struct ps_source_set *set); /* NULL is allowed */
/* Keeps the files when the last reference is released. */
void ps_source_set_keep_files(struct ps_source_set *set);
/* The files of the set: key is the path, value the name from the sender. */
const struct ps_tag *ps_source_set_files(const struct ps_source_set *set, size_t *n);

/* Attaches the files of the set that the run measured; out gets one row per file, also for
 * failures. A failure never affects the run. */
void ps_source_set_attach(struct ps_source_set *set, struct ps_store *store, const char *run,
                          struct ps_source_outcomes *out);

/*
 * Finds the measured file that `name` means: the same path, else the only path that is a suffix of
 * `name` or has it as a suffix. Suffixes are compared by complete components; slashes and
 * backslashes separate them. The longest match wins. PS_NOT_FOUND: none; PS_CONFLICT: several match
 * equally well.
 */
enum ps_status ps_measured_list_find(const struct ps_measured_list *list, const char *name,
                                     size_t *index_out, struct ps_err *err);

#endif
