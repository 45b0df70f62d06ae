/* SPDX-License-Identifier: MIT */
#include "server/query/functions/stack_samples.h"
#include "base/context.h"

#include <stdlib.h>

/* A frame of the recorded stack. */
struct open_frame {
    int64_t end_ns;
    uint64_t serial; /* unique for each frame that is pushed */
    uint8_t family;
    /* the transformed stack of the stack up to this frame (stack_transforms.h) */
    uint32_t top;
    size_t dropped_by; /* if top is PS_STACK_DROPPED */
    /* of the frame that this depth pushed on the transformed stack */
    uint32_t up, id, depth;
};

struct reader {
    const struct ps_stack_selection *selection;
    const struct ps_stack_frames *frames;
    struct ps_transform_stack transforms; /* used if there are transforms */
    ps_add_path *add;
    void *user;
    struct ps_stack_sums *sums;
    bool has_ended; /* `add` returned false */

    uint32_t track;
    struct open_frame *open;
    size_t n_open, cap_open;
    uint64_t n_pushed;
    int64_t cursor_ns; /* all samples before it were written */

    /* The last sample that was written: its frames, and their serials. */
    struct ps_path_frame *path;
    uint64_t *serials;
    uint32_t *tops; /* scratch: the depths + 1 of the frames of a sample */
    size_t n_path, cap_path;
    int64_t path_end_ns;
};

static void reader_free(struct reader *r)
{
    ps_transform_stack_free(&r->transforms);
    free(r->open);
    free(r->path);
    free(r->serials);
    free(r->tops);
}

static void reserve_path(struct reader *r, size_t n)
{
    if (n <= r->cap_path)
        return;
    r->cap_path = n * 2 + 64;
    r->path = ps_grow(r->path, r->cap_path, sizeof *r->path);
    r->serials = ps_grow(r->serials, r->cap_path, sizeof *r->serials);
    r->tops = ps_grow(r->tops, r->cap_path, sizeof *r->tops);
}

static void add_weight(int64_t *sum, int64_t weight)
{
    *sum = ps_add_saturated(*sum, weight);
}

/* Makes r->path the transformed stack of the frame `top`. Only frames that differ from those of the
 * sample before are visited. is_next: that sample ended where this one begins. */
static struct ps_path make_sample(struct reader *r, uint32_t top, bool is_next)
{
    size_t n = top ? r->open[top - 1].depth : 0, n_kept = n, n_continued;

    reserve_path(r, n);
    while (n_kept && (n_kept > r->n_path || r->serials[n_kept - 1] != r->open[top - 1].serial)) {
        r->tops[--n_kept] = top;
        top = r->open[top - 1].up;
    }
    n_continued = is_next ? n_kept : 0;
    for (size_t i = n_kept; i < n; i++) {
        const struct open_frame *frame = &r->open[r->tops[i] - 1];
        uint32_t name = ps_stack_function(r->frames, frame->id);

        if (n_continued == i && is_next && i < r->n_path && r->path[i].name == name)
            n_continued++;
        r->path[i] = (struct ps_path_frame){frame->id, name, frame->family};
        r->serials[i] = frame->serial;
    }
    r->n_path = n;
    return (struct ps_path){
        .frames = r->path, .n = n, .n_kept = n_kept, .n_continued = n_continued, .track = r->track};
}

/* Writes the sample of the current stack from r->cursor_ns to `end_ns`. */
static void write_sample(struct reader *r, int64_t end_ns)
{
    const struct open_frame *leaf = &r->open[r->n_open - 1];
    const struct ps_range *range = &r->selection->range;
    int64_t start_ns = r->cursor_ns > range->from_ns ? r->cursor_ns : range->from_ns;
    struct ps_path sample;

    r->cursor_ns = end_ns > r->cursor_ns ? end_ns : r->cursor_ns;
    end_ns = end_ns < range->to_ns ? end_ns : range->to_ns;
    if (end_ns <= start_ns || r->has_ended)
        return;
    add_weight(&r->sums->selected, end_ns - start_ns);
    if (leaf->top == PS_STACK_DROPPED) {
        add_weight(&r->sums->removed[leaf->dropped_by], end_ns - start_ns);
        return;
    }
    add_weight(&r->sums->shown, end_ns - start_ns);
    sample = make_sample(r, leaf->top, start_ns == r->path_end_ns);
    sample.start_ns = start_ns;
    sample.weight = end_ns - start_ns;
    r->path_end_ns = end_ns;
    r->has_ended = !r->add(r->user, &sample);
}

