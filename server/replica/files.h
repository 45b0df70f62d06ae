/* SPDX-License-Identifier: MIT */
/*
 * files.h: the files of a shelf that several servers share. Their rows are in table `kept` of the
 * catalog, their bytes in the database by content (blobs.h); a cache (cache.h) holds those that
 * this server used last.
 */
#ifndef PS_REPLICA_FILES_H
#define PS_REPLICA_FILES_H

#include "server/catalog/files.h"

struct ps_shared_files;
/* Connects to nothing yet. */
enum ps_status ps_shared_files_open(struct ps_store *store, const char *url, uint64_t cache_bytes,
                                    struct ps_err *err);
void ps_shared_files_close(struct ps_store *store); /* without them nothing happens */
/* Fills what the cache holds; true. */
bool ps_shared_files_describe(struct ps_store *store, struct ps_shared_store *out);
/* From here on what was fetched before is not believed: all is fetched into this folder, which the
 * caller makes and removes, and little of it stays there. */
enum ps_status ps_shared_files_bypass(struct ps_store *store, const char *dir, struct ps_err *err);
/* Removes the bytes that nothing refers to any more, now and then; also what was sent from here at
 * least hold_ms ago and placed nowhere. *more: there was no time for all of them. */
#define PS_SENT_HOLD_MS ((int64_t)3600 * 1000)
enum ps_status ps_shared_files_sweep(struct ps_store *store, int64_t hold_ms, bool *more,
                                     struct ps_err *err);

/* Who has it open goes on using it: it is not the first to leave the cache. */
void ps_shared_use(struct ps_store *store, const struct ps_shared_file *kept);
/* Its path in the cache; malloc'ed. */
enum ps_status ps_shared_fetch(struct ps_store *store, const struct ps_shared_file *kept,
                               char **path_out, struct ps_err *err);
enum ps_status ps_shared_send(struct ps_store *store, const char *path, struct ps_sending *out,
                              struct ps_err *err);
enum ps_status ps_shared_place(struct ps_store *store, const struct ps_sending *sent,
                               const char *folder, const char *key, const char *path,
                               struct ps_err *err);
enum ps_status ps_shared_remove(struct ps_store *store, const char *folder, const char *key,
                                struct ps_err *err);

#endif
