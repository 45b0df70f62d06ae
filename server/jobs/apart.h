/* SPDX-License-Identifier: MIT */
/* apart.h: the parent's side of an importer in its sandbox (importer.h). */
#ifndef PS_JOBS_APART_H
#define PS_JOBS_APART_H

#include "server/sandbox/sandbox.h"
#include "server/store/store.h"

struct ps_apart {
    struct ps_store *store; /* for temporary files */
    int fd;                 /* readable from offset 0; its offset is the importer's meanwhile */
    const struct ps_sandbox_limits *limits; /* NULL: the usual ones */
    /* Called often, also while nothing happens; false: stop with PS_CANCELLED. */
    bool (*progress)(void *user, uint64_t done, uint64_t total, uint64_t records);
    void *user;
};

/* Imports the file into the part. *kind_out is static, and NULL when nobody knows the bytes.
 * However the importer ends, the failure says what became of it; the part is the caller's. */
enum ps_status ps_apart_load(const struct ps_apart *apart, const char *part, const char **kind_out,
                             struct ps_err *err);

/* A kind as the registry has it; NULL: there is none. */
const char *ps_static_kind(const char *kind);

#endif
