/* SPDX-License-Identifier: MIT */
#include "importers/stacks/stacks.h"

#include <stdlib.h>

uint32_t st_frame(struct st_stacks *stacks, struct ps_str name)
{
    return ps_intern_id(&stacks->frames, name);
}

uint32_t st_process(struct st_stacks *stacks, struct ps_str pid, struct ps_str name)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    uint32_t id;

    ps_buf_str(&key, pid);
    ps_buf_add(&key, "", 1);
    ps_buf_str(&key, name);
    id = ps_intern_id(&stacks->process_keys, ps_buf_slice(&key));
    if (id == stacks->n_processes) {
        PS_PUSH_ROOM(stacks->processes, stacks->n_processes, stacks->cap_processes);
        stacks->processes[stacks->n_processes++] = (struct st_process){
            ps_arena_copy(&stacks->text, pid), ps_arena_copy(&stacks->text, name)};
    }
    return id + 1;
}

enum ps_status st_track(struct st_stacks *stacks, uint32_t process, struct ps_str name,
                        struct ps_str tid, uint32_t *out, struct ps_err *err)
{
    if (stacks->n_tracks >= ST_TRACKS_MAX)
        return ps_fail(err, PS_LIMIT, "the file has more than %d threads", ST_TRACKS_MAX);
    PS_PUSH_ROOM(stacks->tracks, stacks->n_tracks, stacks->cap_tracks);
    *out = stacks->n_tracks;
    stacks->tracks[stacks->n_tracks++] = (struct st_track){
        .process = process,
        .name = ps_arena_copy(&stacks->text, name),
        .tid = ps_arena_copy(&stacks->text, tid),
    };
    return PS_OK;
}

/* Appends frames. Capacity grows by half, not double, because the arrays become large. */
static void add_frames(struct st_track *track, const uint32_t *frames, uint32_t n)
{
    while (track->cap_frames - track->n_frames < n) {
        track->cap_frames += track->cap_frames / 2 + 64;
        track->frames = ps_grow(track->frames, track->cap_frames, sizeof *track->frames);
    }
    if (n)
        memcpy(track->frames + track->n_frames, frames, n * sizeof *frames);
    track->n_frames += n;
}

/* Adds a step: the stack is cut to `kept` frames, then n frames are added. */
static void add_step(struct st_track *track, uint32_t kept, const uint32_t *frames, uint32_t n)
{
    PS_PUSH_ROOM(track->steps, track->n_steps, track->cap_steps);
    track->steps[track->n_steps++] = (struct st_step){.kept = (uint16_t)kept, .fresh = (uint16_t)n};
    add_frames(track, frames, n);
    if (kept + n > track->cap_open) {
        track->cap_open = kept + n + 64;
        track->open = ps_grow(track->open, track->cap_open, sizeof *track->open);
    }
    if (n)
        memcpy(track->open + kept, frames, n * sizeof *frames);
    track->n_open = kept + n;
    if (track->n_open > track->deepest)
        track->deepest = track->n_open;
}

static uint32_t shared(const struct st_track *track, const uint32_t *frames, uint32_t n)
{
    uint32_t common = 0, most = n < track->n_open ? n : track->n_open;

    while (common < most && track->open[common] == frames[common])
        common++;
    return common;
}

static bool make_room(struct st_stacks *stacks, uint32_t frames, struct ps_err *err)
{
    if (stacks->rows + frames <= ST_ROWS_MAX)
        return true;
    ps_fail(err, PS_LIMIT, "a stack has more than %u different frames", ST_ROWS_MAX);
    return false;
}

