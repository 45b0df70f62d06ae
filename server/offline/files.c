/* SPDX-License-Identifier: MIT */
#include "server/offline/files.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/sqlite_immutable.h"

struct file {
    char *name;
    const unsigned char *bytes;
    size_t len;
};

static struct file *files;
static size_t n_files, cap_files;

void ps_files_add(const char *name, const unsigned char *bytes, size_t len)
{
    PS_RESERVE_ONE(files, n_files, cap_files);
    files[n_files++] = (struct file){ps_strdup(ps_str_from_c(name)), bytes, len};
}

const unsigned char *ps_files_find(const char *name, size_t *len)
{
    for (size_t i = 0; i < n_files; i++) {
        if (strcmp(files[i].name, name) != 0)
            continue;
        *len = files[i].len;
        return files[i].bytes;
    }
    return NULL;
}

/* Replaces that of libc, which needs functions of WASI that a page does not have: the engine has no
 * file that it could remove. */
int unlink(const char *path)
{
    (void)path;
    errno = ENOENT;
    return -1;
}

/* --- Open files --- */

struct open_file {
    sqlite3_file base;
    const unsigned char *bytes;
    sqlite3_int64 len;
};

static int file_read(sqlite3_file *file, void *out, int n, sqlite3_int64 at)
{
    const struct open_file *open = (const struct open_file *)file;
    sqlite3_int64 left = at < open->len ? open->len - at : 0;

    if (left >= n) {
        memcpy(out, open->bytes + at, (size_t)n);
        return SQLITE_OK;
    }
    if (left)
        memcpy(out, open->bytes + at, (size_t)left);
    memset((char *)out + left, 0, (size_t)(n - left));
    return SQLITE_IOERR_SHORT_READ;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *out)
{
    *out = ((const struct open_file *)file)->len;
    return SQLITE_OK;
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
    (void)file, (void)page, (void)size, (void)extend;
    *out = NULL;
    return SQLITE_READONLY;
}

static int file_shm_lock(sqlite3_file *file, int at, int n, int flags)
{
    (void)file, (void)at, (void)n, (void)flags;
    return SQLITE_READONLY;
}

static void file_shm_barrier(sqlite3_file *file)
{
    (void)file;
}

static int file_shm_unmap(sqlite3_file *file, int remove)
{
    (void)file, (void)remove;
    return SQLITE_OK;
}

/* Sets *out to a pointer into the file, so that SQLite needs no copy; NULL beyond its end. */
static int file_fetch(sqlite3_file *file, sqlite3_int64 at, int n, void **out)
{
    const struct open_file *open = (const struct open_file *)file;

    *out = at + n <= open->len ? (void *)(uintptr_t)(open->bytes + at) : NULL;
    return SQLITE_OK;
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 at, void *page)
{
    (void)file, (void)at, (void)page;
    return SQLITE_OK;
}

static sqlite3_io_methods methods = {
    .xRead = file_read,
    .xFileSize = file_size,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
    .xFetch = file_fetch,
    .xUnfetch = file_unfetch,
};

/* --- SQLite VFS --- */

static int open_by_name(sqlite3_vfs *vfs, const char *name, sqlite3_file *out, int flags,
                        int *flags_out)
{
    struct open_file *open = (struct open_file *)out;

    const unsigned char *bytes;
    size_t len = 0;

    (void)vfs;
    *open = (struct open_file){0};
    bytes = name ? ps_files_find(name, &len) : NULL;
    if (!bytes)
        return SQLITE_CANTOPEN;
    *open = (struct open_file){{&methods}, bytes, (sqlite3_int64)len};
    if (flags_out)
        *flags_out = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    return SQLITE_OK;
}

static int random_bytes(sqlite3_vfs *vfs, int n, char *out)
{
    (void)vfs;
    return getentropy(out, (size_t)n) == 0 ? n : 0;
}

static int skip_sleep(sqlite3_vfs *vfs, int us)
{
    (void)vfs;
    return us;
}

static int current_time(sqlite3_vfs *vfs, sqlite3_int64 *out) /* out: Julian date in milliseconds */
{
    static const sqlite3_int64 epoch = 24405875 * (sqlite3_int64)8640000;

    (void)vfs;
    *out = epoch + ps_wall_clock_ms();
    return SQLITE_OK;
}

static int current_julian_day(sqlite3_vfs *vfs, double *out)
{
    sqlite3_int64 ms;

    (void)current_time(vfs, &ms);
    *out = (double)ms / 86400000.0;
    return SQLITE_OK;
}

static int last_error(sqlite3_vfs *vfs, int n, char *out)
{
    (void)vfs, (void)n, (void)out;
    return 0;
}

int sqlite3_os_init(void)
{
    static sqlite3_vfs vfs = {
        .iVersion = 2,
        .szOsFile = sizeof(struct open_file),
        .mxPathname = 200,
        .zName = "memory",
        .xOpen = open_by_name,
        .xRandomness = random_bytes,
        .xSleep = skip_sleep,
        .xCurrentTime = current_julian_day,
        .xGetLastError = last_error,
        .xCurrentTimeInt64 = current_time,
    };

    ps_sqlite_immutable_vfs(&vfs);
    ps_sqlite_immutable_file(&methods);
    methods.iVersion = 3; /* version 3 has xFetch */
    return sqlite3_vfs_register(&vfs, 1);
}

int sqlite3_os_end(void)
{
    return SQLITE_OK;
}
