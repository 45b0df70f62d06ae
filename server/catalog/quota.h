/* SPDX-License-Identifier: MIT */
/*
 * quota.h: the number of bytes that the shelf uses, and the quota on them.
 *
 * The catalog has the sizes of all run files, originals and sources, whichever process added them.
 * To these the session adds its reservations: for its files in the spool, including resumable
 * uploads, and for the output of its running imports. The catalog itself, labels/, lost/ and files
 * without a name are not counted.
 *
 * Writers reserve the bytes of a file before or while they write it. They release the bytes when
 * the file is deleted or a row of the catalog counts its size. Existing files are kept even if they
 * exceed the quota. The functions may be called from any thread, but not with the catalog locked.
 */
#ifndef PS_CATALOG_QUOTA_H
#define PS_CATALOG_QUOTA_H

#include "server/catalog/store.h"

/* Sets the quota in bytes (0: no quota), and reserves the bytes of existing files in the spool.
 * Call it once, before any reservation; without this call there is no quota. */
enum ps_status ps_quota_begin(struct ps_store *store, uint64_t quota, struct ps_err *err);

struct ps_quota {
    uint64_t used_bytes;    /* bytes */
    uint64_t deleted_bytes; /* bytes of deleted runs that can be recovered, not part of
                         `used_bytes`; the runs are purged when the space is needed (deleted.h) */
    uint64_t max_bytes;     /* bytes; 0: no quota */
};
enum ps_status ps_quota_read_usage(struct ps_store *store, struct ps_quota *out,
                                   struct ps_err *err);

/* Reserves `bytes` more bytes. PS_FULL: that would exceed the quota; nothing is reserved. */
enum ps_status ps_quota_reserve(struct ps_store *store, uint64_t bytes, struct ps_err *err);
void ps_quota_release(struct ps_store *store, uint64_t bytes);
/* Reserves quota for a file that grew to `bytes` bytes. *claimed: the bytes of it that are
 * reserved; updated. */
enum ps_status ps_quota_reserve_growth(struct ps_store *store, uint64_t *claimed, uint64_t bytes,
                                       struct ps_err *err);
/* Deletes a file of the spool whose bytes were reserved, and releases them. */
void ps_spool_remove(struct ps_store *store, const char *path);

#endif
