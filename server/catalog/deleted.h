/* SPDX-License-Identifier: MIT */
/*
 * deleted.h: deleted runs, which can be recovered for a day.
 *
 * ps_deleted_add moves their rows to table deleted_run and keeps their files, which do not count as
 * used quota (quota.h). When the quota or the disk needs space, deleted runs are purged with their
 * files, in the order in which they were deleted. No deleted run expires while the clock is not
 * trusted (clock_check.h). Every function may be called from any thread.
 */
#ifndef PS_CATALOG_DELETED_H
#define PS_CATALOG_DELETED_H

#include "server/catalog/store.h"

/* ms after its deletion until a run can no longer be recovered */
#define PS_DELETED_MS ((int64_t)24 * 3600 * 1000)

struct ps_deleted_run {
    char id[PS_ID_SIZE];
    char *name, *user_name; /* user_name: the user that added the run; "": unknown */
};
void ps_deleted_free(struct ps_deleted_run *deleted); /* frees its members */

/* Finds a deleted run by `run`, as users write it: an id, a unique prefix of four digits or more,
 * or a name. Free *out with ps_deleted_free. PS_NOT_FOUND: no run matches; PS_CONFLICT: several
 * match. */
enum ps_status ps_deleted_find(struct ps_store *store, const char *run, struct ps_deleted_run *out,
                               struct ps_err *err);
/* Restores a deleted run unchanged. PS_NOT_FOUND: it can no longer be recovered. PS_IO: its run
 * file is damaged. */
enum ps_status ps_store_recover_run(struct ps_store *store, const char *id, struct ps_err *err);

/* Purges the run that was deleted first, with its files, if it was deleted before before_ms (ms
 * since 1970). False: there is no such run, or it could not be purged. */
bool ps_deleted_purge_next(struct ps_store *store, int64_t before_ms);
/* Purges the runs that were deleted more than a day ago. Does nothing while the clock is not
 * trusted. */
void ps_deleted_expire(struct ps_store *store);

#endif
