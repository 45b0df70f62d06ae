/* SPDX-License-Identifier: MIT */
/*
 * stacks_give.c: converts steps to slices.
 *
 * The end of a slice depends on the steps after the one that begins it, so steps are walked from
 * last to first, but chunks are written from first to last. A first walk stores the state of the
 * open frames at the end of each chunk; a second walk fills the chunks.
 */
#include <stdlib.h>

#include "importers/stacks/stacks.h"

/* A frame that is open during the backward walk. */
struct open_frame {
    /* end: end of its slice; below: total duration of its callees that were walked so far */
    int64_t end, below;
};

/* Consecutive steps whose slices fit into a chunk. */
struct block {
    uint32_t step, n_steps;
    uint32_t row, n_rows;
    int64_t start, end;
    uint32_t n_open; /* number of frames that the step after the block keeps */
    struct open_frame *open;
};

struct emitter {
    struct st_stacks *stacks;
    uint8_t *family; /* by text id */
    int64_t *column[PS_N_SLICE_COLUMNS];
    uint32_t *last;          /* row of the open slice, by depth */
    struct open_frame *open; /* by depth */
    struct block *blocks;    /* of the current track */
    uint32_t n_blocks, cap_blocks;
    struct ps_arena noted; /* open frames of the blocks */
};

static const uint8_t made_columns[] = {PS_COL_START, PS_COL_DURATION, PS_COL_SELF,  PS_COL_PARENT,
                                       PS_COL_DEPTH, PS_COL_NAME,     PS_COL_FAMILY};

/* The divisor of weights: without fractions the thousandths are not needed. */
static int64_t divisor(const struct st_stacks *stacks)
{
    return stacks->unit == ST_TIME || stacks->fractions ? 1 : ST_SCALE;
}

static void leave_thousandths(struct st_stacks *stacks)
{
    for (uint32_t t = 0; t < stacks->n_tracks && divisor(stacks) == ST_SCALE; t++) {
        struct st_track *track = &stacks->tracks[t];

        for (uint32_t i = 0; i < track->n_steps; i++)
            track->steps[i].weight /= ST_SCALE;
        track->at /= ST_SCALE;
    }
}

/* --- Blocks --- */

static void cut_blocks(struct emitter *e, const struct st_track *track)
{
    struct block *block = NULL;
    int64_t at = 0;
    uint32_t row = 0;

    e->n_blocks = 0;
    for (uint32_t i = 0; i < track->n_steps; i++) {
        const struct st_step *step = &track->steps[i];

        if (!block || block->n_rows + step->fresh > PS_CHUNK_ROWS) {
            PS_PUSH_ROOM(e->blocks, e->n_blocks, e->cap_blocks);
            block = &e->blocks[e->n_blocks++];
            *block = (struct block){.step = i, .row = row, .start = at};
        }
        block->n_steps++;
        block->n_rows += step->fresh;
        row += step->fresh;
        block->end = at += step->weight;
    }
}

/* Walks the steps of a block backward. e->open is the state after the block, on return the state
 * before it. fill: writes start, duration and self. */
static inline void walk_back(struct emitter *e, const struct st_track *track,
                             const struct block *block, bool fill)
{
    struct open_frame *open = e->open;
    int64_t *starts = e->column[PS_COL_START], *durations = e->column[PS_COL_DURATION],
            *selfs = e->column[PS_COL_SELF];
    uint32_t row = block->n_rows, stay = block->n_open;
    int64_t end = block->end;

    for (uint32_t i = block->step + block->n_steps; i-- > block->step;) {
        const struct st_step *step = &track->steps[i];
        uint32_t depth = (uint32_t)step->kept + step->fresh;
        int64_t start = end - step->weight;

        for (uint32_t d = stay; d < depth; d++)
            open[d] = (struct open_frame){.end = end};
        for (; depth > step->kept; depth--) {
            int64_t duration = open[depth - 1].end - start;

            row--;
            if (fill) {
                starts[row] = start;
                durations[row] = duration;
                selfs[row] = duration - open[depth - 1].below;
            }
            if (depth > 1)
                open[depth - 2].below += duration;
        }
        stay = step->kept;
        end = start;
    }
}

static void note_open(struct emitter *e, const struct st_track *track)
{
    for (uint32_t b = e->n_blocks; b-- > 0;) {
        struct block *block = &e->blocks[b];

        if (b + 1 < e->n_blocks)
            block->n_open = track->steps[block[1].step].kept;
        block->open = ps_arena_alloc(&e->noted, block->n_open * sizeof *block->open);
        memcpy(block->open, e->open, block->n_open * sizeof *block->open);
        if (b)
            walk_back(e, track, block, false);
    }
}

