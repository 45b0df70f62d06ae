/* SPDX-License-Identifier: MIT */
#include "server/query/trace/chosen_steps.h"

#include <stdlib.h>
#include <string.h>

/* The digits at the end of the name, or before a bracket at its end. */
static struct ps_str digits_at_end(struct ps_str name)
{
    size_t first;

    while (name.len && strchr("])>", name.ptr[name.len - 1]))
        name.len--;
    for (first = name.len; first && name.ptr[first - 1] >= '0' && name.ptr[first - 1] <= '9';)
        first--;
    return ps_str_skip(name, first);
}

int64_t ps_annotation_number(struct ps_str name)
{
    int64_t number;

    return ps_str_parse_i64(digits_at_end(name), &number) ? number : -1;
}

struct ps_str ps_annotation_stem(struct ps_str name)
{
    const struct ps_str digits = digits_at_end(name);
    struct ps_str stem = {name.ptr, (size_t)(digits.ptr - name.ptr)};

    if (!digits.len)
        return name;
    while (stem.len && strchr(" #_:=-[(<", stem.ptr[stem.len - 1]))
        stem.len--;
    return stem.len ? stem : name;
}

bool ps_annotation_is_step(struct ps_str name, const char *step)
{
    return ps_str_eq_c(name, step) || ps_str_eq_c(ps_annotation_stem(name), step);
}

struct reader {
    struct ps_db *db;
    const struct ps_track_owners *owners;
    const char *name;
    struct ps_chosen_steps *out;
};

static bool visit_ranges(void *user, const struct ps_chunk *chunk)
{
    const struct reader *reader = user;
    struct ps_chosen_steps *out = reader->out;
    const uint32_t worker = ps_track_owner_of(reader->owners, chunk->track).worker;

    for (uint32_t i = 0; i < chunk->n; i++) {
        const int64_t kind = ps_chunk_value(chunk, PS_COL_KIND, i);
        const int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
        const uint32_t name = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i);
        int64_t end;

        if ((kind != PS_SLICE_ANNOTATION && kind != PS_SLICE_NVTX) ||
            !ps_annotation_is_step(ps_trace_text(reader->db, name), reader->name) ||
            __builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i), &end) ||
            end <= start)
            continue;
        PS_RESERVE_ONE(out->items, out->n, out->cap);
        out->items[out->n++] = (struct ps_chosen_step){{start, end}, worker, name};
    }
    return true;
}

static int by_worker_and_start(const void *a, const void *b)
{
    const struct ps_chosen_step *x = a, *y = b;

    if (x->worker != y->worker)
        return x->worker < y->worker ? -1 : 1;
    if (x->time.start != y->time.start)
        return x->time.start < y->time.start ? -1 : 1;
    return (x->time.end < y->time.end) - (x->time.end > y->time.end);
}

/* Whether at least half of a range that begins later is in `step`. Ranges that follow each other
 * can overlap by the rounding of their times. */
static bool contains_half(const struct ps_chosen_step *step, const struct ps_chosen_step *later)
{
    return step->worker == later->worker && later->time.start < step->time.end &&
           later->time.end - step->time.end <= step->time.end - later->time.start;
}

/* Drops ranges that are in another one, and extends each to the next one of its worker. */
static void join_passes(struct ps_chosen_steps *steps)
{
    size_t n = 0;

    for (size_t i = 0; i < steps->n; i++) {
        const struct ps_chosen_step step = steps->items[i];

        if (n && contains_half(&steps->items[n - 1], &step))
            continue;
        steps->items[n++] = step;
    }
    steps->n = n;
    for (size_t i = 1; i < n; i++)
        if (steps->items[i].worker == steps->items[i - 1].worker)
            steps->items[i - 1].time.end = steps->items[i].time.start;
}

enum ps_status ps_chosen_steps_read(struct ps_db *db, const struct ps_track_owners *owners,
                                    const char *name, struct ps_chosen_steps *out,
                                    struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_THREAD,
        .slice_kinds = 1u << PS_SLICE_ANNOTATION | 1u << PS_SLICE_NVTX,
        .range = PS_RANGE_ALL,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND),
    };
    struct reader reader = {db, owners, name, out};

    *out = (struct ps_chosen_steps){.n = 0};
    if (err->code != PS_OK || ps_trace_each_chunk(db, &query, visit_ranges, &reader, err) != PS_OK)
        return err->code;
    if (!out->n)
        return ps_fail(err, PS_BAD_REQUEST, "no annotation or NVTX range has the name %s", name);
    qsort(out->items, out->n, sizeof *out->items, by_worker_and_start);
    join_passes(out);
    return PS_OK;
}

void ps_chosen_steps_add_times(const struct ps_chosen_steps *steps, struct ps_step_times *out)
{
    for (size_t i = 0; i < steps->n; i++) {
        ps_intervals_add(&out->host, steps->items[i].time.start, steps->items[i].time.end);
        ps_intervals_add(&out->device, steps->items[i].time.start, steps->items[i].time.end);
    }
    ps_intervals_join(&out->host);
    ps_intervals_join(&out->device);
}

void ps_chosen_steps_free(struct ps_chosen_steps *steps)
{
    free(steps->items);
    *steps = (struct ps_chosen_steps){.n = 0};
}
