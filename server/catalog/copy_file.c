/* SPDX-License-Identifier: MIT */
#include "server/catalog/copy_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "server/catalog/files.h"

#define BLOCK ((size_t)1 << 18)

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

enum ps_status ps_copy_remaining(int from, const char *from_name, int to, const char *to_name,
                                 struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *block = ps_grow(NULL, BLOCK, 1);
    enum ps_status status = PS_OK;
    ssize_t got;

    while (status == PS_OK && (got = read(from, block, BLOCK)) != 0) {
        if (got < 0)
            return ps_fail_errno(err, "cannot read", from_name);
        status = ps_write_all(to, (struct ps_str){block, (size_t)got}, to_name, err);
    }
    return status;
}

/* Reads both files again and compares their bytes. Asks the kernel to drop the cached pages of the
 * copy first, so that they are read from the disk. */
static enum ps_status compare_files(int from, int to, const char *path, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *blocks = ps_grow(NULL, 2, BLOCK);
    off_t at = 0;
    ssize_t a, b;

    (void)posix_fadvise(to, 0, 0, POSIX_FADV_DONTNEED);
    do {
        a = pread(from, blocks, BLOCK, at);
        b = pread(to, blocks + BLOCK, BLOCK, at);
        if (a < 0 || b < 0)
            return ps_fail_errno(err, "cannot read", path);
        if (a != b || memcmp(blocks, blocks + BLOCK, (size_t)a) != 0)
            return ps_fail(err, PS_IO, "%s: the copy differs from the original", path);
        at += a;
    } while (a > 0);
    return PS_OK;
}

enum ps_status ps_copy_and_verify(int from, int to, const char *path, struct ps_err *err)
{
    const bool cloned = ioctl(to, FICLONE, from) == 0; /* shares the disk blocks */
    struct stat about;
    enum ps_status status = cloned ? PS_OK : ps_copy_remaining(from, path, to, path, err);

    if (status == PS_OK &&
        (fstat(from, &about) != 0 ||
         futimens(to, (struct timespec[]){about.st_atim, about.st_mtim}) != 0 || fsync(to) != 0))
        status = ps_fail_errno(err, "cannot write", path);
    return status == PS_OK && !cloned ? compare_files(from, to, path, err) : status;
}

/* Sets *source to the path of the file in `from`, and *target to its path in `to` with the same
 * suffix. Both are malloc'ed. */
static enum ps_status find_paths(struct ps_store *from, struct ps_store *to, const char *folder,
                                 const char *key, char **source, char **target, struct ps_err *err)
{
    enum ps_status status = strcmp(folder, "labels") == 0
                                ? ps_store_path(from, folder, key, ".json", source, err)
                                : ps_file_path(from, folder, key, source, err);

    if (status != PS_OK)
        return status;
    return ps_store_path(to, folder, key, strchr(strrchr(*source, '/'), '.'), target, err);
}

enum ps_status ps_copy_file(struct ps_store *from, struct ps_store *to, const char *folder,
                            const char *key, uint64_t *bytes, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *source = NULL;
    PS_AUTO(ps_free_ptr) char *target = NULL;
    PS_AUTO(ps_free_ptr) char *part = NULL;
    PS_AUTO(ps_close_fd) int in = -1;
    PS_AUTO(ps_close_fd) int out = -1;
    struct stat about, there;
    enum ps_status status = find_paths(from, to, folder, key, &source, &target, err);

    *bytes = 0;
    if (status != PS_OK)
        return status;
    in = open(source, O_RDONLY | O_CLOEXEC);
    if (in < 0 || fstat(in, &about) != 0)
        return errno == ENOENT ? PS_NOT_FOUND : ps_fail_errno(err, "cannot read", source);
    if (stat(target, &there) == 0 && is_same(&about, &there))
        return PS_OK;
    status = ps_new_part(to, folder, &part, &out, err);
    if (status == PS_OK)
        status = ps_copy_and_verify(in, out, target, err);
    if (status == PS_OK && rename(part, target) != 0)
        status = ps_fail_errno(err, "cannot rename to", target);
    if (status != PS_OK && part)
        (void)unlink(part);
    *bytes = (uint64_t)about.st_size;
    return status;
}
