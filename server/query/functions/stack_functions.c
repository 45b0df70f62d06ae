/* SPDX-License-Identifier: MIT */
/* stack_functions.c: sums stacks by function, or by line (stack_frames.h). A stack counts once in
 * the total of a function, even if the function occurs in it several times. Self times add up to
 * the whole. */
#include <stdlib.h>

#include "server/query/functions/stack_frames.h"
#include "server/query/functions/stack_tree.h"

enum { NAME, FAMILY, ORIGIN, SLICES, SELF, TOTAL, GROUPED, BY_LINE, FIRST, N_COLUMNS };
#define DEPTH_MAX (1u << 16)

struct function_row {
    int64_t value[N_COLUMNS];
    uint32_t open; /* number of frames of this function in the current stack */
};

/* A frame of the current stack. Frames that are equal, from the root on, and follow each other
 * without a gap are one stretch, although a slice ends whenever the line changes. */
struct open_frame {
    uint32_t row; /* index of the row of the function */
    int64_t end;  /* of its slice, in ns */
    uint64_t stretch, caller_stretch;
};

struct functions {
    struct ps_db *db;
    struct ps_stack_frames frames;
    struct ps_stack_selection part;
    struct function_row *rows;
    size_t n, cap;
    uint32_t *row_by_text; /* [text id]: index of the row + 1; 0: none */
    size_t row_by_text_cap;
    uint32_t track;
    struct open_frame *open; /* [depth]: the current stack; above n_open frames that ended */
    size_t n_open, n_ended, cap_open;
    uint64_t n_stretches;
    bool merges_initialisers;  /* all C++ static initialisers share one row */
    uint32_t initialiser_name; /* text id of the first C++ static initialiser; 0: none so far */
};

/* Returns the text id under which slices with the name `id` are counted; 0: the run has no text
 * with this id. */
static uint32_t counted_name(struct functions *f, int64_t id)
{
    struct ps_str text = ps_trace_text(f->db, (uint32_t)id);

    if (f->merges_initialisers && ps_str_starts_with(text, PS_STR("_GLOBAL__sub_I_"))) {
        if (!f->initialiser_name)
            f->initialiser_name = (uint32_t)id;
        return f->initialiser_name;
    }
    return ps_stack_function(&f->frames, id);
}

static uint32_t row_of(struct functions *f, int64_t id)
{
    uint32_t name = counted_name(f, id);

    f->row_by_text = ps_grow_to(f->row_by_text, &f->row_by_text_cap, name, sizeof *f->row_by_text);
    if (!f->row_by_text[name]) {
        PS_RESERVE_ONE(f->rows, f->n, f->cap);
        f->rows[f->n++] = (struct function_row){
            .value = {[NAME] = name,
                      [GROUPED] = f->initialiser_name && name == f->initialiser_name,
                      [BY_LINE] = f->frames.by_line,
                      [FIRST] = INT64_MAX}};
        f->row_by_text[name] = (uint32_t)f->n;
    }
    return f->row_by_text[name] - 1;
}

static void close_to(struct functions *f, size_t depth)
{
    while (f->n_open > depth)
        f->rows[f->open[--f->n_open].row].open--;
}

/* Pushes a frame on the current stack. Returns whether it begins a stretch. */
static bool open_frame(struct functions *f, uint32_t row, int64_t start, int64_t end)
{
    uint64_t caller = f->n_open ? f->open[f->n_open - 1].stretch : 0;
    struct open_frame *frame;
    bool begins;

    PS_RESERVE_ONE(f->open, f->n_open, f->cap_open);
    frame = &f->open[f->n_open];
    begins = f->n_open >= f->n_ended || frame->row != row || frame->end != start ||
             frame->caller_stretch != caller;
    *frame = (struct open_frame){row, end, begins ? ++f->n_stretches : frame->stretch, caller};
    f->n_open++;
    f->n_ended = f->n_open > f->n_ended ? f->n_open : f->n_ended;
    return begins;
}

static void add_row(struct functions *f, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t depth = ps_chunk_value(chunk, PS_COL_DEPTH, i),
            start = ps_chunk_value(chunk, PS_COL_START, i);
    int64_t length =
        ps_stack_clip(&f->part.range, start, ps_chunk_value(chunk, PS_COL_DURATION, i));
    int64_t *value;
    uint32_t row;

    if (length <= 0)
        return;
    close_to(f, depth < 0 ? 0 : (size_t)depth);
    if (f->n_open >= DEPTH_MAX)
        return;
    row = row_of(f, ps_chunk_value(chunk, PS_COL_NAME, i));
    value = f->rows[row].value;
    value[FAMILY] = ps_chunk_value(chunk, PS_COL_FAMILY, i);
    value[ORIGIN] = ps_stack_origin(&f->frames, value[NAME], value[FAMILY]);
    value[SELF] = ps_add_saturated(value[SELF], length);
    value[TOTAL] = ps_add_saturated(value[TOTAL], f->rows[row].open++ ? 0 : length);
    value[FIRST] = start < value[FIRST] ? start : value[FIRST];
    if (f->n_open) {
        value = f->rows[f->open[f->n_open - 1].row].value;
        value[SELF] = ps_add_saturated(value[SELF], -length);
    }
    f->rows[row].value[SLICES] +=
        open_frame(f, row, start, ps_end_ns(start, ps_chunk_value(chunk, PS_COL_DURATION, i)));
}

static bool add_chunk(void *user, const struct ps_chunk *chunk)
{
    struct functions *f = user;

    if (chunk->track != f->track) {
        close_to(f, 0);
        f->n_ended = 0;
    }
    f->track = chunk->track;
    for (uint32_t i = 0; i < chunk->n; i++)
        add_row(f, chunk, i);
    return true;
}

enum ps_status ps_make_stack_functions(struct ps_db *db, struct ps_params params,
                                       struct ps_computed_table *out, struct ps_err *err)
{
    struct functions f = {.db = db};
    struct ps_chunk_query query = {
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_DEPTH) | PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_FAMILY),
    };
    int64_t group = 0;

    ps_stack_selection_read(params, &f.part, err);
    ps_stack_frames_read(db, params, &f.frames, err);
    ps_param_int(params, "group", 0, 1, 0, &group, err);
    f.merges_initialisers = group != 0;
    query.track = f.part.track;
    query.range = f.part.range;
    ps_trace_each_chunk(db, &query, add_chunk, &f, err);
    if (err->code == PS_OK)
        ps_computed_table_copy(out, PS_TEMP_FUNCTIONS, f.rows, f.n, sizeof *f.rows, N_COLUMNS);
    ps_stack_frames_free(&f.frames);
    free(f.rows);
    free(f.row_by_text);
    free(f.open);
    return err->code;
}
