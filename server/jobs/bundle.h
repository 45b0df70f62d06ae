/* SPDX-License-Identifier: MIT */
/* bundle.h: reads bundle.json, the list of contents of a .perfshelf bundle (written by
 * server/share/bundle.h). */
#ifndef PS_JOBS_BUNDLE_H
#define PS_JOBS_BUNDLE_H

#include "server/catalog/store.h"

#define PS_BUNDLE_HEAD_SIZE 256 /* bytes that ps_is_bundle needs */
/* Whether the bytes are the start of a bundle.json. */
bool ps_is_bundle(struct ps_str head);

struct ps_bundle_run {
    const char *file, *name, *series, *note;
    const char *sha256; /* hash of the original, if the file is one; else NULL */
    struct ps_tag *tags;
    size_t n_tags, cap_tags;
    char id[PS_ID_SIZE]; /* id of the imported run; "" before */
};
struct ps_bundle_source {
    const char *file, *path;
    bool changed;
    size_t run; /* index into runs */
};

struct ps_bundle {
    struct ps_bundle_run *runs;
    size_t n_runs, cap_runs;
    struct ps_bundle_source *sources;
    size_t n_sources, cap_sources;
    struct ps_arena arena;
};

/* Reads bundle.json from fd, which remains the caller's. *out is NULL after a failure. */
enum ps_status ps_bundle_read(int fd, struct ps_bundle **out, struct ps_err *err);
void ps_bundle_free(struct ps_bundle *bundle); /* NULL is allowed */

struct ps_bundle_run *ps_bundle_run(struct ps_bundle *bundle, const char *file);
const struct ps_bundle_source *ps_bundle_source(const struct ps_bundle *bundle, const char *file);

#endif
