/* SPDX-License-Identifier: MIT */
/*
 * file_cache.h: an LRU cache of files, named by their content hash (base/content.h). The folder may
 * be emptied at any time; several processes may share it.
 *
 * The modification time of a file is the time of its last use, to the minute. Files are not synced:
 * a file from before the last boot is hashed before it is used again.
 */
#ifndef PS_REPLICA_FILE_CACHE_H
#define PS_REPLICA_FILE_CACHE_H

#include "server/replica/blobs.h"

struct ps_file_cache;

/* Opens the cache and creates its folder. Files being added are named <session>-<n>.part. most:
 * maximum bytes to keep, less if the disk lacks the space. When a new file exceeds the limit, the
 * least recently used files are deleted, down to nine tenths of the limit. Opening a cache with a
 * smaller limit than other processes use deletes nothing. A file larger than the limit is still
 * served, and is kept until the next file is added. */
enum ps_status ps_file_cache_open(const char *dir, const char *session, uint64_t most,
                                  struct ps_file_cache **out, struct ps_err *err);
void ps_file_cache_close(struct ps_file_cache *cache); /* NULL is allowed */

/* Passes the bytes with this hash to `take`, in order, as ps_blob_fetch does. */
typedef enum ps_status ps_file_cache_fetch(void *user, const char *hash, ps_blob_receive *take,
                                           void *to, struct ps_err *err);

/* Returns the path of the file with this hash; malloc'ed. If it is missing, fetches it once for all
 * threads that request it; the file is visible only after its hash was verified. Another process or
 * a later fetch may delete the file before it is opened: then call again. PS_IO: the fetched bytes
 * have another hash. Other errors are those of `fetch`. */
enum ps_status ps_file_cache_get(struct ps_file_cache *cache, const char *hash, uint64_t bytes,
                                 ps_file_cache_fetch *fetch, void *user, char **path_out,
                                 struct ps_err *err);

/* Moves a file of the same file system into the cache. The caller guarantees its hash. After a
 * failure the file is at `path`, unchanged. */
enum ps_status ps_file_cache_adopt(struct ps_file_cache *cache, const char *hash, const char *path,
                                   struct ps_err *err);
/* Marks a file as used, by a caller that has it open already. */
void ps_file_cache_use(struct ps_file_cache *cache, const char *hash, uint64_t bytes);
/* Treats all files as if the machine had just been booted: each is hashed before it is used again.
 * For tests. */
void ps_file_cache_distrust(struct ps_file_cache *cache);

struct ps_file_cache_stats {
    uint64_t hits, misses;     /* hits: requested files found in the cache; misses: fetched files */
    uint64_t fetched, evicted; /* bytes, since the cache was opened */
    uint64_t bytes,
        max_bytes; /* bytes: in the cache, as far as this process knows; max_bytes: the limit */
};
void ps_file_cache_read_stats(const struct ps_file_cache *cache, struct ps_file_cache_stats *out);

#endif
