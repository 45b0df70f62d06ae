/* SPDX-License-Identifier: MIT */
#include "importers/stacks/stacks.h"

#include <stdio.h>
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

static void widen(struct st_track *track)
{
    track->cap = track->cap ? track->cap * 2 : 64;
    track->start = ps_grow(track->start, track->cap, sizeof *track->start);
    track->duration = ps_grow(track->duration, track->cap, sizeof *track->duration);
    track->self = ps_grow(track->self, track->cap, sizeof *track->self);
    track->name_id = ps_grow(track->name_id, track->cap, sizeof *track->name_id);
    track->depth = ps_grow(track->depth, track->cap, sizeof *track->depth);
}

static void open_frame(struct st_track *track, uint32_t frame)
{
    uint32_t row = track->n;

    if (row == track->cap)
        widen(track);
    PS_PUSH_ROOM(track->open, track->n_open, track->cap_open);
    track->start[row] = track->at;
    track->duration[row] = 0;
    track->self[row] = 0;
    track->name_id[row] = frame + 1;
    track->depth[row] = (uint16_t)track->n_open;
    track->open[track->n_open++] = row;
    track->n++;
    if (track->n_open > track->deepest)
        track->deepest = track->n_open;
}

/* What is open below `depth` ends here. Self is what the children leave. */
static void close_to(struct st_track *track, uint32_t depth)
{
    while (track->n_open > depth) {
        uint32_t row = track->open[--track->n_open];
        int64_t duration = track->at - track->start[row];

        track->duration[row] = duration;
        track->self[row] += duration;
        if (track->n_open)
            track->self[track->open[track->n_open - 1]] -= duration;
    }
}

static uint32_t shared(const struct st_track *track, const uint32_t *frames, uint32_t n)
{
    uint32_t common = 0;

    while (common < n && common < track->n_open &&
           track->name_id[track->open[common]] == frames[common] + 1)
        common++;
    return common;
}

static bool make_room(struct st_stacks *stacks, uint32_t frames, struct ps_err *err)
{
    if (stacks->rows + frames <= ST_ROWS_MAX)
        return true;
    ps_fail(err, PS_LIMIT, "more than %u different frames one behind the other", ST_ROWS_MAX);
    return false;
}

enum ps_status st_push(struct st_stacks *stacks, uint32_t index, const uint32_t *frames, uint32_t n,
                       int64_t weight, struct ps_err *err)
{
    struct st_track *track = &stacks->tracks[index];
    uint32_t common;

    n = n < ST_DEEPEST ? n : ST_DEEPEST;
    common = shared(track, frames, n);
    if (__builtin_add_overflow(stacks->weight, weight, &stacks->weight) ||
        stacks->weight > INT64_MAX / 4)
        return ps_fail(err, PS_LIMIT, "the weights sum to more than can be counted");
    if (!make_room(stacks, n - common, err))
        return err->code;
    close_to(track, common);
    for (uint32_t i = common; i < n; i++)
        open_frame(track, frames[i]);
    stacks->rows += n - common;
    stacks->samples++;
    stacks->idle += n ? 0 : weight;
    track->at += weight;
    return PS_OK;
}

enum ps_status st_begin(struct st_stacks *stacks, uint32_t index, uint32_t frame, int64_t at,
                        struct ps_err *err)
{
    struct st_track *track = &stacks->tracks[index];

    if (at > INT64_MAX / 4)
        return ps_fail(err, PS_LIMIT, "the times are beyond what can be counted");
    if (!make_room(stacks, 1, err))
        return err->code;
    track->at = at > track->at ? at : track->at;
    stacks->rows++;
    if (track->n_open < ST_DEEPEST)
        open_frame(track, frame);
    return PS_OK;
}

enum ps_status st_end(struct st_stacks *stacks, uint32_t index, uint32_t depth, int64_t at,
                      struct ps_err *err)
{
    struct st_track *track = &stacks->tracks[index];
    int64_t from;

    if (at > INT64_MAX / 4)
        return ps_fail(err, PS_LIMIT, "the times are beyond what can be counted");
    track->at = at > track->at ? at : track->at;
    if (depth == 0 && track->n_open) {
        from = track->start[track->open[0]];
        if (__builtin_add_overflow(stacks->weight, track->at - from, &stacks->weight) ||
            stacks->weight > INT64_MAX / 4)
            return ps_fail(err, PS_LIMIT, "the weights sum to more than can be counted");
    }
    close_to(track, depth);
    return PS_OK;
}

