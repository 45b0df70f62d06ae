/* SPDX-License-Identifier: MIT */
#include "base/sqlite_immutable.h"

#include <string.h>

static int file_close(sqlite3_file *file)
{
    (void)file;
    return SQLITE_OK;
}

static int file_write(sqlite3_file *file, const void *from, int amount, sqlite3_int64 at)
{
    (void)file, (void)from, (void)amount, (void)at;
    return SQLITE_READONLY;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    (void)file, (void)size;
    return SQLITE_READONLY;
}

static int file_flag(sqlite3_file *file, int flag) /* xSync, xLock, xUnlock: do nothing */
{
    (void)file, (void)flag;
    return SQLITE_OK;
}

static int file_reserved(sqlite3_file *file, int *out)
{
    (void)file;
    *out = 0;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *file, int what, void *argument)
{
    (void)file, (void)what, (void)argument;
    return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *file)
{
    (void)file;
    return 4096;
}

static int file_traits(sqlite3_file *file)
{
    (void)file;
    return SQLITE_IOCAP_IMMUTABLE;
}

void ps_sqlite_immutable_file(sqlite3_io_methods *methods)
{
    methods->iVersion = 1;
    methods->xClose = file_close;
    methods->xWrite = file_write;
    methods->xTruncate = file_truncate;
    methods->xSync = file_flag;
    methods->xLock = file_flag;
    methods->xUnlock = file_flag;
    methods->xCheckReservedLock = file_reserved;
    methods->xFileControl = file_control;
    methods->xSectorSize = file_sector;
    methods->xDeviceCharacteristics = file_traits;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)name, (void)sync;
    return SQLITE_READONLY;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    (void)vfs, (void)name, (void)flags;
    *out = 0;
    return SQLITE_OK;
}

static int vfs_full_name(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    size_t len = strlen(name);

    (void)vfs;
    if (len >= (size_t)size)
        return SQLITE_CANTOPEN;
    memcpy(out, name, len + 1);
    return SQLITE_OK;
}

void ps_sqlite_immutable_vfs(sqlite3_vfs *vfs)
{
    vfs->xDelete = vfs_delete;
    vfs->xAccess = vfs_access;
    vfs->xFullPathname = vfs_full_name;
    vfs->xDlOpen = NULL;
}
