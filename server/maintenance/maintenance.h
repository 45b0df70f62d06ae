/* SPDX-License-Identifier: MIT */
/* maintenance.h: maintenance of a shelf in a folder: verifies that its files are complete and
 * intact, rebuilds its catalog from the files, and makes a backup. Verification also works on a
 * shared shelf. */
#ifndef PS_MAINTENANCE_MAINTENANCE_H
#define PS_MAINTENANCE_MAINTENANCE_H

#include "server/catalog/store.h"

/* Reports progress: `done` of `total` (0: unknown), and the number of files or runs so far. The
 * structs of options state the units. False: stop with PS_CANCELLED. */
typedef bool ps_maintenance_progress(void *user, uint64_t done, uint64_t total, uint64_t files);

/* --- Verify --- */

struct ps_finding {
    const char *object_type; /* catalog, run, label, original, source or stray (ps_store_verify);
                                see also ps_transfer_options */
    const char *file;        /* path relative to the folder of the shelf */
    const char *text;        /* the problem */
    const char *hint;        /* what the user can do; may be "" */
};

struct ps_verify_options {
    bool is_quick; /* check only that each file exists, and that run files have the right header */
    void (*on_finding)(void *user, const struct ps_finding *finding);
    ps_maintenance_progress *progress; /* `total`: bytes of run files and originals; `files`:
                                          checked files. May be NULL */
    void *user;
};

struct ps_verify_result {
    uint64_t runs, files, bytes, findings;
    uint64_t n_recorded_hashes; /* run files without a recorded hash (of an older perfshelf) whose
                        hash was recorded */
};

/* Checks the catalog, each run file, original, source and label, and looks for files to which no
 * row refers. url: URL of a shared shelf (ps_store_open_shared), else NULL. Damage is reported as
 * findings; concurrent changes by other processes are not. Fails only if it cannot check the shelf.
 * PS_NOT_FOUND: there is no shelf. PS_FORBIDDEN: this user may not read it. PS_CANCELLED: progress
 * returned false. */
enum ps_status ps_store_verify(const char *url, const char *dir,
                               const struct ps_verify_options *how, struct ps_verify_result *out,
                               struct ps_err *err);

/* --- Rebuild --- */

struct ps_rebuild_options {
    /* Reports a file that is missing or damaged, and what was done with it. `file` is relative to
     * the folder of the shelf. */
    void (*on_report)(void *user, const char *file, const char *text);
    ps_maintenance_progress *progress; /* `total`: 0; `done` and `files`: checked run files */
    void *user;
};

struct ps_rebuild_result {
    uint64_t runs;          /* runs in the new catalog, without deleted runs */
    uint64_t moved_to_lost; /* files moved to lost/ */
    /* SHA-256 of originals without a run file, each followed by a NUL; the caller opens these with
     * ps_store_open_original_by_hash, imports them with is_reimport, and frees the buffer */
    struct ps_buf originals;
};

/* Creates a new catalog from the run files, labels/, and the readable rows of the old catalog.
 * PS_CONFLICT: another process has the shelf open. PS_CANCELLED: the shelf is unchanged. After
 * another failure the old catalog is unchanged, but damaged files may have been moved to lost/. */
enum ps_status ps_store_rebuild(const char *dir, const struct ps_rebuild_options *how,
                                struct ps_rebuild_result *out, struct ps_err *err);

/* --- Backup --- */

struct ps_backup_options {
    ps_maintenance_progress *progress; /* `total`: runs; `files`: copied files */
    void *user;
};

struct ps_backup_result {
    uint64_t runs;          /* runs in the backup */
    uint64_t files, bytes;  /* files that were copied, and their bytes */
    uint64_t removed_files; /* files of the previous backup that were deleted, since their runs no
                         longer exist */
};

/* Makes the folder `target` a copy of the shelf in `dir`, which other processes may use meanwhile.
 * PS_CONFLICT: `target` is neither empty nor a backup of this shelf, or another process has it
 * open. After a failure the previous backup is valid and may contain additional files. */
enum ps_status ps_store_backup(const char *dir, const char *target,
                               const struct ps_backup_options *how, struct ps_backup_result *out,
                               struct ps_err *err);

#endif
