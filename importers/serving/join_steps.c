/* SPDX-License-Identifier: MIT */
#include "importers/serving/join.h"

#include <stdlib.h>

#include "slices/intervals.h"

/* The steps of a file: indices in sv_run.steps, in the order of the file. */
struct list {
    uint32_t file;
    size_t *steps;
    uint64_t *keys; /* what the step computes, by index in `steps` */
    size_t n;
};

static uint64_t mix(uint64_t hash, int64_t value)
{
    hash ^= (uint64_t)value;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

/* A key that is equal for steps that compute the same. */
static uint64_t key_of(const struct ps_engine_step *step)
{
    uint64_t key = mix(1, step->context_requests);

    key = mix(key, step->context_tokens);
    key = mix(key, step->generation_requests);
    return mix(key, step->generation_tokens) >> 1; /* not negative as an int64_t */
}

static struct list list_steps(const struct sv_run *run, uint32_t file)
{
    struct list list = {.file = file};

    for (size_t i = 0; i < run->n_steps; i++)
        list.n += run->steps[i].file == file;
    list.steps = ps_alloc_array(list.n + 1, sizeof *list.steps);
    list.keys = ps_alloc_array(list.n + 1, sizeof *list.keys);
    list.n = 0;
    for (size_t i = 0; i < run->n_steps; i++)
        if (run->steps[i].file == file) {
            list.keys[list.n] = key_of(&run->steps[i].row);
            list.steps[list.n++] = i;
        }
    return list;
}

static void free_list(struct list *list)
{
    free(list->steps);
    free(list->keys);
}

/* --- Matching --- */

static int64_t overlap(const struct ps_engine_step *a, const struct ps_engine_step *b)
{
    const int64_t start = a->start_ns > b->start_ns ? a->start_ns : b->start_ns;
    const int64_t end = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;

    return end - start;
}

/* Finds for each step of b the step of a that overlaps it most and computes the same. Steps of an
 * engine follow each other. */
static size_t match_times(const struct sv_run *run, const struct list *a, const struct list *b,
                          size_t *matches)
{
    size_t at = 0, n = 0;

    for (size_t i = 0; i < b->n; i++) {
        const struct ps_engine_step *step = &run->steps[b->steps[i]].row;
        int64_t most = 0;

        matches[i] = SV_NO_MATCH;
        while (at < a->n && run->steps[a->steps[at]].row.end_ns < step->start_ns)
            at++;
        for (size_t k = at; k < a->n && run->steps[a->steps[k]].row.start_ns <= step->end_ns; k++)
            if (a->keys[k] == b->keys[i] && overlap(&run->steps[a->steps[k]].row, step) >= most) {
                most = overlap(&run->steps[a->steps[k]].row, step);
                matches[i] = k;
            }
        n += matches[i] != SV_NO_MATCH;
    }
    return n;
}

static bool has_times(const struct sv_run *run, uint32_t file)
{
    return run->files[file].clock != SV_CLOCK_NONE;
}

/* The median of the differences between the starts of the same steps becomes the offset of b, and
 * the greatest distance from it the bound of its error. */
static void set_offset(struct sv_run *run, const struct list *a, const struct list *b,
                       const size_t *matches, size_t n)
{
    struct ps_serving_file *row = &run->files[b->file].row;
    PS_AUTO(ps_free_ptr) int64_t *differences = ps_alloc_array(n + 1, sizeof *differences);
    size_t k = 0;

    for (size_t i = 0; i < b->n; i++)
        if (matches[i] != SV_NO_MATCH)
            differences[k++] = run->steps[a->steps[matches[i]]].row.start_ns -
                               run->steps[b->steps[i]].row.start_ns;
    ps_sort_records(differences, n, sizeof *differences);
    row->offset_ns = differences[n / 2];
    row->error_ns = differences[n - 1] - differences[n / 2];
    if (differences[n / 2] - differences[0] > row->error_ns)
        row->error_ns = differences[n / 2] - differences[0];
}

/* Finds the steps of b among those of a. Returns how many are the same. */
static size_t match_steps(struct sv_run *run, const struct list *a, const struct list *b,
                          size_t *matches)
{
    struct ps_serving_file *row = &run->files[b->file].row;
    const bool both_unix =
        run->files[a->file].clock == SV_CLOCK_UNIX && run->files[b->file].clock == SV_CLOCK_UNIX;
    size_t n = 0;

    if (both_unix)
        n = match_times(run, a, b, matches);
    if (n * 2 > (a->n < b->n ? a->n : b->n)) {
        row->n_pairs = n;
        return n;
    }
    n = sv_match_order(a->keys, a->n, b->keys, b->n, matches);
    if (!n)
        return 0;
    row->n_pairs = n;
    row->method = PS_CLOCK_NAMES;
    if (has_times(run, a->file) && has_times(run, b->file))
        set_offset(run, a, b, matches, n);
    return n;
}

/* --- Merging --- */

static void take_count(int64_t *to, int64_t from)
{
    if (*to == PS_COUNT_UNKNOWN)
        *to = from;
}

/* Adds what the step `from` says to the same step `to`. */
static void merge_step(struct sv_step *to, const struct sv_step *from)
{
    take_count(&to->row.number, from->row.number);
    take_count(&to->row.running, from->row.running);
    take_count(&to->row.waiting, from->row.waiting);
    if (!to->row.name.len)
        to->row.name = from->row.name;
    if (!to->row.step)
        to->row.step = from->row.step;
    if (!to->n_served) {
        to->first_served = from->first_served;
        to->n_served = from->n_served;
    }
}

/* Removes the steps that are marked, in the order of the list. */
static void remove_steps(struct sv_run *run, const bool *is_removed)
{
    size_t n = 0;

    for (size_t i = 0; i < run->n_steps; i++)
        if (!is_removed[i])
            run->steps[n++] = run->steps[i];
    run->n_steps = n;
}

static void join_list(struct sv_run *run, const struct list *a, const struct list *b,
                      bool *is_removed)
{
    PS_AUTO(ps_free_ptr) size_t *matches = ps_alloc_array(b->n + 1, sizeof *matches);
    const struct ps_serving_file *row = &run->files[b->file].row;
    const size_t n = match_steps(run, a, b, matches);
    const bool is_timeless = !has_times(run, b->file);

    for (size_t i = 0; i < b->n; i++) {
        if (n && matches[i] != SV_NO_MATCH)
            merge_step(&run->steps[a->steps[matches[i]]], &run->steps[b->steps[i]]);
        is_removed[b->steps[i]] = (n && matches[i] != SV_NO_MATCH) || is_timeless;
    }
    if (!n && !is_timeless)
        ps_sink_note(run->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "%.*s: none of its steps is one of %.*s", (int)row->name.len, row->name.ptr,
                     (int)run->files[a->file].row.name.len, run->files[a->file].row.name.ptr);
    else if (is_timeless && n < b->n)
        ps_sink_note(run->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "%.*s: %zu of %zu steps left out: it has no times, and %.*s has no such steps "
                     "in this order",
                     (int)row->name.len, row->name.ptr, b->n - n, b->n,
                     (int)run->files[a->file].row.name.len, run->files[a->file].row.name.ptr);
}

/* Which file gives the steps their times: a log with times, else the trace, else a log. */
static int rank_of(const struct sv_file *file)
{
    if (file->row.role == PS_SERVING_ENGINE && file->clock != SV_CLOCK_NONE)
        return 3;
    return file->row.role == PS_SERVING_TRACE ? 2 : 1;
}

void sv_join_steps(struct sv_run *run)
{
    PS_AUTO(ps_free_ptr) bool *is_removed = ps_alloc(run->n_steps + 1);
    uint32_t base = 0;
    size_t n_best = 0;
    struct list a;

    for (uint32_t i = 0; i < run->n_files; i++) {
        struct list list = list_steps(run, i);

        if (list.n && (!n_best || rank_of(&run->files[i]) > rank_of(&run->files[base]))) {
            base = i;
            n_best = list.n;
        }
        free_list(&list);
    }
    if (!n_best)
        return;
    a = list_steps(run, base);
    for (uint32_t i = 0; i < run->n_files; i++) {
        struct list b = list_steps(run, i);

        if (i != base && b.n)
            join_list(run, &a, &b, is_removed);
        free_list(&b);
    }
    free_list(&a);
    remove_steps(run, is_removed);
}