/* --- Chunks --- */

/* Walks the steps of a block forward and fills the other columns. */
static void walk_on(struct emitter *e, const struct st_track *track, const struct block *block)
{
    const uint32_t *frames = track->frames + block->row;
    int64_t *parents = e->column[PS_COL_PARENT], *depths = e->column[PS_COL_DEPTH],
            *names = e->column[PS_COL_NAME], *families = e->column[PS_COL_FAMILY];
    uint32_t *last = e->last, row = block->row, i = 0;

    for (uint32_t s = 0; s < block->n_steps; s++) {
        const struct st_step *step = &track->steps[block->step + s];
        uint32_t depth = step->kept, end = depth + step->fresh;

        for (; depth < end; depth++, row++, i++) {
            last[depth] = row;
            parents[i] = depth ? row - last[depth - 1] : 0;
            depths[i] = depth;
            names[i] = frames[i] + 1;
            families[i] = e->family[frames[i] + 1];
        }
    }
}

static void give_block(struct emitter *e, const struct st_track *track, uint32_t id,
                       const struct block *block)
{
    struct ps_chunk chunk = {
        .track = id, .track_kind = PS_TRACK_THREAD, .first = block->row, .n = block->n_rows};

    if (!chunk.n)
        return;
    if (block->n_open)
        memcpy(e->open, block->open, block->n_open * sizeof *block->open);
    walk_back(e, track, block, true);
    walk_on(e, track, block);
    chunk.start_ns = e->column[PS_COL_START][0];
    for (uint32_t i = 0; i < chunk.n; i++) {
        int64_t end = e->column[PS_COL_START][i] + e->column[PS_COL_DURATION][i];

        chunk.end_ns = end > chunk.end_ns ? end : chunk.end_ns;
    }
    for (size_t c = 0; c < sizeof made_columns; c++)
        chunk.column[made_columns[c]] = e->column[made_columns[c]];
    e->stacks->out->ops->slices(e->stacks->out, &chunk);
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
                             .slices = track->n_frames,
                             .depth = track->deepest,
                             .end_ns = track->at};

    out->ops->track(out, &given);
    cut_blocks(e, track);
    note_open(e, track);
    for (uint32_t b = 0; b < e->n_blocks && ps_sink_ok(out); b++)
        give_block(e, track, index + 1, &e->blocks[b]);
    ps_arena_free(&e->noted);
}

/* --- Reporting --- */

static void give_names(struct emitter *e)
{
    struct st_stacks *stacks = e->stacks;

    for (uint32_t i = 0; i < stacks->frames.count && ps_sink_ok(stacks->out); i++) {
        struct ps_trace_text text = {.id = i + 1, .text = stacks->frames.items[i]};

        e->family[i + 1] = (uint8_t)st_family(text.text);
        stacks->native += e->family[i + 1] == PS_FAMILY_RUNTIME;
        stacks->python += st_is_python(text.text);
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
    return most;
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
        {"native", stacks->native},
        {"python", stacks->python},
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

static const struct {
    const char *unit, *label;
    double by;
} words[] = {
    [ST_SAMPLES] = {"samples", "samples", ST_SCALE},
    [ST_TIME] = {"s", "sampled", 1e9},
    [ST_BYTES] = {"B", "allocated", ST_SCALE},
    [ST_WEIGHT] = {"", "weight", ST_SCALE},
};

/* Profilers write empty stacks while a thread runs no code that they record. */
static void note_empty(const struct st_stacks *stacks)
{
    if (stacks->empty)
        ps_sink_note(
            stacks->out, PS_NOTE_INFO, PS_NOTE_NO_AT, 0,
            "samples without a frame: %llu, %.10g%s%s in total; the total of the run excludes them",
            (unsigned long long)stacks->empty, (double)stacks->idle / words[stacks->unit].by,
            *words[stacks->unit].unit ? " " : "", words[stacks->unit].unit);
}

static void give_headline(const struct st_stacks *stacks)
{
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
    e.last = ps_grow(NULL, ST_DEEPEST, sizeof *e.last);
    e.open = ps_grow(NULL, ST_DEEPEST, sizeof *e.open);
    give_names(&e);
    leave_thousandths(stacks);
    for (uint32_t i = 0; i < stacks->n_tracks && ps_sink_ok(stacks->out); i++)
        give_track(&e, i);
    give_figures(stacks);
    note_empty(stacks);
    give_headline(stacks);
    for (size_t c = 0; c < sizeof made_columns; c++)
        free(e.column[made_columns[c]]);
    free(e.last);
    free(e.open);
    free(e.blocks);
    free(e.family);
}
