/* SPDX-License-Identifier: MIT */
#include "server/jobs/parts.h"

#include <stdlib.h>

static const char *copy_string(struct ps_arena *arena, const char *text)
{
    return text ? ps_arena_copy(arena, ps_str_from_c(text)).ptr : NULL;
}

static void push_part(struct ps_job_parts *parts, struct ps_job_part part)
{
    struct ps_err *err = ps_arena_alloc(&parts->arena, sizeof *err);

    *err = *part.err;
    part.err = err;
    part.name = copy_string(&parts->arena, part.name);
    part.run = copy_string(&parts->arena, part.run);
    PS_RESERVE_ONE(parts->items, parts->n, parts->cap);
    parts->items[parts->n++] = part;
}

void ps_job_parts_add(struct ps_job_parts *parts, const char *name,
                      const struct ps_import_result *result, const struct ps_err *err)
{
    const bool run = err->code == PS_OK;

    if (!run && parts->n - parts->runs >= PS_PARTS_LISTED_MAX) {
        parts->n_unlisted++;
        return;
    }
    parts->runs += run;
    parts->new_runs += run && !result->already_existed;
    push_part(parts, (struct ps_job_part){
                         .name = name,
                         .run = run ? result->id : NULL,
                         .kind = run ? result->kind : NULL,
                         .already_existed = run && result->already_existed,
                         .is_skipped = err->code == PS_UNKNOWN_KIND,
                         .err = err,
                     });
}

void ps_job_parts_copy(struct ps_job_parts *out, const struct ps_job_parts *from)
{
    *out = (struct ps_job_parts){
        .runs = from->runs, .new_runs = from->new_runs, .n_unlisted = from->n_unlisted};
    for (size_t i = 0; i < from->n; i++)
        push_part(out, from->items[i]);
}

void ps_job_parts_free(struct ps_job_parts *parts)
{
    free(parts->items);
    ps_arena_free(&parts->arena);
    *parts = (struct ps_job_parts){0};
}
