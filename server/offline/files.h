/* SPDX-License-Identifier: MIT */
/* files.h: named files in memory, and a read-only SQLite VFS for them. */
#ifndef PS_OFFLINE_FILES_H
#define PS_OFFLINE_FILES_H

#include <stddef.h>

/* Adds a file. `name` is copied; `bytes` is malloc'ed, and is kept until the program ends. */
void ps_files_add(const char *name, const unsigned char *bytes, size_t len);
/* The content of a file and, in *len, its size in bytes; NULL if there is none. */
const unsigned char *ps_files_find(const char *name, size_t *len);

#endif
