/* SPDX-License-Identifier: MIT */
/* copy_file.h: copies files. For this folder only. */
#ifndef PS_CATALOG_COPY_FILE_H
#define PS_CATALOG_COPY_FILE_H

#include "server/catalog/state.h"

/*
 * Copies the file with this key unless `to` has it already (same size and modification time; files
 * of these folders are never altered). The copy is synced, read back and compared, then renamed to
 * its final path. The caller syncs the folder. *bytes: bytes copied, 0 if the file existed.
 * PS_NOT_FOUND, without a message: `from` has no such file.
 */
enum ps_status ps_copy_file(struct ps_store *from, struct ps_store *to, const char *folder,
                            const char *key, uint64_t *bytes, struct ps_err *err);

/* Copies from the current position of `from` to its end into `to`. `path` is the name of `to` in
 * messages. */
enum ps_status ps_copy_rest(int from, int to, const char *path, struct ps_err *err);
/* Copies a complete file into an empty one, with its timestamps; syncs the copy, reads it back and
 * compares. `path` is the name of `to` in messages. */
enum ps_status ps_copy_complete(int from, int to, const char *path, struct ps_err *err);

#endif
