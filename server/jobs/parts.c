/* SPDX-License-Identifier: MIT */
#include "server/jobs/parts.h"

#include <stdlib.h>

static const char *keep(struct ps_arena *arena, const char *text)
{
    return text ? ps_arena_copy(arena, ps_str_of(text)).at : NULL;
}

static void push(struct ps_job_parts *parts, struct ps_job_part part)
{
    struct ps_err *err = ps_arena_alloc(&parts->arena, sizeof *err);

    *err = *part.err;
    part.err = err;
    part.name = keep(&parts->arena, part.name);
    part.run = keep(&parts->arena, part.run);
    PS_PUSH_ROOM(parts->at, parts->n, parts->cap);
    parts->at[parts->n++] = part;
}

void ps_job_parts_add(struct ps_job_parts *parts, const char *name,
                      const struct ps_import_result *result, const struct ps_err *err)
{
    const bool run = err->code == PS_OK;

    if (!run && parts->n - parts->runs >= PS_PARTS_TOLD_MAX) {
        parts->untold++;
        return;
    }
    parts->runs += run;
    parts->fresh += run && !result->already;
    push(parts, (struct ps_job_part){
                    .name = name,
                    .run = run ? result->id : NULL,
                    .kind = run ? result->kind : NULL,
                    .already = run && result->already,
                    .left_out = err->code == PS_UNKNOWN_KIND,
                    .err = err,
                });
}

void ps_job_parts_copy(struct ps_job_parts *out, const struct ps_job_parts *from)
{
    *out = (struct ps_job_parts){.runs = from->runs, .fresh = from->fresh, .untold = from->untold};
    for (size_t i = 0; i < from->n; i++)
        push(out, from->at[i]);
}

void ps_job_parts_free(struct ps_job_parts *parts)
{
    free(parts->at);
    ps_arena_free(&parts->arena);
    *parts = (struct ps_job_parts){0};
}
