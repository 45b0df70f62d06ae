/* SPDX-License-Identifier: MIT */
/* folder.h: lists the regular files of a folder and its subfolders, sorted by path. */
#ifndef PS_CLI_FOLDER_H
#define PS_CLI_FOLDER_H

#include "base/err.h"
#include "base/mem.h"

struct ps_folder {
    char **paths; /* malloc'ed, like each string; all begin with the path of the folder */
    size_t count, cap;
};

/* Called for each file and folder below `path` that cannot be read; the others are still listed. */
typedef void ps_folder_unreadable(void *user, const char *path, const struct ps_err *err);

/* Hidden names are skipped, links to folders are not followed. Fails if `path` itself cannot be
 * read. */
enum ps_status ps_folder_read(const char *path, ps_folder_unreadable *unreadable, void *user,
                              struct ps_folder *out, struct ps_err *err);
void ps_folder_free(struct ps_folder *folder);

#endif
