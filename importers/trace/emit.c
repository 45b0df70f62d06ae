/* SPDX-License-Identifier: MIT */
/* emit.c: writes tracks to the sink in chunks, texts and templates before the rows that use
 * them. */
#include "importers/trace/import.h"

#include <stdlib.h>

struct tr_emitter {
    /* buffers of the columns that are not 64 bits wide in a track */
    int64_t *column[PS_N_SLICE_COLUMNS];
    struct ps_buf args;
    uint32_t *varints; /* number of varints of the parameters, by template */
};

static const uint8_t extra_columns[TR_N_EXTRAS] = {
    [TR_OP_SELF] = PS_COL_OP_SELF,
    [TR_DEVICE_SELF] = PS_COL_DEVICE_SELF,
    [TR_DEVICE_TOTAL] = PS_COL_DEVICE_TOTAL,
    [TR_CPU_BYTES_SELF] = PS_COL_CPU_BYTES_SELF,
    [TR_CPU_BYTES] = PS_COL_CPU_BYTES,
    [TR_DEVICE_BYTES_SELF] = PS_COL_DEVICE_BYTES_SELF,
    [TR_DEVICE_BYTES] = PS_COL_DEVICE_BYTES,
    [TR_FLOPS] = PS_COL_FLOPS,
    [TR_LAUNCH] = PS_COL_LAUNCH,
    [TR_OP] = PS_COL_OP,
};

/* Maximum bytes of arguments in a chunk, unless a single slice has more. */
#define ARGS_MAX ((size_t)8 << 20)

static uint32_t count_varints(struct ps_str template)
{
    uint32_t n = 0;

    for (size_t i = 0; i < template.len; i++)
        n += template.at[i] == PS_TEMPLATE_INT ? 1 : template.at[i] == PS_TEMPLATE_DECIMAL ? 2 : 0;
    return n;
}

static struct tr_emitter *emitter_of(struct tr_trace *trace)
{
    struct tr_import *import = trace->import;
    struct tr_emitter *emitter = import->emitter;

    if (emitter)
        return emitter;
    emitter = import->emitter = ps_alloc(sizeof *emitter);
    emitter->varints = ps_alloc_array((size_t)trace->n_templates + 2, sizeof *emitter->varints);
    for (uint32_t i = PS_TEMPLATE_WHOLE + 1; i < trace->n_templates; i++)
        emitter->varints[i] = count_varints(trace->templates[i].text);
    for (int i = PS_COL_PARENT; i <= PS_COL_ARGS_AT; i++)
        emitter->column[i] = ps_grow(NULL, PS_CHUNK_ROWS, sizeof(int64_t));
    return emitter;
}

void tr_emitter_free(struct tr_import *import)
{
    struct tr_emitter *emitter = import->emitter;

    if (!emitter)
        return;
    for (int i = 0; i < PS_N_SLICE_COLUMNS; i++)
        free(emitter->column[i]);
    ps_buf_free(&emitter->args);
    free(emitter->varints);
    free(emitter);
    import->emitter = NULL;
}

static void give_text(struct tr_trace *trace, uint32_t id)
{
    struct ps_trace_text text = {.id = id, .text = tr_text(trace, id)};

    if (trace->torch)
        text.key = tr_torch_key(trace, id);
    trace->out->ops->text(trace->out, &text);
}

void tr_texts_give(struct tr_trace *trace)
{
    struct tr_import *import = trace->import;

    /* A key may be a new text: it is appended and written by a later round. */
    while (import->given_texts < trace->names.count && ps_sink_ok(trace->out))
        give_text(trace, ++import->given_texts);
    for (; import->given_templates < trace->n_templates; import->given_templates++) {
        uint32_t id = import->given_templates;
        struct ps_args_template template = {.id = id};

        if (id == 0)
            continue;
        template.text = trace->templates[id].text;
        template.shapes = trace->templates[id].shapes;
        trace->out->ops->args_template(trace->out, &template);
    }
}

/* Returns the number of bytes of the first n varints of packed. */
static size_t varints_length(struct ps_str packed, uint32_t n)
{
    const uint64_t more = UINT64_C(0x8080808080808080);
    size_t at = 0;

    while (n >= 8 && at + 8 <= packed.len) { /* eight bytes end at most eight varints */
        uint64_t word;

        memcpy(&word, packed.at + at, 8);
        n -= (uint32_t)__builtin_popcountll(~word & more);
        at += 8;
    }
    for (; n && at < packed.len; at++)
        n -= !((unsigned char)packed.at[at] & 0x80);
    return at;
}

static size_t args_length(const struct tr_emitter *emitter, uint32_t template, struct ps_str packed)
{
    size_t at;
    uint64_t len = 0;

    if (template != PS_TEMPLATE_WHOLE)
        return varints_length(packed, emitter->varints[template]);
    at = varints_length(packed, 1);
    for (size_t i = at; i > 0 && at <= 9; i--)
        len = len << 7 | ((unsigned char)packed.at[i - 1] & 0x7f);
    return len <= packed.len - at ? at + (size_t)len : packed.len;
}

