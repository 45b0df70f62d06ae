/* SPDX-License-Identifier: MIT */
/* run_files.c: the files of a pstats dump, interned and summed up while its functions pass. */
#include <stdlib.h>

#include "server/store/writer_impl.h"

/* Eight bytes at a time: paths are long, and there is one for each function. */
static uint64_t hash_of(struct ps_str text)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
    uint64_t h = text.len * odd, word = 0;

    for (; text.len >= 8; text = ps_str_skip(text, 8)) {
        memcpy(&word, text.at, 8);
        h = (h ^ word) * odd;
        h ^= h >> 32;
    }
    word = 0;
    if (text.len)
        memcpy(&word, text.at, text.len);
    h = (h ^ word) * odd;
    return h ^ h >> 32;
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

static uint32_t add(struct ps_run_files *files, uint64_t hash, const struct ps_function *row)
{
    PS_PUSH_ROOM(files->at, files->n, files->cap);
    files->at[files->n] = (struct ps_run_file){.hash = hash,
                                               .path = ps_arena_copy(&files->arena, row->file),
                                               .origin = row->origin,
                                               .ncalls = ps_int(0),
                                               .tottime_s = ps_int(0)};
    return ++files->n;
}

static uint32_t intern(struct ps_run_files *files, const struct ps_function *row)
{
    uint64_t hash = hash_of(row->file);
    uint32_t *slot;

    if (files->n * 2 >= files->n_slots)
        grow_slots(files);
    slot = slot_of(files, hash, row->file);
    if (!*slot)
        *slot = add(files, hash, row);
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

/* The place for the id of a key; NULL for key 0. */
static uint32_t *place_of(struct ps_run_files *files, uint32_t key)
{
    if (key >= files->n_keys) {
        uint32_t n = key + key / 2 + 1024;

        files->by_key = ps_grow(files->by_key, n, sizeof *files->by_key);
        memset(files->by_key + files->n_keys, 0, (n - files->n_keys) * sizeof *files->by_key);
        files->n_keys = n;
    }
    return key ? &files->by_key[key] : NULL;
}

/* By its key where the importer gives one, else by its path. */
static uint32_t id_of(struct ps_run_files *files, const struct ps_function *row)
{
    uint32_t *place = place_of(files, row->file_key);

    if (!place)
        return intern(files, row);
    if (!*place)
        *place = add(files, 0, row);
    return *place;
}

uint32_t ps_run_file(struct ps_run_files *files, const struct ps_function *row)
{
    uint32_t id = id_of(files, row);
    struct ps_run_file *file = &files->at[id - 1];

    if (row->listed) {
        file->functions++;
        file->ncalls = ps_num_sum(file->ncalls, row->ncalls);
        file->tottime_s = ps_num_sum(file->tottime_s, row->tottime_s);
    }
    return id;
}

void ps_run_files_free(struct ps_run_files *files)
{
    free(files->at);
    free(files->slots);
    free(files->by_key);
    ps_arena_free(&files->arena);
}