enum ps_status st_push(struct st_stacks *stacks, uint32_t index, const uint32_t *frames, uint32_t n,
                       int64_t weight, struct ps_err *err)
{
    struct st_track *track = &stacks->tracks[index];
    uint32_t common;

    n = n < ST_DEEPEST ? n : ST_DEEPEST;
    common = shared(track, frames, n);
    if (__builtin_add_overflow(n ? stacks->weight : stacks->idle, weight,
                               n ? &stacks->weight : &stacks->idle) ||
        stacks->weight > INT64_MAX / 4 || stacks->idle > INT64_MAX / 4)
        return ps_fail(err, PS_LIMIT, "the sum of the weights exceeds 64 bits");
    if (!make_room(stacks, n - common, err))
        return err->code;
    if (common < n || n < track->n_open || !track->n_steps)
        add_step(track, common, n ? frames + common : NULL, n - common);
    track->steps[track->n_steps - 1].weight += weight;
    track->at += weight;
    stacks->rows += n - common;
    stacks->samples++;
    stacks->empty += n == 0;
    return PS_OK;
}

/* Extends the current stack to time `at`. */
static void last_until(struct st_track *track, int64_t at)
{
    if (at <= track->at)
        return;
    if (!track->n_steps)
        add_step(track, 0, NULL, 0);
    track->steps[track->n_steps - 1].weight += at - track->at;
    track->at = at;
}

enum ps_status st_begin(struct st_stacks *stacks, uint32_t index, uint32_t frame, int64_t at,
                        struct ps_err *err)
{
    struct st_track *track = &stacks->tracks[index];

    if (at > INT64_MAX / 4)
        return ps_fail(err, PS_LIMIT, "the times exceed 64 bits");
    if (!make_room(stacks, 1, err))
        return err->code;
    last_until(track, at);
    if (track->n_open < ST_DEEPEST) {
        if (!track->n_open)
            track->root_at = at;
        add_step(track, track->n_open, &frame, 1);
        stacks->rows++;
    } else {
        track->dropped++;
    }
    return PS_OK;
}

bool st_end_dropped(struct st_stacks *stacks, uint32_t index, int64_t at)
{
    struct st_track *track = &stacks->tracks[index];

    if (!track->dropped || at > INT64_MAX / 4)
        return false;
    last_until(track, at);
    track->dropped--;
    return true;
}

enum ps_status st_end(struct st_stacks *stacks, uint32_t index, uint32_t depth, int64_t at,
                      struct ps_err *err)
{
    struct st_track *track = &stacks->tracks[index];

    if (at > INT64_MAX / 4)
        return ps_fail(err, PS_LIMIT, "the times exceed 64 bits");
    last_until(track, at);
    if (depth == 0 && track->n_open &&
        (__builtin_add_overflow(stacks->weight, track->at - track->root_at, &stacks->weight) ||
         stacks->weight > INT64_MAX / 4))
        return ps_fail(err, PS_LIMIT, "the sum of the weights exceeds 64 bits");
    add_step(track, depth, NULL, 0);
    track->dropped = 0;
    return PS_OK;
}

uint32_t st_open_count(const struct st_stacks *stacks, uint32_t track)
{
    return stacks->tracks[track].n_open;
}

uint32_t st_open_frame(const struct st_stacks *stacks, uint32_t index, uint32_t depth)
{
    return stacks->tracks[index].open[depth];
}

uint64_t st_rename(struct st_stacks *stacks, const uint32_t *ids, size_t n)
{
    uint64_t others = 0;
    uint32_t other = 0;

    for (uint32_t t = 0; t < stacks->n_tracks; t++)
        for (uint32_t i = 0; i < stacks->tracks[t].n_frames; i++) {
            uint32_t *frame = &stacks->tracks[t].frames[i];

            if (*frame < n) {
                *frame = ids[*frame];
                continue;
            }
            if (!others++)
                other = st_frame(stacks, PS_STR("(unknown frame)"));
            *frame = other;
        }
    return others;
}

void st_free(struct st_stacks *stacks)
{
    for (uint32_t i = 0; i < stacks->n_tracks; i++) {
        struct st_track *track = &stacks->tracks[i];

        free(track->steps);
        free(track->frames);
        free(track->open);
    }
    free(stacks->tracks);
    free(stacks->processes);
    ps_intern_free(&stacks->frames);
    ps_intern_free(&stacks->process_keys);
    ps_arena_free(&stacks->text);
}
