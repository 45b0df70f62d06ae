/* SPDX-License-Identifier: MIT */
/* scalene_stacks.c: converts "memory_stacks" of Scalene to stacks (importers/stacks/stacks.h). */
#include "importers/lines/scalene_stacks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/format.h"
#include "base/mem.h"
#include "importers/document.h"
#include "importers/records/run.h"
#include "importers/stacks/stacks.h"

enum {
    NOTES_MAX = 50,
    /* Scalene writes the frames of an allocation into a buffer of this size, from the innermost on,
     * as "|file;line", and leaves out the frames that no longer fit. */
    SCALENE_BUFFER = 2048, /* bytes, with a NUL */
};
#define MIB          1048576.0
#define STACK_MAX    9e15 /* bytes */
#define LINE_MAX_VAL 2147483647.0

struct reader {
    struct st_stacks stacks;
    struct ps_buf text;
    struct ps_u32s frames; /* of the current stack, outermost first */
    uint32_t track;
    size_t longest_frame; /* bytes of a frame in Scalene's buffer, of all stacks */
    uint64_t n_cut;       /* stacks whose outermost frames may have been left out, ... */
    int64_t cut_bytes;    /* ... and how much they allocated */
    struct ps_scalene_stacks *result;
};

static void reader_free(struct reader *r)
{
    st_free(&r->stacks);
    ps_buf_free(&r->text);
    free(r->frames.items);
}

static void reject(struct reader *r, const char *what)
{
    if (r->result->n_rejected++ < NOTES_MAX)
        ps_sink_note(r->stacks.out, PS_NOTE_REJECTED, PS_NOTE_NO_OFFSET, 0, "memory stack %llu: %s",
                     (unsigned long long)r->result->n_read, what);
}

static struct ps_str text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

    return ps_str_from_c(text ? text : "");
}

/* Writes the line of a frame; "" if it has none. */
static struct ps_str line_of(const cJSON *frame, char line[16])
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(frame, "line");

    line[0] = '\0';
    if (cJSON_IsNumber(item) && item->valuedouble >= 1 && item->valuedouble <= LINE_MAX_VAL)
        (void)snprintf(line, 16, "%.0f", floor(item->valuedouble));
    return ps_str_from_c(line);
}

/* Bytes of a frame in Scalene's buffer. */
static size_t buffered_size(const cJSON *frame)
{
    char line[16];

    return 2 + text_of(frame, "filename_or_module").len + line_of(frame, line).len;
}

static void find_longest_frame(struct reader *r, const cJSON *list)
{
    const cJSON *stack, *frame;

    cJSON_ArrayForEach(stack, list) cJSON_ArrayForEach(frame, stack->child)
    {
        size_t size = buffered_size(frame);

        r->longest_frame = size > r->longest_frame ? size : r->longest_frame;
    }
}

/* Reads the frames of a stack. False: it has something that is no frame. */
static bool read_frames(struct reader *r, const cJSON *frames, size_t *buffered)
{
    const cJSON *frame;

    r->frames.n = 0;
    *buffered = 0;
    cJSON_ArrayForEach(frame, frames)
    {
        struct ps_str name = text_of(frame, "display_name"),
                      file = text_of(frame, "filename_or_module");
        char line[16];

        if (!name.len && !file.len)
            return false;
        PS_RESERVE_ONE(r->frames.items, r->frames.n, r->frames.cap);
        r->frames.items[r->frames.n++] =
            st_frame_id_of(&r->stacks, &r->text, name, file, line_of(frame, line));
        *buffered += buffered_size(frame);
    }
    return true;
}

static enum ps_status read_stack(struct reader *r, const cJSON *item, struct ps_err *err)
{
    const cJSON *frames = cJSON_IsArray(item) ? item->child : NULL,
                *size = frames ? frames->next : NULL;
    double bytes = cJSON_IsNumber(size) ? round(size->valuedouble * MIB) : NAN;
    size_t buffered;

    r->result->n_read++;
    if (!cJSON_IsArray(frames) || !(bytes >= 1 && bytes <= STACK_MAX)) {
        reject(r, "it is not a list of frames and a size above 0");
        return PS_OK;
    }
    if (!read_frames(r, frames, &buffered)) {
        reject(r, "a frame has neither a name nor a file");
        return PS_OK;
    }
    if (buffered + r->longest_frame >= SCALENE_BUFFER) {
        r->n_cut++;
        r->cut_bytes += (int64_t)bytes;
    }
    r->result->bytes += (int64_t)bytes;
    return st_add_sample(&r->stacks, r->track, r->frames.items, (uint32_t)r->frames.n,
                         (int64_t)bytes * ST_SCALE, err);
}

static void write_notes(const struct reader *r)
{
    struct ps_sink *out = r->stacks.out;
    char size[48];

    ps_sink_count(out, PS_NOTE_REJECTED,
                  r->result->n_rejected > NOTES_MAX ? r->result->n_rejected - NOTES_MAX : 0,
                  "more memory stacks that cannot be read");
    if (r->n_cut)
        ps_sink_note(out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "memory stacks that may lack their outermost frames: %llu, with %s; Scalene "
                     "keeps as many of the innermost frames as fit into %d bytes with their paths",
                     (unsigned long long)r->n_cut, ps_format_bytes((double)r->cut_bytes, size),
                     SCALENE_BUFFER);
}

enum ps_status ps_scalene_write_stacks(struct ps_sink *out, const cJSON *list,
                                       struct ps_scalene_stacks *result, struct ps_err *err)
{
    PS_AUTO(reader_free)
    struct reader r = {.stacks = {.out = out, .unit = ST_BYTES}, .result = result};
    const cJSON *item;
    uint32_t process;

    *result = (struct ps_scalene_stacks){0};
    if (!cJSON_IsArray(list) || !list->child)
        return PS_OK;
    process = st_process_id(&r.stacks, PS_STR(""), PS_STR(""));
    if (st_add_track(&r.stacks, process, PS_STR(""), PS_STR(""), &r.track, err) != PS_OK)
        return err->code;
    find_longest_frame(&r, list);
    for (item = list->child; item && ps_sink_ok(out); item = item->next)
        if (read_stack(&r, item, err) != PS_OK)
            return err->code;
    if (result->n_read > result->n_rejected)
        st_write_beside(&r.stacks);
    write_notes(&r);
    return PS_OK;
}
