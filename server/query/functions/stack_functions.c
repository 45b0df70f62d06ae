/* SPDX-License-Identifier: MIT */
/* stack_functions.c: sums stacks by function. A stack counts once in the total of a function, even
 * if the function occurs in it several times. Self times add up to the whole. */
#include <stdlib.h>

#include "server/query/functions/stack_tree.h"

enum { NAME, FAMILY, SLICES, SELF, TOTAL, GROUPED, FIRST, N_COLUMNS };
#define DEPTH_MAX (1u << 16)

struct function_row {
    int64_t value[N_COLUMNS];
    uint32_t open; /* number of frames of this function in the current stack */
};

struct functions {
    struct ps_db *db;
    struct ps_stack_selection part;
    struct function_row *rows;
    size_t n, cap;
    uint32_t *row_by_text; /* [text id]: index of the row + 1; 0: none */
    size_t row_by_text_cap;
    uint32_t track;
    uint32_t *open; /* [depth]: index of the row of the frame at this depth of the current stack */
    size_t n_open, cap_open;
    bool group;     /* all C++ static initialisers share one row */
    uint32_t first; /* text id of the first C++ static initialiser; 0: none so far */
};

/* Returns the text id under which slices with the name `id` are counted; 0: the run has no text
 * with this id. */
static uint32_t name_of(struct functions *f, int64_t id)
{
    struct ps_str text = ps_trace_text(f->db, (uint32_t)id);

    if (f->group && ps_str_starts_with(text, PS_STR("_GLOBAL__sub_I_"))) {
        if (!f->first)
            f->first = (uint32_t)id;
        return f->first;
    }
    return text.ptr ? (uint32_t)id : 0;
}

static uint32_t row_of(struct functions *f, int64_t id)
{
    uint32_t name = name_of(f, id);

    f->row_by_text = ps_grow_to(f->row_by_text, &f->row_by_text_cap, name, sizeof *f->row_by_text);
    if (!f->row_by_text[name]) {
        PS_RESERVE_ONE(f->rows, f->n, f->cap);
        f->rows[f->n++] = (struct function_row){
            .value = {
                [NAME] = name, [GROUPED] = f->first && name == f->first, [FIRST] = INT64_MAX}};
        f->row_by_text[name] = (uint32_t)f->n;
    }
    return f->row_by_text[name] - 1;
}

static void close_to(struct functions *f, size_t depth)
{
    while (f->n_open > depth)
        f->rows[f->open[--f->n_open]].open--;
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
    value[SLICES]++;
    value[SELF] = ps_add_saturated(value[SELF], length);
    value[TOTAL] = ps_add_saturated(value[TOTAL], f->rows[row].open++ ? 0 : length);
    value[FIRST] = start < value[FIRST] ? start : value[FIRST];
    if (f->n_open) {
        value = f->rows[f->open[f->n_open - 1]].value;
        value[SELF] = ps_add_saturated(value[SELF], -length);
    }
    PS_RESERVE_ONE(f->open, f->n_open, f->cap_open);
    f->open[f->n_open++] = row;
}

static bool add_chunk(void *user, const struct ps_chunk *chunk)
{
    struct functions *f = user;

    if (chunk->track != f->track)
        close_to(f, 0);
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
    ps_param_int(params, "group", 0, 1, 0, &group, err);
    f.group = group != 0;
    query.track = f.part.track;
    query.range = f.part.range;
    ps_trace_each_chunk(db, &query, add_chunk, &f, err);
    if (err->code == PS_OK)
        ps_computed_table_copy(out, PS_TEMP_FUNCTIONS, f.rows, f.n, sizeof *f.rows, N_COLUMNS);
    free(f.rows);
    free(f.row_by_text);
    free(f.open);
    return err->code;
}
