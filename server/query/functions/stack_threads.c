/* SPDX-License-Identifier: MIT */
/*
 * stack_threads.c: the threads of a run of stacks: how much of their samples is in the selected
 * range, how much of that waits (stack_waits.h), and their activity over the complete run in bins.
 * The transforms have no influence.
 */
#include <stdlib.h>
#include <string.h>

#include "server/query/functions/stack_tree.h"
#include "server/query/functions/stack_waits.h"
#include "server/query/trace/parameters.h"
#include "server/query/trace/recording.h"
#include "server/query/trace/trace_json.h"

#define BINS_MAX   400
#define VALUES_MAX ((size_t)4 << 20) /* maximum of threads times bins */

struct thread {
    int64_t weight, waiting;
    int64_t *active; /* ns in each bin */
};

struct threads {
    struct ps_stack_waits waits;
    struct ps_range range, span;
    struct thread *items; /* by track id */
    size_t n;
    int64_t n_bins;
};

static void threads_free(struct threads *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->items[i].active);
    free(t->items);
    ps_stack_waits_free(&t->waits);
}

/* Begin of a bin in ns. */
static int64_t bin_start(const struct threads *t, int64_t bin)
{
    __int128 length = (__int128)t->span.to_ns - t->span.from_ns;

    return t->span.from_ns + (int64_t)(length * bin / t->n_bins);
}

static int64_t bin_at(const struct threads *t, int64_t ns)
{
    __int128 length = (__int128)t->span.to_ns - t->span.from_ns;
    int64_t bin = length > 0 ? (int64_t)(((__int128)ns - t->span.from_ns) * t->n_bins / length) : 0;

    bin = bin < 0 ? 0 : bin >= t->n_bins ? t->n_bins - 1 : bin;
    while (bin > 0 && bin_start(t, bin) > ns) /* both divisions round down */
        bin--;
    while (bin + 1 < t->n_bins && bin_start(t, bin + 1) <= ns)
        bin++;
    return bin;
}

static void add_active(const struct threads *t, struct thread *thread, int64_t start, int64_t end)
{
    if (!thread->active)
        thread->active = ps_alloc_array((size_t)t->n_bins, sizeof *thread->active);
    for (int64_t bin = bin_at(t, start); bin < t->n_bins && start < end; bin++) {
        int64_t bin_end = bin + 1 < t->n_bins ? bin_start(t, bin + 1) : end;
        int64_t part = (bin_end < end ? bin_end : end) - start;

        if (part <= 0)
            continue;
        thread->active[bin] = ps_add_saturated(thread->active[bin], part);
        start += part;
    }
}

static bool add_sample(void *user, const struct ps_path *sample)
{
    struct threads *t = user;
    struct thread *thread;
    bool is_waiting = ps_stack_is_waiting(&t->waits, sample);
    int64_t in_range = ps_stack_clip(&t->range, sample->start_ns, sample->weight);

    if (sample->track >= t->n)
        return true;
    thread = &t->items[sample->track];
    if (in_range > 0) {
        thread->weight = ps_add_saturated(thread->weight, in_range);
        thread->waiting = ps_add_saturated(thread->waiting, is_waiting ? in_range : 0);
    }
    if (!is_waiting)
        add_active(t, thread, sample->start_ns, sample->start_ns + sample->weight);
    return true;
}

/* Share of each bin that is active, in 255ths. A bin with any activity has at least 1. */
static void write_strips(const struct threads *t, const struct ps_track_row *tracks, size_t n,
                         struct ps_json *json)
{
    size_t bins = (size_t)t->n_bins;
    PS_AUTO(ps_free_ptr) int64_t *values = ps_alloc_array(n * bins + 1, sizeof *values);

    for (size_t i = 0; i < n; i++)
        for (size_t bin = 0; bin < bins && t->items[tracks[i].id].active; bin++) {
            int64_t end = bin + 1 < bins ? bin_start(t, (int64_t)bin + 1) : t->span.to_ns,
                    length = end - bin_start(t, (int64_t)bin),
                    active = t->items[tracks[i].id].active[bin];

            if (active > 0)
                values[i * bins + bin] =
                    length > active ? 1 + (int64_t)((__int128)active * 254 / length) : 255;
        }
    ps_json_ints(json, "activity", values, n * bins);
}

