/* SPDX-License-Identifier: MIT */
/* snapshot.h: takes a snapshot of the catalog of a shelf, for copies of the complete shelf
 * (backup.c, transfer.c). */
#ifndef PS_MAINTENANCE_SNAPSHOT_H
#define PS_MAINTENANCE_SNAPSHOT_H

#include "server/catalog/state.h"

/* Writes a snapshot of the catalog, without deleted runs, to the file at `path`, which is missing
 * or empty. Other processes may use the shelf meanwhile. */
enum ps_status ps_snapshot_write(struct ps_store *store, const char *path, struct ps_err *err);
/* Deletes a run from the snapshot, with its tags, sources and baseline. */
enum ps_status ps_snapshot_remove_run(struct ps_db *snapshot, const char *id, struct ps_err *err);
/* Deletes all rows that refer to the source with this hash from the snapshot. */
enum ps_status ps_snapshot_remove_source(struct ps_db *snapshot, const char *sha256,
                                         struct ps_err *err);

/* Checks that neither folder contains the other; both must exist. PS_CONFLICT: they are the same
 * folder, or one folder is inside the other. */
enum ps_status ps_check_folders_disjoint(const char *shelf, const char *target, struct ps_err *err);
bool ps_dir_is_empty(const char *path);

#endif
