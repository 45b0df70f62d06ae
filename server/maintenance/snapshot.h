/* SPDX-License-Identifier: MIT */
/* snapshot.h: the catalog as it is at one moment, for copies of a whole shelf (backup.c,
 * transfer.c). Inside this folder only. */
#ifndef PS_MAINTENANCE_SNAPSHOT_H
#define PS_MAINTENANCE_SNAPSHOT_H

#include "server/catalog/state.h"

/* Into a file that is not there yet, or is empty. Others go on with the shelf meanwhile. */
enum ps_status ps_snapshot_take(struct ps_store *store, const char *path, struct ps_err *err);
/* A run that is not copied goes from it, with what is said of it. */
enum ps_status ps_snapshot_leave_out(struct ps_db *snapshot, const char *id, struct ps_err *err);
/* The source of this hash is attached to nothing any more. */
enum ps_status ps_snapshot_leave_source(struct ps_db *snapshot, const char *sha256,
                                        struct ps_err *err);

/* PS_CONFLICT: one folder is the other, or inside it. Both are there. */
enum ps_status ps_check_apart(const char *shelf, const char *target, struct ps_err *err);
bool ps_dir_is_empty(const char *path);

#endif
