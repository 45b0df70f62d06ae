/* SPDX-License-Identifier: MIT */
/*
 * quota.h: how many bytes the shelf takes, and the quota on them.
 *
 * Counted are run files, originals and sources, as the catalog knows them (whoever brought them),
 * and what only this opening of the shelf knows: the files of the spool, uploads in pieces among
 * them, and what imports on their way have written. The catalog itself, labels/, lost/ and files
 * without a name are not.
 *
 * Who writes such files claims the bytes first, or as they come, and returns them when the file
 * goes or a row of the catalog counts it. What is there already stays, whatever the quota says.
 * From any thread, but not with the catalog locked.
 */
#ifndef PS_CATALOG_QUOTA_H
#define PS_CATALOG_QUOTA_H

#include "server/catalog/store.h"

/* Counts what is there, and sets the quota in bytes; 0: none. Once, before anything is claimed:
 * without it there is no quota. */
enum ps_status ps_quota_begin(struct ps_store *store, uint64_t quota, struct ps_err *err);

struct ps_quota {
    uint64_t used; /* bytes */
    uint64_t
        deleted;    /* bytes of runs that can be recovered, which give way to others (deleted.h) */
    uint64_t quota; /* bytes; 0: none */
};
enum ps_status ps_quota_usage(struct ps_store *store, struct ps_quota *out, struct ps_err *err);

/* PS_FULL: so many bytes more would be over the quota; nothing is claimed then. */
enum ps_status ps_quota_reserve(struct ps_store *store, uint64_t bytes, struct ps_err *err);
void ps_quota_release(struct ps_store *store, uint64_t bytes);
/* Of a file that grew to `bytes`, of which *claimed are claimed. */
enum ps_status ps_quota_reserve_growth(struct ps_store *store, uint64_t *claimed, uint64_t bytes,
                                       struct ps_err *err);
/* Removes a file of the spool whose bytes were claimed, and returns them. */
void ps_spool_remove(struct ps_store *store, const char *path);

#endif
