/* SPDX-License-Identifier: MIT */
/* maintenance.h: maintenance of a shelf in a folder: verifying that its files are complete and
 * intact, rebuilding its catalog from the files, and a backup. Verifying also works on a shared
 * shelf. */
#ifndef PS_MAINTENANCE_MAINTENANCE_H
#define PS_MAINTENANCE_MAINTENANCE_H

#include "server/catalog/store.h"

/* Reports progress: `done` of `total` bytes or files, and the number of files or runs so far.
 * False: stop. */
typedef bool ps_maintenance_progress(void *user, uint64_t done, uint64_t total, uint64_t files);

/* --- Verify --- */

struct ps_finding {
    const char *object_type; /* type of object: catalog run label original source stray */
    const char *file;        /* path relative to the shelf's folder */
    const char *text;        /* what is wrong with it */
    const char *hint;        /* what to do */
};

struct ps_verify_options {
    bool quick; /* check only that each file exists and has the right header */
    void (*found)(void *user, const struct ps_finding *finding);
    ps_maintenance_progress *progress; /* bytes; may be NULL */
    void *user;
};

struct ps_verify_result {
    uint64_t runs, files, bytes, findings;
    uint64_t hashed; /* run files of an older shelf whose hash was recorded now */
};

/* Checks the catalog, each run file, original, source and label, and looks for files that nothing
 * refers to. url: URL of a shared shelf (ps_store_open_shared), else NULL. Concurrent changes by
 * other processes are not reported as findings. Fails only if it cannot check (PS_NOT_FOUND: there
 * is no such shelf; PS_IO, PS_FORBIDDEN: this user may not read it), or was stopped (PS_CANCELLED).
 */
enum ps_status ps_store_verify(const char *url, const char *dir,
                               const struct ps_verify_options *how, struct ps_verify_result *out,
                               struct ps_err *err);

/* --- Rebuild --- */

struct ps_rebuild_options {
    /* Reports a file that was not simply added to the catalog, and what was done with it. */
    void (*report)(void *user, const char *file, const char *text);
    ps_maintenance_progress *progress; /* run files checked so far; the total is unknown */
    void *user;
};

struct ps_rebuild_result {
    uint64_t runs;          /* added to the catalog */
    uint64_t moved_to_lost; /* files moved to lost/ */
    /* hashes of originals without a run file, each followed by a NUL; the caller imports them
     * with ps_store_open_original_by_hash and frees the buffer */
    struct ps_buf originals;
};

/* Creates a new catalog from the run files, labels/, and the old catalog as far as it is readable.
 * PS_CONFLICT: another process has the shelf open. After a failure the shelf is unchanged. */
enum ps_status ps_store_rebuild(const char *dir, const struct ps_rebuild_options *how,
                                struct ps_rebuild_result *out, struct ps_err *err);

/* --- Backup --- */

struct ps_backup_options {
    ps_maintenance_progress *progress; /* runs */
    void *user;
};

struct ps_backup_result {
    uint64_t runs;         /* runs in the backup */
    uint64_t files, bytes; /* copied, because they were missing in the backup */
    uint64_t removed;      /* files deleted from the backup, of runs that no longer exist */
};

/* Makes the folder `target` a copy of the current shelf, while other processes may use the shelf.
 * PS_CONFLICT: the folder contains something else, or another process has it open. After a failure
 * the previous backup is intact, except for additional files. */
enum ps_status ps_store_backup(const char *dir, const char *target,
                               const struct ps_backup_options *how, struct ps_backup_result *out,
                               struct ps_err *err);

#endif
