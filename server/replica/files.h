/* SPDX-License-Identifier: MIT */
/*
 * files.h: the files of a shelf that several servers share. Their rows are in table `file_row` of
 * the catalog, their bytes in the database by content (blobs.h); a cache (file_cache.h) contains
 * the files that this server used last.
 */
#ifndef PS_REPLICA_FILES_H
#define PS_REPLICA_FILES_H

#include "server/catalog/files.h"

struct ps_shared_files;
/* Opens the cache. Does not connect to the database yet. */
enum ps_status ps_shared_files_open(struct ps_store *store, const char *url, uint64_t cache_bytes,
                                    struct ps_err *err);
void ps_shared_files_close(struct ps_store *store); /* does nothing if they were not opened */
/* Describes the shared store and the cache. Always true. */
bool ps_shared_files_describe(struct ps_store *store, struct ps_shared_store *out);
/* From now on, ignores files fetched before: fetches each file again into this folder and keeps
 * only few of them. The caller creates and deletes the folder. */
enum ps_status ps_shared_files_bypass_cache(struct ps_store *store, const char *dir,
                                            struct ps_err *err);
/* Deletes bytes in the database without references, including those that this server sent at least
 * hold_ms ago without placing them. Call it from time to time. *more: the time was not sufficient
 * for all. */
#define PS_UNPLACED_KEEP_MS ((int64_t)3600 * 1000)
enum ps_status ps_shared_files_sweep(struct ps_store *store, int64_t hold_ms, bool *more,
                                     struct ps_err *err);

/* Marks a file that is open as used, so that it is not the first to be evicted. */
void ps_shared_files_use(struct ps_store *store, const struct ps_file_row *file_row);
/* Returns the path of the file in the cache; malloc'ed. */
enum ps_status ps_shared_files_fetch(struct ps_store *store, const struct ps_file_row *file_row,
                                     char **path_out, struct ps_err *err);
enum ps_status ps_shared_files_send(struct ps_store *store, const char *path,
                                    struct ps_sent_file *out, struct ps_err *err);
enum ps_status ps_shared_files_place(struct ps_store *store, const struct ps_sent_file *sent,
                                     const char *folder, const char *key, const char *path,
                                     struct ps_err *err);
enum ps_status ps_shared_files_remove(struct ps_store *store, const char *folder, const char *key,
                                      struct ps_err *err);

#endif
