/* SPDX-License-Identifier: MIT */
/* copy_file.h: copies files between shelves, and verifies the copies. */
#ifndef PS_CATALOG_COPY_FILE_H
#define PS_CATALOG_COPY_FILE_H

#include "server/catalog/state.h"

/*
 * Copies the file with this key from `from` to `to`. A file of `to` with the same size and
 * modification time is the same file: stored files are never altered. The copy is synced, read back
 * and compared, then renamed to its final path. The caller syncs the folder. *bytes: bytes copied,
 * 0 if `to` had the file. PS_NOT_FOUND, without a message: `from` has no such file.
 */
enum ps_status ps_copy_file(struct ps_store *from, struct ps_store *to, const char *folder,
                            const char *key, uint64_t *bytes, struct ps_err *err);

/* Copies the bytes from the current position of `from` to its end into `to`. The names are for
 * messages. */
enum ps_status ps_copy_remaining(int from, const char *from_name, int to, const char *to_name,
                                 struct ps_err *err);
/* Copies the complete file `from` into the empty file `to`, with its timestamps, and syncs the
 * copy. Then reads the copy back and compares it, unless both share their disk blocks. `path` names
 * both files in messages. */
enum ps_status ps_copy_and_verify(int from, int to, const char *path, struct ps_err *err);

#endif
