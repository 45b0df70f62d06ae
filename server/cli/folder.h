/* SPDX-License-Identifier: MIT */
/* folder.h: the regular files of a folder and of the folders in it, sorted by path. */
#ifndef PS_CLI_FOLDER_H
#define PS_CLI_FOLDER_H

#include "base/err.h"
#include "base/mem.h"

struct ps_folder {
    char **paths; /* malloc'ed, each too; all begin with the folder's own path */
    size_t count, cap;
};

/* Told of each file and folder below `path` that cannot be read: the others are listed all the
 * same. */
typedef void ps_folder_unreadable(void *user, const char *path, const struct ps_err *err);

/* Hidden names are left out, links to folders are not followed. Fails when `path` itself cannot be
 * read. */
enum ps_status ps_folder_read(const char *path, ps_folder_unreadable *unreadable, void *user,
                              struct ps_folder *out, struct ps_err *err);
void ps_folder_free(struct ps_folder *folder);

#endif
