/* SPDX-License-Identifier: MIT */
#include "importers/serving/join.h"

#include <stdlib.h>

#include "slices/intervals.h"

enum { OVERLAPS_MAX = 1000 }; /* steps of one file that are compared with a step of another */

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
        for (size_t k = at; k < a->n && k - at < OVERLAPS_MAX &&
                            run->steps[a->steps[k]].row.start_ns <= step->end_ns;
             k++)
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

/* --- Offsets --- */

struct bounds {
    int64_t low, high; /* of the offset */
};

/* An annotation begins before the step that the log measures, and ends after it. */
static struct bounds bounds_of_steps(const struct sv_run *run, const struct list *trace,
                                     const struct list *log, const size_t *matches)
{
    struct bounds bounds = {INT64_MIN, INT64_MAX};

    for (size_t i = 0; i < log->n; i++) {
        const struct ps_engine_step *inner = &run->steps[log->steps[i]].row, *outer;

        if (matches[i] == SV_NO_MATCH)
            continue;
        outer = &run->steps[trace->steps[matches[i]]].row;
        if (outer->start_ns - inner->start_ns > bounds.low)
            bounds.low = outer->start_ns - inner->start_ns;
        if (outer->end_ns - inner->end_ns < bounds.high)
            bounds.high = outer->end_ns - inner->end_ns;
    }
    return bounds;
}

/* The median of the differences between the starts of the same steps; *error: the greatest
 * distance from it. */
static int64_t median_offset(const struct sv_run *run, const struct list *a, const struct list *b,
                             const size_t *matches, int64_t *error)
{
    PS_AUTO(ps_free_ptr) int64_t *differences = ps_alloc_array(b->n + 1, sizeof *differences);
    size_t n = 0;
    int64_t median;

    for (size_t i = 0; i < b->n; i++)
        if (matches[i] != SV_NO_MATCH)
            differences[n++] = run->steps[a->steps[matches[i]]].row.start_ns -
                               run->steps[b->steps[i]].row.start_ns;
    ps_sort_records(differences, n, sizeof *differences);
    median = differences[n / 2];
    *error = differences[n - 1] - median;
    if (median - differences[0] > *error)
        *error = median - differences[0];
    return median;
}

/* Sets the offset of the clock of b, and shifts its times to the clock of a. */
static void set_offset(struct sv_run *run, const struct list *a, const struct list *b,
                       const size_t *matches)
{
    struct ps_serving_file *row = &run->files[b->file].row;
    struct bounds bounds = {1, 0};

    if (run->files[a->file].row.role == PS_SERVING_TRACE)
        bounds = bounds_of_steps(run, a, b, matches);
    if (bounds.low <= bounds.high) {
        row->error_ns = (bounds.high - bounds.low) / 2;
        row->offset_ns = bounds.low + row->error_ns;
    } else {
        row->offset_ns = median_offset(run, a, b, matches, &row->error_ns);
    }
    sv_shift_file(run, b->file, row->offset_ns);
}

/* Finds the steps of b among those of a. Returns how many are the same. */
static size_t match_steps(struct sv_run *run, const struct list *a, const struct list *b,
                          size_t *matches)
{
    struct ps_serving_file *row = &run->files[b->file].row;
    const bool both_unix =
        run->files[a->file].clock == SV_CLOCK_UNIX && run->files[b->file].clock == SV_CLOCK_UNIX;

    if (both_unix) {
        row->n_pairs = match_times(run, a, b, matches);
        if (row->n_pairs * 2 > (a->n < b->n ? a->n : b->n))
            return row->n_pairs;
    }
    row->n_pairs = sv_match_order(a->keys, a->n, b->keys, b->n, matches);
    if (row->n_pairs) {
        row->method = PS_CLOCK_NAMES;
        if (has_times(run, a->file) && has_times(run, b->file))
            set_offset(run, a, b, matches);
    } else if (!both_unix) {
        row->method = PS_CLOCK_UNKNOWN;
        row->offset_ns = PS_TIME_UNKNOWN;
    }
    return row->n_pairs;
}

/* --- Merging --- */

static void take_count(int64_t *to, int64_t from)
{
    if (*to == PS_COUNT_UNKNOWN)
        *to = from;
}

/* Adds what the step `from` says to the same step `to`. A log knows the times of its steps better
 * than a trace, whose annotations are around them. */
