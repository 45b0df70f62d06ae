/* SPDX-License-Identifier: MIT */
/* import_process.h: the parent process of a sandboxed importer (importer_main.h). */
#ifndef PS_JOBS_IMPORT_PROCESS_H
#define PS_JOBS_IMPORT_PROCESS_H

#include "server/catalog/store.h"
#include "server/jobs/members.h"
#include "server/sandbox/sandbox.h"

struct ps_import_process {
    struct ps_store *store; /* for temporary files */
    int fd;                 /* readable from offset 0; the importer moves its offset */
    const struct ps_sandbox_limits *limits; /* NULL: the defaults */
    /* Called often, even without progress; false: stop with PS_CANCELLED. May be NULL. */
    bool (*progress)(void *user, uint64_t done, uint64_t total, uint64_t records);
    void *user;
};

/* Imports the file into the part. *kind_out is static, NULL if the format is unknown. Any end of
 * the importer, including a crash, is reported as an error; the caller still owns the part. */
enum ps_status ps_import_process_run(const struct ps_import_process *process, const char *part,
                                     const char **kind_out, struct ps_err *err);

/* Whether the file may be an archive, compressed or not, so that ps_import_process_unpack should be
 * called. */
bool ps_import_process_may_be_archive(int fd);
/* Unpacks an archive: ps_members_read and ps_members_each run in the importer, `visit` runs in
 * this process and may import meanwhile. *archive_out: whether the file is an archive to be
 * unpacked; if not, `visit` was not called. */
enum ps_status ps_import_process_unpack(const struct ps_import_process *process,
                                        ps_member_visit *visit, void *user, bool *archive_out,
                                        struct ps_err *err);

/* An input file of a merge. */
struct ps_import_process_file {
    int fd; /* ps_import_process_merge closes it after sending; -1: there are no more files */
    uint64_t bytes;
    const char *name;
    bool packed; /* a compressed original of the shelf */
};
typedef enum ps_status ps_import_process_next_file(void *user, struct ps_import_process_file *out,
                                                   struct ps_err *err);
/* Merges the files that `next_file` returns (merge.h) into the file process->fd. `folder`: that of
 * a serving job; "": the files are of another kind. */
enum ps_status ps_import_process_merge(const struct ps_import_process *process, const char *folder,
                                       ps_import_process_next_file *next_file, void *user,
                                       struct ps_err *err);

/* The static string of the registry for this kind; NULL if there is none. */
const char *ps_kind_static_name(const char *kind);

#endif
