/* SPDX-License-Identifier: MIT */
/*
 * deleted.h: runs that were removed and can be recovered for a day.
 *
 * Their rows move to table deleted_run; their files stay. They are not counted as used (quota.h),
 * and the first deleted are the first whose files go when the quota or the disk needs the space.
 * None expires while the clock is not trusted (clock_check.h).
 */
#ifndef PS_CATALOG_DELETED_H
#define PS_CATALOG_DELETED_H

#include "server/catalog/store.h"

#define PS_DELETED_MS ((int64_t)24 * 3600 * 1000) /* so long they can be recovered */

struct ps_deleted {
    char id[PS_ID_SIZE];
    char *name, *who; /* who added it; "": unknown */
};
void ps_deleted_free(struct ps_deleted *deleted); /* what is in it */

/* RUN as people write it, among deleted runs: an id, a unique prefix of four digits or more, a
 * name. PS_NOT_FOUND: none is; PS_CONFLICT: several are. */
enum ps_status ps_deleted_find(struct ps_store *store, const char *run, struct ps_deleted *out,
                               struct ps_err *err);
/* Puts a deleted run back on the shelf, as it was. PS_NOT_FOUND: it cannot be recovered any more.
 */
enum ps_status ps_store_undelete(struct ps_store *store, const char *id, struct ps_err *err);

/* Removes the files of the run that was deleted first, if before this moment (ms since 1970).
 * False: there is none, or it could not be removed. */
bool ps_deleted_purge_next(struct ps_store *store, int64_t before_ms);
/* Removes what was deleted more than a day ago. */
void ps_deleted_expire(struct ps_store *store);

#endif
