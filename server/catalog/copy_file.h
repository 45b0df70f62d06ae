/* SPDX-License-Identifier: MIT */
/* copy_file.h: files into other files. Inside this folder only. */
#ifndef PS_CATALOG_COPY_FILE_H
#define PS_CATALOG_COPY_FILE_H

#include "server/catalog/state.h"

/*
 * Copies the file with this key unless the other has it already (as long, and written at the same
 * moment: no file of these folders is ever altered). The copy is synced, read again and compared,
 * then renamed into its place; the folder is for the caller to sync. *bytes: copied, 0 when it was
 * there. PS_NOT_FOUND, without text: there is no such file.
 */
enum ps_status ps_copy_file(struct ps_store *from, struct ps_store *to, const char *folder,
                            const char *key, uint64_t *bytes, struct ps_err *err);

/* Reads on from one and writes to the other, which is called `path`. */
enum ps_status ps_copy_bytes(int from, int to, const char *path, struct ps_err *err);
/* All of a file into an empty one, which is called `path`: with its times, synced, read again and
 * compared. */
enum ps_status ps_copy_whole(int from, int to, const char *path, struct ps_err *err);

#endif
