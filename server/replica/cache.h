/* SPDX-License-Identifier: MIT */
/*
 * cache.h: a folder of files by their content (base/content.h), of which those that were used last
 * stay. It may be emptied at any time; several processes may use one.
 *
 * The time of a file's last change says when it was used, to the minute. Nothing here is synced: a
 * file from before the machine was started is hashed before it is used again.
 */
#ifndef PS_REPLICA_CACHE_H
#define PS_REPLICA_CACHE_H

#include "server/replica/blobs.h"

struct ps_cache;

/* The folder is made where there is none. Files on their way in are <session>-<n>.part there.
 * most: bytes that may stay, fewer where the disk has no room for them; when another comes beyond
 * them, those used longest ago go, down to nine tenths; who only looks into the folder with a
 * smaller bound than others removes nothing. A file larger than that is served as well, and stays
 * until the next comes. */
enum ps_status ps_cache_open(const char *dir, const char *session, uint64_t most,
                             struct ps_cache **out, struct ps_err *err);
void ps_cache_close(struct ps_cache *cache); /* NULL is fine */

/* Hands on the bytes with this hash, from the first to the last: ps_blob_fetch does. */
typedef enum ps_status ps_cache_fetch(void *user, const char *hash, ps_blob_take *take, void *to,
                                      struct ps_err *err);

/* Where a file of these bytes lies; malloc'ed. Fetched where it is not here, once for all threads
 * that want it, and seen by nobody before its hash is verified. Another process, or what is
 * fetched next, may remove it before it is opened: then ask again. PS_IO: what was fetched are
 * other bytes. Else as fetch. */
enum ps_status ps_cache_get(struct ps_cache *cache, const char *hash, uint64_t bytes,
                            ps_cache_fetch *fetch, void *user, char **path_out, struct ps_err *err);

/* A file of the same file system becomes the one of this hash, which the caller knows it to have.
 * After a failure it is where it was. */
enum ps_status ps_cache_adopt(struct ps_cache *cache, const char *hash, const char *path,
                              struct ps_err *err);
/* It is in use, by who has it open. */
void ps_cache_use(struct ps_cache *cache, const char *hash, uint64_t bytes);
/* As if the machine were started now: what is here is hashed before it is used again. For tests. */
void ps_cache_doubt(struct ps_cache *cache);

struct ps_cache_stats {
    uint64_t hits, misses;     /* asked for and here; fetched */
    uint64_t fetched, evicted; /* bytes, since it was opened */
    uint64_t bytes, most;      /* that are here, as far as this process knows; that may be */
};
void ps_cache_look(const struct ps_cache *cache, struct ps_cache_stats *out);

#endif
