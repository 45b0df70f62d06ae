/* SPDX-License-Identifier: MIT */
/*
 * deleted.h: deleted runs, which can be recovered for a day.
 *
 * Their rows move to table deleted_run; their files are kept. They do not count as used quota
 * (quota.h). When the quota or the disk needs space, the files of the runs that were deleted first
 * are removed first. No deleted run expires while the clock is not trusted (clock_check.h). Every
 * function may be called from any thread.
 */
#ifndef PS_CATALOG_DELETED_H
#define PS_CATALOG_DELETED_H

#include "server/catalog/store.h"

#define PS_DELETED_MS ((int64_t)24 * 3600 * 1000) /* how long a deleted run can be recovered */

struct ps_deleted {
    char id[PS_ID_SIZE];
    char *name, *user_name; /* user_name: the user that added the run; "": unknown */
};
void ps_deleted_free(struct ps_deleted *deleted); /* frees its members */

/* Resolves RUN as users write it among deleted runs: an id, a unique prefix of four digits or more,
 * or a name. PS_NOT_FOUND: no run matches; PS_CONFLICT: several match. */
enum ps_status ps_deleted_find(struct ps_store *store, const char *run, struct ps_deleted *out,
                               struct ps_err *err);
/* Restores a deleted run unchanged. PS_NOT_FOUND: it can no longer be recovered. */
enum ps_status ps_store_undelete(struct ps_store *store, const char *id, struct ps_err *err);

/* Purges the run that was deleted first, with its files, if that was before before_ms (ms since
 * 1970). False: there is no such run, or it could not be purged. */
bool ps_deleted_purge_next(struct ps_store *store, int64_t before_ms);
/* Purges the runs that were deleted more than a day ago. */
void ps_deleted_expire(struct ps_store *store);

#endif