uint32_t st_open_count(const struct st_stacks *stacks, uint32_t track)
{
    return stacks->tracks[track].n_open;
}

uint32_t st_open_frame(const struct st_stacks *stacks, uint32_t index, uint32_t depth)
{
    const struct st_track *track = &stacks->tracks[index];

    return track->name_id[track->open[depth]] - 1;
}

uint64_t st_rename(struct st_stacks *stacks, const uint32_t *ids, size_t n)
{
    uint64_t others = 0;
    uint32_t other = 0;

    for (uint32_t t = 0; t < stacks->n_tracks; t++)
        for (uint32_t row = 0; row < stacks->tracks[t].n; row++) {
            uint32_t *name = &stacks->tracks[t].name_id[row];

            if (*name - 1 < n) {
                *name = ids[*name - 1] + 1;
                continue;
            }
            if (!others++)
                other = st_frame(stacks, PS_STR("(frame that the file does not list)"));
            *name = other + 1;
        }
    return others;
}

void st_free(struct st_stacks *stacks)
{
    for (uint32_t i = 0; i < stacks->n_tracks; i++) {
        struct st_track *track = &stacks->tracks[i];

        free(track->start);
        free(track->duration);
        free(track->self);
        free(track->name_id);
        free(track->depth);
        free(track->open);
    }
    free(stacks->tracks);
    free(stacks->processes);
    ps_intern_free(&stacks->frames);
    ps_intern_free(&stacks->process_keys);
    ps_arena_free(&stacks->text);
}

/* ------------------------------------------------------------------ what is given */

/* Columns of a chunk in the making. */
struct emitter {
    struct st_stacks *stacks;
    uint8_t *family; /* by text id */
    int64_t *column[PS_N_SLICE_COLUMNS];
    uint32_t *last; /* by depth: the row that is open there */
};

static const uint8_t made_columns[] = {PS_COL_START, PS_COL_DURATION, PS_COL_SELF,  PS_COL_PARENT,
                                       PS_COL_DEPTH, PS_COL_NAME,     PS_COL_FAMILY};

/* Weights without fractions need no thousandths. */
static int64_t divisor(const struct st_stacks *stacks)
{
    return stacks->unit == ST_TIME || stacks->fractions ? 1 : ST_SCALE;
}

static void fill_row(struct emitter *e, const struct st_track *track, uint32_t row, uint32_t i)
{
    uint16_t depth = track->depth[row];
    int64_t by = divisor(e->stacks);

    e->last[depth] = row;
    e->column[PS_COL_START][i] = track->start[row] / by;
    e->column[PS_COL_DURATION][i] = track->duration[row] / by;
    e->column[PS_COL_SELF][i] = track->self[row] / by;
    e->column[PS_COL_PARENT][i] = depth ? row - e->last[depth - 1] : 0;
    e->column[PS_COL_DEPTH][i] = depth;
    e->column[PS_COL_NAME][i] = track->name_id[row];
    e->column[PS_COL_FAMILY][i] = e->family[track->name_id[row]];
}

static uint32_t give_chunk(struct emitter *e, const struct st_track *track, uint32_t id,
                           uint32_t first)
{
    struct ps_chunk chunk = {.track = id, .track_kind = PS_TRACK_THREAD, .first = first};

    chunk.n = track->n - first < PS_CHUNK_ROWS ? track->n - first : PS_CHUNK_ROWS;
    for (uint32_t i = 0; i < chunk.n; i++) {
        int64_t end;

        fill_row(e, track, first + i, i);
        end = e->column[PS_COL_START][i] + e->column[PS_COL_DURATION][i];
        chunk.end_ns = end > chunk.end_ns ? end : chunk.end_ns;
    }
    chunk.start_ns = e->column[PS_COL_START][0];
    for (size_t c = 0; c < sizeof made_columns; c++)
        chunk.column[made_columns[c]] = e->column[made_columns[c]];
    e->stacks->out->ops->slices(e->stacks->out, &chunk);
    return first + chunk.n;
}