static void write_threads(const struct threads *t, const struct ps_track_row *tracks, size_t n,
                          struct ps_json *json)
{
    PS_AUTO(ps_ints_free) struct ps_ints ids = {0}, weights = {0}, waiting = {0}, idle = {0};

    for (size_t i = 0; i < n; i++) {
        const struct thread *thread = &t->items[tracks[i].id];

        ps_ints_add(&ids, tracks[i].id);
        ps_ints_add(&weights, thread->weight);
        ps_ints_add(&waiting, thread->waiting);
        ps_ints_add(&idle, (double)thread->waiting >= PS_STACK_IDLE_SHARE * (double)thread->weight);
    }
    ps_json_object(json);
    ps_json_key_int(json, "from_ns", t->span.from_ns);
    ps_json_key_int(json, "to_ns", t->span.to_ns);
    ps_json_key_int(json, "bins", t->n_bins);
    ps_json_ints(json, "ids", ids.items, n);
    ps_json_ints(json, "weight", weights.items, n);
    ps_json_ints(json, "waiting", waiting.items, n);
    ps_json_ints(json, "idle", idle.items, n);
    write_strips(t, tracks, n, json);
    ps_json_end(json);
}

/* Keeps the tracks that are selected, and makes *span what these cover: other sample types have
 * other units. */
static void keep_selected(const struct ps_stack_selection *part, struct ps_track_row *tracks,
                          size_t *n, struct ps_range *span)
{
    size_t n_kept = 0;

    *span = (struct ps_range){0, 0};
    for (size_t i = 0; i < *n && !part->has_no_tracks; i++)
        if (ps_track_set_has(&part->tracks, tracks[i].id)) {
            span->to_ns = tracks[i].end_ns > span->to_ns ? tracks[i].end_ns : span->to_ns;
            tracks[n_kept++] = tracks[i];
        }
    *n = n_kept;
}

enum ps_status ps_view_stack_threads(struct ps_db *db, const struct ps_view *view, int64_t id,
                                     struct ps_params params, struct ps_answer *answer,
                                     struct ps_err *err)
{
    PS_AUTO(ps_stack_frames_free) struct ps_stack_frames frames = {0};
    PS_AUTO(threads_free) struct threads t = {.items = NULL};
    PS_AUTO(ps_stack_selection_free) struct ps_stack_selection part = {.scale = 1};
    const struct ps_stack_transforms none = {.n = 0};
    struct ps_json json = ps_json_writer(&answer->body);
    PS_AUTO(ps_free_ptr) struct ps_track_row *tracks = NULL;
    const struct ps_track_row *all_tracks = NULL;
    size_t n_tracks = 0;

    (void)view, (void)id;
    ps_param_range(params, &t.range, err);
    ps_param_int(params, "bins", 1, BINS_MAX, 100, &t.n_bins, err);
    ps_trace_span(db, &t.span, err);
    ps_stack_selection_read(db, params, &part, err);
    part.range = PS_RANGE_ALL;
    ps_trace_get_tracks(db, &all_tracks, &n_tracks, err);
    if (ps_stack_frames_read(db, (struct ps_params){NULL, 0}, &frames, err) != PS_OK)
        return err->code;
    if (n_tracks > VALUES_MAX / (size_t)t.n_bins)
        return ps_fail(err, PS_LIMIT, "more than %zu threads: choose a smaller bins",
                       VALUES_MAX / (size_t)t.n_bins);
    tracks = ps_grow(NULL, n_tracks + 1, sizeof *tracks);
    memcpy(tracks, all_tracks, n_tracks * sizeof *tracks);
    if (part.sample_type)
        keep_selected(&part, tracks, &n_tracks, &t.span);
    for (size_t i = 0; i < n_tracks; i++)
        if (!ps_try_grow_to(&t.items, &t.n, tracks[i].id, sizeof *t.items))
            return ps_fail_memory(err, "the threads");
    ps_stack_waits_init(&t.waits, db, &frames);
    if (ps_stack_samples_each(db, &part, &frames, &none, add_sample, &t, NULL, err) == PS_OK)
        write_threads(&t, tracks, n_tracks, &json);
    return err->code;
}
