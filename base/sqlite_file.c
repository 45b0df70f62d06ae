/* SPDX-License-Identifier: MIT */
/*
 * sqlite_file.c: SQLite reads a descriptor. Its own way to a file goes by name, which one that was
 * unlinked, or never had a name, lacks; and what is not here cannot be done to the file.
 */
#include "base/sqlite_impl.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sqlite_still.h"

#define NAME "perfshelf"

static struct ps_sqlite_file *of(sqlite3_file *file)
{
    return (struct ps_sqlite_file *)(void *)file;
}

static int file_read(sqlite3_file *base, void *to, int amount, sqlite3_int64 at)
{
    struct ps_sqlite_file *file = of(base);
    size_t got = 0, want = (size_t)amount;

    if (file->done > file->most)
        return SQLITE_CORRUPT;
    while (got < want) {
        ssize_t n = pread(file->fd, (char *)to + got, want - got, (off_t)at + (off_t)got);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return SQLITE_IOERR_READ;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    file->at = (uint64_t)at;
    file->done += got;
    memset((char *)to + got, 0, want - got);
    return got == want ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)of(file)->size;
    return SQLITE_OK;
}

static sqlite3_io_methods methods = {.xRead = file_read, .xFileSize = file_size};

/* Names are numbers of descriptors; what has none (journals, temporary files) is not there. */
static int fd_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out)
{
    struct ps_sqlite_file *file = of(base);
    struct stat about;

    (void)vfs;
    base->pMethods = NULL;
    if (!name || !(flags & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    file->fd = atoi(name);
    if (fstat(file->fd, &about) != 0)
        return SQLITE_CANTOPEN;
    file->size = (uint64_t)about.st_size;
    file->at = file->done = 0;
    file->most = UINT64_MAX;
    base->pMethods = &methods;
    if (out)
        *out = SQLITE_OPEN_READONLY;
    return SQLITE_OK;
}

static void add_vfs(void)
{
    static sqlite3_vfs vfs;

    vfs = *sqlite3_vfs_find(NULL); /* its clocks and chance */
    vfs.zName = NAME;
    vfs.pNext = NULL;
    vfs.szOsFile = sizeof(struct ps_sqlite_file);
    vfs.xOpen = fd_open;
    ps_sqlite_still_vfs(&vfs);
    ps_sqlite_still_file(&methods);
    (void)sqlite3_vfs_register(&vfs, 0);
}

const char *ps_sqlite_vfs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)sqlite3_initialize();
    (void)pthread_once(&once, add_vfs);
    return NAME;
}
