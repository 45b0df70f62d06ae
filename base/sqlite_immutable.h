/* SPDX-License-Identifier: MIT */
/* sqlite_immutable.h: the methods of an SQLite VFS for files that never change: no write, no lock,
 * no journal. A VFS that uses these methods adds its own methods for opening and reading a file. */
#ifndef PS_BASE_SQLITE_IMMUTABLE_H
#define PS_BASE_SQLITE_IMMUTABLE_H

#include <sqlite3.h>

/* Sets all methods of version 1 except xRead and xFileSize. xClose does nothing: the code that
 * opened the file releases it. */
void ps_sqlite_immutable_file(sqlite3_io_methods *methods);

/* Sets xDelete, xAccess (always "does not exist": SQLite only queries journals) and xFullPathname
 * (names are already complete), and disables loading of extensions. */
void ps_sqlite_immutable_vfs(sqlite3_vfs *vfs);

#endif
