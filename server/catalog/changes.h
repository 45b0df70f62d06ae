/* SPDX-License-Identifier: MIT */
/*
 * changes.h: notifications of changes that other servers made to a store. Changes by this server
 * are not reported. A shelf in a folder reports nothing.
 */
#ifndef PS_CATALOG_CHANGES_H
#define PS_CATALOG_CHANGES_H

#include "server/catalog/store.h"

enum ps_change_kind {
    PS_CHANGED_RUN,      /* a run was added, changed or removed */
    PS_CHANGED_JOB,      /* the row of a job was added, changed or removed (job_rows.h) */
    PS_CHANGED_ANYTHING, /* too many changes to report each: any run or job may have changed */
};

struct ps_row_change {
    enum ps_change_kind kind;
    char run_id[PS_ID_SIZE]; /* for PS_CHANGED_RUN: id of the run */
    uint64_t job_id;         /* for PS_CHANGED_JOB: number of the job */
};

/* Calls `heard` for each change soon after the change is visible in this store. All calls are made
 * from one thread, which holds no lock; several changes of one object may be merged into one call.
 * `heard` must return quickly, since it delays the next changes. `heard` NULL: stops listening;
 * when this function returns, no call is in progress. `heard` must not call this function. */
typedef void ps_change_listener(void *user, const struct ps_row_change *change);
void ps_store_listen(struct ps_store *store, ps_change_listener *heard, void *user);

#endif
