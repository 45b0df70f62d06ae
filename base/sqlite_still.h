/* SPDX-License-Identifier: MIT */
/* sqlite_still.h: what SQLite asks of a file, and of a file system, where nothing changes: no
 * write, no lock, no journal. For those that give it such files; they add how one is opened and
 * read. */
#ifndef PS_BASE_SQLITE_STILL_H
#define PS_BASE_SQLITE_STILL_H

#include <sqlite3.h>

/* Sets all of version 1 but xRead and xFileSize; closing leaves everything to who opened it. */
void ps_sqlite_still_file(sqlite3_io_methods *methods);

/* Sets xDelete, xAccess (nothing is there: it is asked of journals alone) and xFullPathname (names
 * are whole); no extension is loaded. */
void ps_sqlite_still_vfs(sqlite3_vfs *vfs);

#endif
