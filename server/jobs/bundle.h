/* SPDX-License-Identifier: MIT */
/* bundle.h: what a .perfshelf bundle says of its members (server/share/bundle.h writes it). */
#ifndef PS_JOBS_BUNDLE_H
#define PS_JOBS_BUNDLE_H

#include "server/catalog/store.h"

#define PS_BUNDLE_HEAD 256 /* bytes that ps_bundle_is needs */
/* Whether bytes begin such a member. */
bool ps_bundle_is(struct ps_str head);

struct ps_bundle_run {
    const char *file, *name, *series, *note;
    const char *sha256; /* of the original that the file is; NULL: it is none */
    struct ps_tag *tags;
    size_t n_tags, cap_tags;
    char id[PS_ID_SIZE]; /* once it is imported; "" */
};
struct ps_bundle_source {
    const char *file, *path;
    bool changed;
    size_t run; /* index of its run */
};

struct ps_bundle {
    struct ps_bundle_run *runs;
    size_t n_runs, cap_runs;
    struct ps_bundle_source *sources;
    size_t n_sources, cap_sources;
    struct ps_arena arena;
};

/* Reads bundle.json from fd, which stays the caller's. *out is NULL after a failure. */
enum ps_status ps_bundle_read(int fd, struct ps_bundle **out, struct ps_err *err);
void ps_bundle_free(struct ps_bundle *bundle); /* NULL is fine */

struct ps_bundle_run *ps_bundle_run(struct ps_bundle *bundle, const char *file);
const struct ps_bundle_source *ps_bundle_source(const struct ps_bundle *bundle, const char *file);

#endif
