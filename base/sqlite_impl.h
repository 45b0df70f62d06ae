/* SPDX-License-Identifier: MIT */
/* sqlite_impl.h: a descriptor as SQLite's file; for base/sqlite*.c alone. */
#ifndef PS_BASE_SQLITE_IMPL_H
#define PS_BASE_SQLITE_IMPL_H

#include <sqlite3.h>

#include "base/sqlite.h"

struct ps_sqlite_file {
    sqlite3_file base; /* what SQLite knows of it; first */
    int fd;
    uint64_t size, at, done; /* bytes; place of the last read; read so far */
    uint64_t most;           /* reading stops when so many were */
};

/* The name under which sqlite3_open_v2 finds it; registers it once. */
const char *ps_sqlite_vfs(void);

#endif