/* Returns the number of slices for the chunk: fewer than n if their arguments are too large. */
static uint32_t fill_args(struct tr_emitter *emitter, const struct tr_trace *trace,
                          const struct tr_track *track, uint32_t first, uint32_t n)
{
    int64_t *out = emitter->column[PS_COL_ARGS_AT];

    emitter->args.len = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t template = track->template[first + i];
        struct ps_str packed;

        out[i] = (int64_t)emitter->args.len;
        if (template != PS_TEMPLATE_WHOLE && emitter->varints[template] == 0)
            continue;
        packed = tr_args_of(trace, track->args_at[first + i]);
        packed.len = args_length(emitter, template, packed);
        if (i > 0 && emitter->args.len + packed.len > ARGS_MAX)
            return i;
        ps_buf_str(&emitter->args, packed);
    }
    return n;
}

static bool any(const int64_t *values, uint32_t n)
{
    int64_t bits = 0;

    for (uint32_t i = 0; i < n; i++)
        bits |= values[i];
    return bits != 0;
}

/* Fills one column; it is left NULL, and so not sent, if all values are 0. */
#define FILL(which, expression)                                                                    \
    do {                                                                                           \
        int64_t *out_ = emitter->column[which], any_ = 0;                                          \
        for (uint32_t i = 0, row = first; i < n; i++, row++)                                       \
            any_ |= out_[i] = (int64_t)(expression);                                               \
        chunk->column[which] = any_ ? out_ : NULL;                                                 \
    } while (0)

static void fill_columns(struct tr_emitter *emitter, const struct tr_trace *trace,
                         const struct tr_track *track, struct ps_chunk *chunk)
{
    const uint32_t first = chunk->first, n = chunk->n;

    chunk->column[PS_COL_START] = track->start + first;
    chunk->column[PS_COL_DURATION] = track->duration + first;
    chunk->column[PS_COL_SELF] = track->self + first;
    FILL(PS_COL_PARENT, track->parent[row] == TR_NO_ROW ? 0 : row - track->parent[row]);
    FILL(PS_COL_DEPTH, track->lane[row]);
    FILL(PS_COL_NAME, track->name_id[row]);
    FILL(PS_COL_CATEGORY, trace->cats[track->cat[row]].text_id);
    FILL(PS_COL_KIND, track->slice_kind[row]);
    FILL(PS_COL_FLAGS, track->flags[row]);
    FILL(PS_COL_FAMILY, track->family[row]);
    FILL(PS_COL_TEMPLATE, track->template[row]);
    for (int extra = 0; extra < TR_N_EXTRAS; extra++)
        if (track->extra[extra] && any(track->extra[extra] + first, n))
            chunk->column[extra_columns[extra]] = track->extra[extra] + first;
    if (emitter->args.len) {
        chunk->column[PS_COL_ARGS_AT] = emitter->column[PS_COL_ARGS_AT];
        chunk->args = ps_buf_slice(&emitter->args);
    }
}

/* Returns the first row after the chunk. */
static uint32_t give_chunk(struct tr_trace *trace, struct tr_track *track, uint32_t first)
{
    struct tr_emitter *emitter = emitter_of(trace);
    struct ps_chunk chunk = {.track = track->id, .track_kind = track->kind, .first = first};

    chunk.n = track->n - first < PS_CHUNK_ROWS ? track->n - first : PS_CHUNK_ROWS;
    chunk.n = fill_args(emitter, trace, track, first, chunk.n);
    chunk.start_ns = track->start[first];
    for (uint32_t row = first; row < first + chunk.n; row++) {
        int64_t end = track->start[row] + track->duration[row];

        chunk.end_ns = row == first || end > chunk.end_ns ? end : chunk.end_ns;
    }
    fill_columns(emitter, trace, track, &chunk);
    trace->import->flops |= chunk.column[PS_COL_FLOPS] != NULL;
    trace->out->ops->slices(trace->out, &chunk);
    if (track->n > PS_CHUNK_ROWS) { /* large track: release the rows that were written */
        tr_room_rest(trace->room);
        tr_track_let_go(track, first, first + chunk.n);
    }
    return first + chunk.n;
}

static void announce(struct tr_trace *trace, const struct tr_track *track)
{
    struct ps_track given = {.id = track->id,
                             .process = track->process,
                             .kind = track->kind,
                             .name = track->name,
                             .tid = PS_STR(""),
                             .device = track->device,
                             .stream = track->stream,
                             .sort = track->sort,
                             .slices = track->n,
                             .depth = track->depth,
                             .start_ns = track->start_ns,
                             .end_ns = track->end_ns};

    if (track->thread && track->thread->tid.at)
        given.tid = track->thread->tid;
    trace->out->ops->track(trace->out, &given);
}

enum ps_status tr_emit_track(struct tr_trace *trace, struct tr_track *track)
{
    tr_texts_give(trace);
    announce(trace, track);
    for (uint32_t first = 0; first < track->n && ps_sink_ok(trace->out);)
        first = give_chunk(trace, track, first);
    tr_track_free(track);
    return ps_sink_ok(trace->out) ? PS_OK : trace->out->err.code;
}
