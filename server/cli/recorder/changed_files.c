/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "server/cli/recorder/changed_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash_table.h"
#include "base/mem.h"

#define TAIL_BYTES 4096

/* Hash of the TAIL_BYTES, or all, before `end`; 0 if they cannot be read. */
static uint64_t hash_tail(const char *path, uint64_t end)
{
    static char bytes[TAIL_BYTES];
    const size_t n = end < TAIL_BYTES ? (size_t)end : TAIL_BYTES;
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || pread(fd, bytes, n, (off_t)(end - n)) != (ssize_t)n)
        return 0;
    return ps_hash_bytes(bytes, n);
}

static void add_file(struct ps_folder_state *state, const char *path, const struct stat *about)
{
    PS_RESERVE_ONE(state->items, state->n, state->cap);
    state->items[state->n++] = (struct ps_file_state){
        .path = ps_strdup(ps_str_from_c(path)),
        .device = about->st_dev,
        .inode = about->st_ino,
        .size = (uint64_t)about->st_size,
        .changed_ns = (int64_t)about->st_mtim.tv_sec * 1000000000 + about->st_mtim.tv_nsec,
        .tail = hash_tail(path, (uint64_t)about->st_size),
    };
}

static void add_path(struct ps_folder_state *state, const char *path, unsigned depth);

static void add_folder(struct ps_folder_state *state, const char *folder, unsigned depth)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;

    while (entries && !state->is_cut && (entry = readdir(entries))) {
        PS_AUTO(ps_buf_free) struct ps_buf path = {0};

        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "node_modules") == 0)
            continue;
        ps_buf_printf(&path, "%s/%s", folder, entry->d_name);
        add_path(state, path.ptr, depth);
    }
    if (entries)
        closedir(entries);
}

static void add_path(struct ps_folder_state *state, const char *path, unsigned depth)
{
    struct stat about;

    if (state->n_seen++ >= PS_CHANGED_MAX) {
        state->is_cut = true;
        return;
    }
    if (lstat(path, &about) != 0)
        return;
    if (S_ISREG(about.st_mode))
        add_file(state, path, &about);
    else if (S_ISDIR(about.st_mode) && depth < PS_CHANGED_DEPTH)
        add_folder(state, path, depth + 1);
}

void ps_folder_state_add(struct ps_folder_state *state, const char *root)
{
    struct stat about;

    if (stat(root, &about) == 0 && S_ISDIR(about.st_mode)) /* the root may be a link */
        add_folder(state, root, 0);
    else
        add_path(state, root, 0);
}

static int compare_files(const void *a, const void *b)
{
    const struct ps_file_state *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return x->inode < y->inode ? -1 : x->inode > y->inode;
}

void ps_folder_state_sort(struct ps_folder_state *state)
{
    size_t n = 0;

    if (state->n)
        qsort(state->items, state->n, sizeof *state->items, compare_files);
    for (size_t i = 0; i < state->n; i++) /* a file that two roots have is listed once */
        if (n && compare_files(&state->items[n - 1], &state->items[i]) == 0)
            free(state->items[i].path);
        else
            state->items[n++] = state->items[i];
    state->n = n;
}

bool ps_file_has_changed(const struct ps_folder_state *before, const struct ps_file_state *file,
                         uint64_t *offset)
{
    const struct ps_file_state *old =
        before->n ? bsearch(file, before->items, before->n, sizeof *before->items, compare_files)
                  : NULL;

    *offset = 0;
    if (!old)
        return file->size > 0;
    if (old->size == file->size && old->changed_ns == file->changed_ns && old->tail == file->tail)
        return false;
    if (file->size > old->size && old->size && hash_tail(file->path, old->size) == old->tail)
        *offset = old->size;
    return file->size > 0;
}

void ps_folder_state_free(struct ps_folder_state *state)
{
    for (size_t i = 0; i < state->n; i++)
        free(state->items[i].path);
    free(state->items);
    *state = (struct ps_folder_state){0};
}
