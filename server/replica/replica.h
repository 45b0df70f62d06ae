/* SPDX-License-Identifier: MIT */
/*
 * replica.h: a shelf that several servers share. PostgreSQL has the authoritative data; each server
 * has a mirror of the catalog (mirror.h) and a cache of files (file_cache.h) in a folder that may
 * be deleted at any time. backend.c joins the parts into a backend of the catalog
 * (server/catalog/backend.h).
 *
 * heartbeat.h renews the lease of this session, by which other servers know that it is alive; pg.h,
 * clock.h, lease.h and blobs.h access the database.
 */
#ifndef PS_REPLICA_REPLICA_H
#define PS_REPLICA_REPLICA_H

#include "server/catalog/store.h"

/* Opens the shelf in the database at `url` (postgresql://...). `dir` is the folder for mirror and
 * cache; cached files use at most cache_bytes (0: 10 GiB). With url NULL the shelf is the folder
 * `dir`, as in ps_store_open.
 * PS_CONFLICT: `dir` is a shelf itself, or the database has the layout of a newer perfshelf.
 * PS_UNAVAILABLE: the database is unreachable, and `dir` has no mirror yet. With a mirror, reads
 * use it, and changes fail until the database is reachable again. */
enum ps_status ps_store_open_shared(const char *url, const char *dir, uint64_t cache_bytes,
                                    struct ps_store **out, struct ps_err *err);

#endif
