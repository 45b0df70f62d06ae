/* SPDX-License-Identifier: MIT */
/* changed_files.h: the files below a folder that a program wrote, or appended to, while it ran. */
#ifndef PS_CLI_CHANGED_FILES_H
#define PS_CLI_CHANGED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PS_CHANGED_DEPTH 4     /* folders below the root that are searched */
#define PS_CHANGED_MAX   20000 /* files and folders that are looked at */

struct ps_file_state {
    char *path;
    dev_t device;
    ino_t inode;
    uint64_t size;
    int64_t changed_ns;
    uint64_t tail; /* hash of its last bytes */
};

struct ps_folder_state {
    struct ps_file_state *items; /* by device and inode */
    size_t n, cap;
    size_t n_seen;
    bool is_cut; /* there are more than PS_CHANGED_MAX */
};

/* Adds the regular files below `root`, or `root` itself if it is one. Folders and links whose names
 * begin with a dot are left out, and links are not followed. A path that does not exist adds
 * nothing. Sort before the state is compared. */
void ps_folder_state_add(struct ps_folder_state *state, const char *root);
void ps_folder_state_sort(struct ps_folder_state *state);
/* Whether `file` is new or has other bytes than before. *offset: where its new bytes begin, if only
 * some were appended, else 0. */
bool ps_file_has_changed(const struct ps_folder_state *before, const struct ps_file_state *file,
                         uint64_t *offset);
void ps_folder_state_free(struct ps_folder_state *state); /* for PS_AUTO */

#endif