static void give_track(struct emitter *e, uint32_t index)
{
    struct st_track *track = &e->stacks->tracks[index];
    struct ps_sink *out = e->stacks->out;
    struct ps_track given = {.id = index + 1,
                             .process = track->process,
                             .kind = PS_TRACK_THREAD,
                             .name = track->name,
                             .tid = track->tid,
                             .device = -1,
                             .stream = -1,
                             .sort = index,
                             .slices = track->n,
                             .depth = track->deepest,
                             .end_ns = track->at / divisor(e->stacks)};

    out->ops->track(out, &given);
    for (uint32_t first = 0; first < track->n && ps_sink_ok(out);)
        first = give_chunk(e, track, index + 1, first);
}

static void give_names(struct emitter *e)
{
    struct st_stacks *stacks = e->stacks;

    for (uint32_t i = 0; i < stacks->frames.count && ps_sink_ok(stacks->out); i++) {
        struct ps_trace_text text = {.id = i + 1, .text = stacks->frames.items[i]};

        e->family[i + 1] = (uint8_t)st_family(text.text);
        stacks->initialisers += ps_str_starts(text.text, PS_STR("_GLOBAL__sub_I_"));
        stacks->out->ops->text(stacks->out, &text);
    }
    for (uint32_t i = 0; i < stacks->n_processes; i++) {
        struct ps_process process = {.id = i + 1,
                                     .pid = stacks->processes[i].pid,
                                     .name = stacks->processes[i].name,
                                     .labels = PS_STR(""),
                                     .sort = i,
                                     .device = -1};

        stacks->out->ops->process(stacks->out, &process);
    }
}

static int64_t span(const struct st_stacks *stacks)
{
    int64_t most = 0;

    for (uint32_t i = 0; i < stacks->n_tracks; i++)
        most = stacks->tracks[i].at > most ? stacks->tracks[i].at : most;
    return most / divisor(stacks);
}

static void give_figures(const struct st_stacks *stacks)
{
    static const char *const nothing[] = {"origin_us", "devices", "kernels",    "torch", "shapes",
                                          "stacks",    "memory",  "peak_bytes", "flops", "steps"};
    int64_t by = divisor(stacks);
    const struct {
        const char *key;
        int64_t value;
    } figures[] = {
        {"events", (int64_t)stacks->samples},
        {"slices", (int64_t)stacks->rows},
        {"tracks", stacks->n_tracks},
        {"processes", stacks->n_processes},
        {"span_ns", span(stacks)},
        {"workers", 1},
        {"samples", (int64_t)stacks->samples},
        {"frames", stacks->frames.count},
        {"initialisers", stacks->initialisers},
        {"weight", stacks->weight / by},
        {"idle", stacks->idle / by},
        {"value_scale", stacks->unit != ST_TIME && stacks->fractions ? ST_SCALE : 1},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        stacks->out->ops->number(stacks->out, figures[i].key, ps_int(figures[i].value));
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        stacks->out->ops->number(stacks->out, nothing[i], ps_int(0));
}

static void give_headline(const struct st_stacks *stacks)
{
    static const struct {
        const char *unit, *label;
        double by;
    } words[] = {
        [ST_SAMPLES] = {"samples", "samples", ST_SCALE},
        [ST_TIME] = {"s", "sampled", 1e9},
        [ST_BYTES] = {"B", "allocated", ST_SCALE},
        [ST_WEIGHT] = {"", "weight", ST_SCALE},
    };
    struct ps_headline headline = {
        .value = (double)stacks->weight / words[stacks->unit].by,
        .unit = words[stacks->unit].unit,
        .label = words[stacks->unit].label,
    };

    stacks->out->ops->headline(stacks->out, &headline);
}

void st_give(struct st_stacks *stacks)
{
    struct emitter e = {.stacks = stacks, .family = ps_alloc((size_t)stacks->frames.count + 1)};

    for (size_t c = 0; c < sizeof made_columns; c++)
        e.column[made_columns[c]] = ps_grow(NULL, PS_CHUNK_ROWS, sizeof(int64_t));
    e.last = ps_grow(NULL, ST_DEEPEST + 1, sizeof *e.last);
    give_names(&e);
    for (uint32_t i = 0; i < stacks->n_tracks && ps_sink_ok(stacks->out); i++) {
        close_to(&stacks->tracks[i], 0);
        give_track(&e, i);
    }
    give_figures(stacks);
    give_headline(stacks);
    for (size_t c = 0; c < sizeof made_columns; c++)
        free(e.column[made_columns[c]]);
    free(e.last);
    free(e.family);
}
