/* SPDX-License-Identifier: MIT */
/* import_process.h: the parent's side of an importer in its sandbox (importer_main.h). */
#ifndef PS_JOBS_IMPORT_PROCESS_H
#define PS_JOBS_IMPORT_PROCESS_H

#include "server/catalog/store.h"
#include "server/jobs/members.h"
#include "server/sandbox/sandbox.h"

struct ps_apart {
    struct ps_store *store; /* for temporary files */
    int fd;                 /* readable from offset 0; its offset is the importer's meanwhile */
    const struct ps_sandbox_limits *limits; /* NULL: the usual ones */
    /* Called often, also while nothing happens; false: stop with PS_CANCELLED. May be NULL. */
    bool (*progress)(void *user, uint64_t done, uint64_t total, uint64_t records);
    void *user;
};

/* Imports the file into the part. *kind_out is static, and NULL when nobody knows the bytes.
 * However the importer ends, the failure says what became of it; the part is the caller's. */
enum ps_status ps_apart_load(const struct ps_apart *apart, const char *part, const char **kind_out,
                             struct ps_err *err);

/* Whether bytes may begin an archive, packed or not: worth ps_apart_members. */
bool ps_apart_may_be_archive(int fd);
/* Takes an archive apart: ps_members_read and ps_members_each there, `take` here, which may import
 * meanwhile. *archive_out: whether it was to be taken apart; else nothing was shown. */
enum ps_status ps_apart_members(const struct ps_apart *apart, ps_member_take *take, void *user,
                                bool *archive_out, struct ps_err *err);

/* A file that is merged. */
struct ps_apart_file {
    int fd; /* closed once it was handed on; -1: there is no more */
    uint64_t bytes;
    const char *name;
    bool packed; /* an original as the shelf keeps it */
};
typedef enum ps_status ps_apart_next(void *user, struct ps_apart_file *out, struct ps_err *err);
/* Merges what `next` gives (merge.h) into the file apart->fd. */
enum ps_status ps_apart_merge(const struct ps_apart *apart, ps_apart_next *next, void *user,
                              struct ps_err *err);

/* A kind as the registry has it; NULL: there is none. */
const char *ps_static_kind(const char *kind);

#endif
