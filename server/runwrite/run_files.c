/* SPDX-License-Identifier: MIT */
/* run_files.c: the files of a pstats dump, told apart by the importer's keys and summed up while
 * its functions pass. */
#include <assert.h>
#include <stdlib.h>

#include "server/runwrite/writer_rows.h"

struct ps_num ps_num_sum(struct ps_num a, struct ps_num b)
{
    int64_t whole;

    if (a.kind == PS_NUM_INT && b.kind == PS_NUM_INT && !__builtin_add_overflow(a.i, b.i, &whole))
        return ps_int(whole);
    if (a.kind == PS_NUM_NONE)
        return b;
    return b.kind == PS_NUM_NONE ? a : ps_real(ps_num_real(a) + ps_num_real(b));
}

/* The place for the id of a key. */
static uint32_t *place_of(struct ps_run_files *files, uint32_t key)
{
    assert(key > 0);
    files->by_key = ps_grow_to(files->by_key, &files->n_keys, key, sizeof *files->by_key);
    return &files->by_key[key];
}

static uint32_t add(struct ps_run_files *files, const struct ps_function *row)
{
    PS_PUSH_ROOM(files->at, files->n, files->cap);
    files->at[files->n] = (struct ps_run_file){.path = ps_arena_copy(&files->arena, row->file),
                                               .origin = row->origin,
                                               .ncalls = ps_int(0),
                                               .tottime_s = ps_int(0)};
    return ++files->n;
}

uint32_t ps_run_file(struct ps_run_files *files, const struct ps_function *row)
{
    uint32_t *place = place_of(files, row->file_key);
    struct ps_run_file *file;

    if (!*place)
        *place = add(files, row);
    file = &files->at[*place - 1];
    if (row->listed) {
        file->functions++;
        file->ncalls = ps_num_sum(file->ncalls, row->ncalls);
        file->tottime_s = ps_num_sum(file->tottime_s, row->tottime_s);
    }
    return *place;
}

void ps_run_files_free(struct ps_run_files *files)
{
    free(files->at);
    free(files->by_key);
    ps_arena_free(&files->arena);
}
