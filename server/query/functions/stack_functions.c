/* SPDX-License-Identifier: MIT */
/* stack_functions.c: sums stacks by function, or by line (stack_frames.h). A stack counts once in
 * the total of a function, even if the function occurs in it several times. Self times add up to
 * the whole, without the stacks that the transforms left without a frame. */
#include <stdlib.h>

#include "server/query/functions/stack_tree.h"

enum {
    NAME,
    FAMILY,
    ORIGIN,
    SLICES,
    SELF,
    TOTAL,
    GROUPED,
    BY_LINE,
    FIRST,
    COLLAPSED,
    WHOLE,
    N_COLUMNS
};

struct function_row {
    int64_t value[N_COLUMNS];
    uint32_t open; /* number of frames of this function in the current stack */
};

/* A frame of the current stack. */
struct open_frame {
    uint32_t row;   /* index of the row of the function */
    int64_t weight; /* of the samples with this frame */
};

struct functions {
    struct ps_db *db;
    struct ps_stack_frames frames;
    struct ps_stack_selection part;
    struct ps_stack_transforms transforms;
    struct function_row *rows;
    size_t n, cap;
    uint32_t *row_by_text; /* [text id]: index of the row + 1; 0: none */
    size_t row_by_text_cap;
    struct open_frame *open;
    size_t n_open, cap_open;
    int sign;                  /* -1: the weights of samples count as negative */
    bool merges_initialisers;  /* all C++ static initialisers share one row */
    uint32_t initialiser_name; /* text id of the first C++ static initialiser; 0: none so far */
};

static void functions_free(struct functions *f)
{
    ps_stack_frames_free(&f->frames);
    ps_stack_selection_free(&f->part);
    ps_stack_transforms_free(&f->transforms);
    free(f->rows);
    free(f->row_by_text);
    free(f->open);
}

/* Returns the id under which a frame is counted. */
static uint32_t counted_name(struct functions *f, const struct ps_path_frame *frame)
{
    struct ps_str text = ps_trace_text(f->db, frame->text);

    if (f->merges_initialisers && ps_str_starts_with(text, PS_STR("_GLOBAL__sub_I_"))) {
        if (!f->initialiser_name)
            f->initialiser_name = frame->text;
        return f->initialiser_name;
    }
    return frame->name;
}

static uint32_t row_of(struct functions *f, const struct ps_path_frame *frame)
{
    uint32_t name = counted_name(f, frame);
    const struct ps_transform *collapsed_by;
    int64_t *value;

    f->row_by_text = ps_grow_to(f->row_by_text, &f->row_by_text_cap, name, sizeof *f->row_by_text);
    if (f->row_by_text[name])
        return f->row_by_text[name] - 1;
    PS_RESERVE_ONE(f->rows, f->n, f->cap);
    f->rows[f->n] = (struct function_row){.open = 0};
    value = f->rows[f->n].value;
    value[NAME] = name;
    value[FAMILY] = frame->family;
    value[ORIGIN] = ps_stack_origin(&f->frames, name, frame->family);
    value[GROUPED] = f->initialiser_name && name == f->initialiser_name;
    /* 2: the line is that of the `def` */
    value[BY_LINE] = f->frames.by_line ? 1 + !f->frames.is_mode_line : 0;
    value[FIRST] = INT64_MAX;
    if (ps_stack_is_collapsed(&f->transforms, name, &collapsed_by)) {
        value[NAME] = collapsed_by->id;
        value[COLLAPSED] = collapsed_by->target == PS_TARGET_FILE ? 1 : 2;
    }
    f->row_by_text[name] = (uint32_t)++f->n;
    return (uint32_t)f->n - 1;
}

static void add_weight(int64_t *sum, int64_t weight)
{
    *sum = ps_add_saturated(*sum, weight);
}

/* Pops the frames from `depth` on. */
static void close_to(struct functions *f, size_t depth)
{
    while (f->n_open > depth) {
        const struct open_frame *frame = &f->open[--f->n_open];
        struct function_row *row = &f->rows[frame->row];

        if (!--row->open) /* the outermost one of its function */
            add_weight(&row->value[TOTAL], frame->weight);
        if (f->n_open)
            add_weight(&f->open[f->n_open - 1].weight, frame->weight);
    }
}

static bool add_sample(void *user, const struct ps_path *sample)
{
    struct functions *f = user;
    const int64_t weight = f->sign * sample->weight;

    close_to(f, sample->n_kept);
    while (f->n_open < sample->n) {
        uint32_t row = row_of(f, &sample->frames[f->n_open]);

        PS_RESERVE_ONE(f->open, f->n_open, f->cap_open);
        f->open[f->n_open++] = (struct open_frame){row, 0};
        f->rows[row].open++;
    }
    for (size_t i = sample->n_continued; i < sample->n; i++) {
        int64_t *value = f->rows[f->open[i].row].value;

        value[SLICES]++;
        value[FIRST] = sample->start_ns < value[FIRST] ? sample->start_ns : value[FIRST];
    }
    if (sample->n) {
        add_weight(&f->open[sample->n - 1].weight, weight);
        add_weight(&f->rows[f->open[sample->n - 1].row].value[SELF], weight);
    }
    return true;
}

/* Adds the samples of the tracks, and adds their sum to *whole. */
static enum ps_status add_samples(struct functions *f, const struct ps_stack_selection *part,
                                  int sign, int64_t *whole, struct ps_err *err)
{
    struct ps_stack_sums sums;

    f->sign = sign;
    ps_stack_samples_each(f->db, part, &f->frames, &f->transforms, add_sample, f, &sums, err);
    close_to(f, 0);
    add_weight(whole, sign * sums.shown);
    return err->code;
}

enum ps_status ps_make_stack_functions(struct ps_db *db, struct ps_params params,
                                       struct ps_computed_table *out, struct ps_err *err)
{
    PS_AUTO(functions_free) struct functions f = {.db = db};
    struct ps_stack_selection negated;
    int64_t group = 0, whole = 0;

    ps_stack_selection_read(db, params, &f.part, err);
    ps_stack_frames_read(db, params, &f.frames, err);
    ps_stack_transforms_read(db, params, &f.frames, &f.transforms, err);
    ps_param_int(params, "group", 0, 1, 0, &group, err);
    f.merges_initialisers = group != 0;
    if (err->code != PS_OK)
        return err->code;
    add_samples(&f, &f.part, 1, &whole, err);
    negated = f.part;
    negated.tracks = f.part.negated;
    negated.has_no_tracks = !negated.tracks.n;
    add_samples(&f, &negated, -1, &whole, err);
    for (size_t i = 0; i < f.n; i++)
        f.rows[i].value[WHOLE] = whole;
    if (err->code == PS_OK)
        ps_computed_table_copy(out, PS_TEMP_FUNCTIONS, f.rows, f.n, sizeof *f.rows, N_COLUMNS);
    return err->code;
}
