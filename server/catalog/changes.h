/* SPDX-License-Identifier: MIT */
/*
 * changes.h: what other servers did to a store, told to whoever shows it. What this server does is
 * not told; nor is anything of a shelf that is one folder.
 */
#ifndef PS_CATALOG_CHANGES_H
#define PS_CATALOG_CHANGES_H

#include "server/catalog/store.h"

enum ps_change_of {
    PS_CHANGED_RUN,  /* it was added, changed or removed */
    PS_CHANGED_JOB,  /* its row was (job_rows.h) */
    PS_CHANGED_MANY, /* more than can be told one by one: all may have */
};

struct ps_change {
    enum ps_change_of what;
    char run[PS_ID_SIZE]; /* its id */
    uint64_t job;         /* its number */
};

/* From now on `heard` is called for each change soon after it can be read here: by one thread, with
 * nothing locked, once for what was changed several times in between. It must not take long, for
 * what happens next waits for it. NULL: nobody is told any more once this returns. Not from within
 * `heard`. */
typedef void ps_change_listener(void *user, const struct ps_change *change);
void ps_store_listen(struct ps_store *store, ps_change_listener *heard, void *user);

#endif
