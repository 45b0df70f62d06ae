/* SPDX-License-Identifier: MIT */
/* snapshot.h: a copy of the catalog at one moment, for copies of a complete shelf (backup.c,
 * transfer.c). For this folder only. */
#ifndef PS_MAINTENANCE_SNAPSHOT_H
#define PS_MAINTENANCE_SNAPSHOT_H

#include "server/catalog/state.h"

/* Writes the snapshot to a file that is missing or empty. Other processes may use the shelf
 * meanwhile. */
enum ps_status ps_snapshot_write(struct ps_store *store, const char *path, struct ps_err *err);
/* Deletes a run that is not copied from the snapshot, with its tags, sources and baseline. */
enum ps_status ps_snapshot_remove_run(struct ps_db *snapshot, const char *id, struct ps_err *err);
/* Deletes the source with this hash from the snapshot. */
enum ps_status ps_snapshot_remove_source(struct ps_db *snapshot, const char *sha256,
                                         struct ps_err *err);

/* PS_CONFLICT: one folder is the other, or is inside it. Both folders must exist. */
enum ps_status ps_check_folders_disjoint(const char *shelf, const char *target, struct ps_err *err);
bool ps_dir_is_empty(const char *path);

#endif
