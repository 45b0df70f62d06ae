/* SPDX-License-Identifier: MIT */
/* import_process.h: the parent process of a sandboxed importer (importer_main.h). */
#ifndef PS_JOBS_IMPORT_PROCESS_H
#define PS_JOBS_IMPORT_PROCESS_H

#include "server/catalog/store.h"
#include "server/jobs/members.h"
#include "server/sandbox/sandbox.h"

struct ps_apart {
    struct ps_store *store; /* for temporary files */
    int fd;                 /* readable from offset 0; the importer moves its offset */
    const struct ps_sandbox_limits *limits; /* NULL: the defaults */
    /* Called often, even without progress; false: stop with PS_CANCELLED. May be NULL. */
    bool (*progress)(void *user, uint64_t done, uint64_t total, uint64_t records);
    void *user;
};

/* Imports the file into the part. *kind_out is static, NULL if the format is unknown. Any end of
 * the importer, including a crash, is reported as an error; the caller still owns the part. */
enum ps_status ps_apart_load(const struct ps_apart *apart, const char *part, const char **kind_out,
                             struct ps_err *err);

/* Whether the file may be an archive, compressed or not, so that ps_apart_members should be
 * called. */
bool ps_apart_may_be_archive(int fd);
/* Unpacks an archive: ps_members_read and ps_members_each run in the importer, `take` runs in this
 * process and may import meanwhile. *archive_out: whether the file is an archive to be unpacked; if
 * not, `take` was not called. */
enum ps_status ps_apart_members(const struct ps_apart *apart, ps_member_take *take, void *user,
                                bool *archive_out, struct ps_err *err);

/* An input file of a merge. */
struct ps_apart_file {
    int fd; /* ps_apart_merge closes it after sending; -1: there are no more files */
    uint64_t bytes;
    const char *name;
    bool packed; /* a compressed original of the shelf */
};
typedef enum ps_status ps_apart_next(void *user, struct ps_apart_file *out, struct ps_err *err);
/* Merges the files that `next` returns (merge.h) into the file apart->fd. */
enum ps_status ps_apart_merge(const struct ps_apart *apart, ps_apart_next *next, void *user,
                              struct ps_err *err);

/* The static string of the registry for this kind; NULL if there is none. */
const char *ps_static_kind(const char *kind);

#endif
