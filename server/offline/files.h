/* SPDX-License-Identifier: MIT */
/* files.h: databases that lie in memory, under names, and SQLite's way to them: a VFS that only
 * reads. */
#ifndef PS_OFFLINE_FILES_H
#define PS_OFFLINE_FILES_H

#include <stddef.h>

/* From here on `name` opens these bytes, which are malloc'ed and stay for ever. */
void ps_files_add(const char *name, const unsigned char *bytes, size_t len);
/* The bytes of that name; NULL: there are none. */
const unsigned char *ps_files_find(const char *name, size_t *len);

#endif
