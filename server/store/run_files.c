/* SPDX-License-Identifier: MIT */
/* run_files.c: the files of a pstats dump, interned and summed up while its functions pass. */
#include <stdlib.h>

#include "server/store/writer_impl.h"

static uint64_t hash_of(struct ps_str text)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a, 64 bits */

    for (size_t i = 0; i < text.len; i++)
        h = (h ^ (unsigned char)text.at[i]) * 0x100000001b3u;
    return h;
}

static uint32_t *slot_of(struct ps_run_files *files, uint64_t hash, struct ps_str path)
{
    uint32_t at = (uint32_t)hash & (files->n_slots - 1);

    for (; files->slots[at]; at = (at + 1) & (files->n_slots - 1)) {
        const struct ps_run_file *file = &files->at[files->slots[at] - 1];

        if (file->hash == hash && ps_str_eq(file->path, path))
            break;
    }
    return &files->slots[at];
}

static void grow_slots(struct ps_run_files *files)
{
    free(files->slots);
    files->n_slots = files->n_slots ? files->n_slots * 2 : 1024;
    files->slots = ps_alloc(files->n_slots * sizeof *files->slots);
    for (uint32_t i = 0; i < files->n; i++)
        *slot_of(files, files->at[i].hash, files->at[i].path) = i + 1;
}

static uint32_t intern(struct ps_run_files *files, const struct ps_function *row)
{
    uint64_t hash = hash_of(row->file);
    uint32_t *slot;

    if (files->n * 2 >= files->n_slots)
        grow_slots(files);
    slot = slot_of(files, hash, row->file);
    if (!*slot) {
        PS_PUSH_ROOM(files->at, files->n, files->cap);
        files->at[files->n] = (struct ps_run_file){.hash = hash,
                                                   .path = ps_arena_copy(&files->arena, row->file),
                                                   .origin = row->origin,
                                                   .ncalls = ps_int(0),
                                                   .tottime_s = ps_int(0)};
        *slot = ++files->n;
    }
    return *slot;
}

struct ps_num ps_num_sum(struct ps_num a, struct ps_num b)
{
    int64_t whole;

    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT && !__builtin_add_overflow(a.i, b.i, &whole))
        return ps_int(whole);
    if (a.kind == PS_NUM_NONE)
        return b;
    return b.kind == PS_NUM_NONE ? a : ps_real(ps_num_real(a) + ps_num_real(b));
}

uint32_t ps_run_file(struct ps_run_files *files, const struct ps_function *row)
{
    struct ps_run_file *file;

    if (!files->last || !ps_str_eq(files->at[files->last - 1].path, row->file))
        files->last = intern(files, row);
    file = &files->at[files->last - 1];
    if (row->listed) {
        file->functions++;
        file->ncalls = ps_num_sum(file->ncalls, row->ncalls);
        file->tottime_s = ps_num_sum(file->tottime_s, row->tottime_s);
    }
    return files->last;
}

void ps_run_files_free(struct ps_run_files *files)
{
    free(files->at);
    free(files->slots);
    ps_arena_free(&files->arena);
}