static void merge_step(const struct sv_run *run, struct sv_step *to, const struct sv_step *from)
{
    const struct sv_file *a = &run->files[to->file], *b = &run->files[from->file];

    if (a->row.role == PS_SERVING_TRACE && b->row.role == PS_SERVING_ENGINE &&
        b->clock != SV_CLOCK_NONE) {
        to->row.start_ns = from->row.start_ns;
        to->row.end_ns = from->row.end_ns;
        to->file = from->file;
    }
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

static void note_unmatched(const struct sv_run *run, const struct list *a, const struct list *b,
                           size_t n)
{
    const struct ps_str one = run->files[a->file].row.name, other = run->files[b->file].row.name;

    if (n == 0 && run->files[b->file].clock == SV_CLOCK_UNIX)
        ps_sink_note(run->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "%.*s: none of its steps is one of %.*s", (int)other.len, other.ptr,
                     (int)one.len, one.ptr);
    else if (run->files[b->file].clock != SV_CLOCK_UNIX && n < b->n)
        ps_sink_note(run->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "%.*s: %zu of %zu steps left out, since %.*s has no such steps in this order "
                     "that would give them a time",
                     (int)other.len, other.ptr, b->n - n, b->n, (int)one.len, one.ptr);
}

static void join_list(struct sv_run *run, const struct list *a, const struct list *b,
                      bool *is_removed)
{
    PS_AUTO(ps_free_ptr) size_t *matches = ps_alloc_array(b->n + 1, sizeof *matches);
    const size_t n = match_steps(run, a, b, matches);
    const bool stays =
        has_times(run, b->file) && run->files[b->file].row.offset_ns != PS_TIME_UNKNOWN;

    for (size_t i = 0; i < b->n; i++) {
        const bool is_same = n && matches[i] != SV_NO_MATCH;

        if (is_same)
            merge_step(run, &run->steps[a->steps[matches[i]]], &run->steps[b->steps[i]]);
        is_removed[b->steps[i]] = is_same || !stays;
    }
    note_unmatched(run, a, b, n);
}

/* Which file gives the run its clock: the trace, else a log with times, else any. */
static int rank_of(const struct sv_file *file)
{
    if (file->row.role == PS_SERVING_TRACE)
        return 3;
    return file->clock == SV_CLOCK_UNIX ? 2 : file->clock == SV_CLOCK_OWN;
}

/* Removes the marked steps, and puts the others into the order of their start. */
static void order_steps(struct sv_run *run, const bool *is_removed)
{
    PS_AUTO(ps_free_ptr)
    struct place {
        int64_t start_ns; /* first member, the sort key */
        int64_t index;
    } *places = ps_alloc_array(run->n_steps + 1, sizeof *places);
    struct sv_step *ordered = ps_alloc_array(run->n_steps + 1, sizeof *ordered);
    size_t n = 0;

    for (size_t i = 0; i < run->n_steps; i++)
        if (!is_removed[i])
            places[n++] = (struct place){run->steps[i].row.start_ns, (int64_t)i};
    ps_sort_records(places, n, sizeof *places);
    for (size_t i = 0; i < n; i++)
        ordered[i] = run->steps[places[i].index];
    free(run->steps);
    run->steps = ordered;
    run->n_steps = n;
    run->cap_steps = n;
}

/* The file to which the steps of the others are compared. False: no file has steps. */
static bool find_base(const struct sv_run *run, uint32_t *base)
{
    bool found = false;

    for (uint32_t i = 0; i < run->n_files; i++) {
        struct list list = list_steps(run, i);

        if (list.n && (!found || rank_of(&run->files[i]) > rank_of(&run->files[*base]))) {
            *base = i;
            found = true;
        }
        free_list(&list);
    }
    return found;
}

static bool has_requests_in_time(const struct sv_run *run)
{
    for (size_t i = 0; i < run->n_requests; i++)
        if (run->requests[i].row.start_ns != PS_TIME_UNKNOWN)
            return true;
    return false;
}

/* Steps of a log without times have places of their own only as long as nothing else has one. */
static void check_timeless(struct sv_run *run, const struct list *base, bool *is_removed)
{
    const struct ps_str name = run->files[base->file].row.name;

    if (has_times(run, base->file))
        return;
    if (!has_requests_in_time(run)) {
        ps_sink_note(run->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "the log has no exact times: its steps are placed one after the other");
        return;
    }
    for (size_t i = 0; i < base->n; i++)
        is_removed[base->steps[i]] = true;
    ps_sink_note(run->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                 "%.*s: %zu steps left out, since the log has no exact times; a trace of the same "
                 "run would give them",
                 (int)name.len, name.ptr, base->n);
}

void sv_join_steps(struct sv_run *run)
{
    PS_AUTO(ps_free_ptr) bool *is_removed = ps_alloc(run->n_steps + 1);
    uint32_t base = 0;
    struct list a;

    if (!find_base(run, &base))
        return;
    a = list_steps(run, base);
    check_timeless(run, &a, is_removed);
    for (uint32_t i = 0; i < run->n_files; i++) {
        struct list b = {.file = i};

        if (i != base)
            b = list_steps(run, i);
        if (b.n)
            join_list(run, &a, &b, is_removed);
        free_list(&b);
    }
    free_list(&a);
    order_steps(run, is_removed);
}
