/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700
#include "server/cli/folder.h"

#include "base/buf.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DEEPEST 64

struct walk {
    ps_folder_unreadable *unreadable;
    void *user;
    struct ps_folder *out;
};

static enum ps_status read_into(const struct walk *walk, const char *path, unsigned depth,
                                struct ps_err *err);

static enum ps_status take_path(const struct walk *walk, const char *path, unsigned depth,
                                struct ps_err *err)
{
    struct ps_folder *out = walk->out;
    struct stat about;
    if (lstat(path, &about) != 0)
        return ps_fail_errno(err, "cannot read", path);
    if (S_ISDIR(about.st_mode))
        return read_into(walk, path, depth + 1, err);
    if (S_ISLNK(about.st_mode) && stat(path, &about) != 0)
        return PS_OK; /* a dangling link is skipped */
    if (!S_ISREG(about.st_mode))
        return PS_OK;
    PS_RESERVE_ONE(out->paths, out->count, out->cap);
    out->paths[out->count++] = ps_strdup(ps_str_from_c(path));
    return PS_OK;
}

static void take_entry(const struct walk *walk, const char *folder, const char *name,
                       unsigned depth)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    struct ps_err err = PS_ERR_INIT;
    size_t len = strlen(folder);
    ps_buf_printf(&path, "%s%s%s", folder, len && folder[len - 1] == '/' ? "" : "/", name);
    if (take_path(walk, path.ptr, depth, &err) != PS_OK)
        walk->unreadable(walk->user, path.ptr, &err);
}

static enum ps_status read_into(const struct walk *walk, const char *path, unsigned depth,
                                struct ps_err *err)
{
    if (depth > DEEPEST) {
        ps_err_hint(err, "add a deeper folder by its own name");
        return ps_fail(err, PS_LIMIT, "folders are nested more than %d deep", DEEPEST);
    }
    DIR *dir = opendir(path);
    if (!dir)
        return ps_fail_errno(err, "cannot open", path);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            take_entry(walk, path, entry->d_name, depth);
    closedir(dir);
    return PS_OK;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum ps_status ps_folder_read(const char *path, ps_folder_unreadable *unreadable, void *user,
                              struct ps_folder *out, struct ps_err *err)
{
    const struct walk walk = {unreadable, user, out};
    enum ps_status status = read_into(&walk, path, 0, err);
    if (out->count)
        qsort(out->paths, out->count, sizeof *out->paths, by_path);
    return status;
}

void ps_folder_free(struct ps_folder *folder)
{
    for (size_t i = 0; i < folder->count; i++)
        free(folder->paths[i]);
    free(folder->paths);
    *folder = (struct ps_folder){0};
}