/* Pops the frames at `depth` and below. */
static void pop_to(struct reader *r, size_t depth)
{
    while (r->n_open > depth) {
        write_sample(r, r->open[r->n_open - 1].end_ns);
        r->n_open--;
    }
}

static void push_frame(struct reader *r, uint32_t text, uint8_t family, int64_t end_ns)
{
    uint32_t depth = (uint32_t)r->n_open;
    struct ps_stack_step step = {.top = depth + 1, .up = depth, .id = text};
    size_t dropped_by = 0;
    struct open_frame *frame;

    if (r->transforms.transforms->n)
        step = ps_transform_push(&r->transforms, depth, text, family, &dropped_by);
    PS_RESERVE_ONE(r->open, r->n_open, r->cap_open);
    frame = &r->open[r->n_open++];
    *frame = (struct open_frame){.end_ns = end_ns,
                                 .serial = ++r->n_pushed,
                                 .family = family,
                                 .top = step.top,
                                 .dropped_by = dropped_by};
    if (step.top != depth + 1)
        return;
    frame->up = step.up;
    frame->id = step.id;
    frame->depth = step.up ? r->open[step.up - 1].depth + 1 : 1;
}

static void add_slice(struct reader *r, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t depth = ps_chunk_value(chunk, PS_COL_DEPTH, i),
            start_ns = ps_chunk_value(chunk, PS_COL_START, i),
            end_ns = ps_end_ns(start_ns, ps_chunk_value(chunk, PS_COL_DURATION, i)),
            text = ps_chunk_value(chunk, PS_COL_NAME, i);

    if (end_ns <= start_ns || end_ns <= r->selection->range.from_ns ||
        start_ns >= r->selection->range.to_ns)
        return;
    pop_to(r, depth < 0 ? 0 : (size_t)depth);
    if (r->n_open >= PS_STACK_DEPTH_MAX)
        return;
    if (r->n_open)
        write_sample(r, start_ns);
    r->cursor_ns = start_ns > r->cursor_ns ? start_ns : r->cursor_ns;
    push_frame(r, ps_stack_function(r->frames, text) ? (uint32_t)text : 0,
               (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i), end_ns);
}

static void begin_track(struct reader *r, uint32_t track)
{
    pop_to(r, 0);
    r->track = track;
    r->n_path = 0;
    r->cursor_ns = r->path_end_ns = INT64_MIN;
}

static bool add_chunk(void *user, const struct ps_chunk *chunk)
{
    struct reader *r = user;

    if (chunk->track != r->track)
        begin_track(r, chunk->track);
    for (uint32_t i = 0; i < chunk->n && !r->has_ended && !ps_context_has_ended(); i++)
        add_slice(r, chunk, i);
    return !r->has_ended;
}

enum ps_status ps_stack_samples_each(struct ps_db *db, const struct ps_stack_selection *selection,
                                     const struct ps_stack_frames *frames,
                                     const struct ps_stack_transforms *transforms, ps_add_path *add,
                                     void *user, struct ps_stack_sums *sums, struct ps_err *err)
{
    struct ps_stack_sums no_sums = {.selected = 0};
    PS_AUTO(reader_free)
    struct reader r = {.selection = selection,
                       .frames = frames,
                       .transforms = {transforms, frames, NULL, 0},
                       .add = add,
                       .user = user,
                       .sums = sums ? sums : &no_sums};
    const struct ps_chunk_query query = {
        .range = selection->range,
        .tracks = &selection->tracks,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_DEPTH) | PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_FAMILY),
    };

    *r.sums = (struct ps_stack_sums){.selected = 0};
    if (selection->has_no_tracks)
        return err->code;
    ps_trace_each_chunk(db, &query, add_chunk, &r, err);
    begin_track(&r, 0);
    return err->code;
}
