/* SPDX-License-Identifier: MIT */
/* stack_tree.c: the flame graph of stacks, and the graphs of the callers and the callees of one
 * function. */
#include "server/query/functions/stack_tree.h"

#include <string.h>

#include "base/saturated.h"
#include "server/query/trace/flames/flame.h"

#define SINGLE_PASS_SLICES_MAX 300000u /* of a run that is not read twice */

/* The stacks of a request. */
struct stacks {
    struct ps_db *db;
    struct ps_stack_selection part;
    struct ps_stack_frames *frames; /* borrowed */
    struct ps_stack_transforms transforms;
    struct ps_stack_sums sums;
    int64_t self_by_origin[PS_N_ORIGINS];
    struct ps_path_trees trees;
    ps_add_path *add;
    void *user;
};

static void stacks_free(struct stacks *s)
{
    ps_stack_selection_free(&s->part);
    ps_stack_transforms_free(&s->transforms);
    ps_path_trees_free(&s->trees);
}

static bool add_stack(void *user, const struct ps_path *path)
{
    struct stacks *s = user;

    if (path->n) {
        const struct ps_path_frame *leaf = &path->frames[path->n - 1];
        int64_t *self = &s->self_by_origin[ps_stack_origin(s->frames, leaf->text, leaf->family)];

        *self = ps_add_saturated(*self, path->weight);
    }
    return s->add(s->user, path);
}

static enum ps_status each_stack(void *subject, ps_add_path *add, void *user, struct ps_err *err)
{
    struct stacks *s = subject;

    s->add = add;
    s->user = user;
    memset(s->self_by_origin, 0, sizeof s->self_by_origin);
    return ps_stack_samples_each(s->db, &s->part, s->frames, &s->transforms, add_stack, s, &s->sums,
                                 err);
}

static enum ps_status is_large(struct ps_db *db, bool *out, struct ps_err *err)
{
    const struct ps_track_row *tracks;
    size_t n;
    uint64_t slices = 0;

    ps_trace_get_tracks(db, &tracks, &n, err);
    for (size_t i = 0; i < n; i++)
        slices += tracks[i].n_slices;
    *out = slices > SINGLE_PASS_SLICES_MAX;
    return err->code;
}

/* Builds the trees of the stacks. around: id of a function whose callers and callees are wanted; 0:
 * all stacks. */
static enum ps_status build_trees(struct stacks *s, size_t limit, uint32_t around,
                                  struct ps_err *err)
{
    struct ps_path_source source = {each_stack, s, false};
    const struct ps_path_options options = {.limit = limit,
                                            .around = around,
                                            .inverts = s->transforms.inverts,
                                            .details = s->frames->line,
                                            .n_details = s->frames->n};

    if (is_large(s->db, &source.is_large, err) == PS_OK)
        ps_path_trees_build(&source, &options, &s->trees, err);
    return err->code;
}

static enum ps_status read_limit(struct ps_params params, int64_t *limit, struct ps_err *err)
{
    return ps_param_int(params, "limit", 1, 100000, 20000, limit, err);
}

/* Reads the parameters, except mode: the frames are read. */
static enum ps_status read_stacks(struct ps_db *db, struct ps_params params,
                                  struct ps_stack_frames *frames, struct stacks *s,
                                  struct ps_err *err)
{
    s->db = db;
    s->frames = frames;
    ps_stack_selection_read(db, params, &s->part, err);
    return ps_stack_transforms_read(db, params, frames, &s->transforms, err);
}

enum ps_status ps_stack_flame(struct ps_db *db, struct ps_stack_frames *frames,
                              struct ps_params params, size_t limit, struct ps_tree *out,
                              bool *is_partial, struct ps_err *err)
{
    PS_AUTO(stacks_free) struct stacks s = {.db = db};

    if (read_stacks(db, params, frames, &s, err) == PS_OK)
        build_trees(&s, limit, 0, err);
    *out = s.trees.tree;
    *is_partial = s.trees.is_partial;
    s.trees.tree = (struct ps_tree){.n = 0};
    return err->code;
}

enum ps_status ps_view_stack_flame(struct ps_db *db, const struct ps_view *view, int64_t id,
                                   struct ps_params params, struct ps_answer *answer,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stack_frames_free) struct ps_stack_frames frames = {0};
    PS_AUTO(stacks_free) struct stacks s = {.db = db};
    struct ps_flame_stacks stacks = {&frames,          &s.transforms, &s.trees.details,
                                     s.self_by_origin, &s.sums,       NULL};
    int64_t limit = 0;

    (void)view, (void)id;
    read_limit(params, &limit, err);
    ps_stack_frames_read(db, params, &frames, err);
    read_stacks(db, params, &frames, &s, err);
    stacks.unit = ps_stack_weight_unit(&s.part);
    if (err->code == PS_OK && build_trees(&s, (size_t)limit, 0, err) == PS_OK)
        ps_flame_write(db, &s.trees.tree, (size_t)limit, "(no name)", &stacks, answer);
    return err->code;
}

/* Answers with the trees of the callers and the callees of one function. */
enum ps_status ps_view_sandwich(struct ps_db *db, const struct ps_view *view, int64_t id,
                                struct ps_params params, struct ps_answer *answer,
                                struct ps_err *err)
{
    PS_AUTO(ps_stack_frames_free) struct ps_stack_frames frames = {0};
    PS_AUTO(stacks_free) struct stacks s = {.db = db};
    const struct ps_tree no_lines = {.n = 0};
    struct ps_flame_stacks callers = {&frames, &s.transforms, &no_lines, NULL, NULL, NULL},
                           callees = {&frames, &s.transforms, &s.trees.details, NULL, NULL, NULL};
    int64_t limit = 0, name = 0;
    uint32_t around;

    (void)view, (void)id;
    ps_stack_frames_read(db, params, &frames, err);
    read_stacks(db, params, &frames, &s, err);
    callers.unit = callees.unit = ps_stack_weight_unit(&s.part);
    read_limit(params, &limit, err);
    ps_param_int(params, "name_id", 1, UINT32_MAX, 0, &name, err);
    if (!name)
        ps_fail(err, PS_BAD_REQUEST, "the parameter name_id must be the id of a function");
    if (err->code != PS_OK)
        return err->code;
    around = ps_stack_function(&frames, name);
    around = around ? ps_stack_collapse(&s.transforms, s.transforms.n, around)
                    : (uint32_t)name; /* no frame has it: both trees are empty */
    if (build_trees(&s, (size_t)limit, around, err) != PS_OK)
        return err->code;
    ps_buf_printf(&answer->body, "{\"sum\":%lld,\"callers\":", (long long)s.sums.shown);
    ps_flame_write(db, &s.trees.callers, (size_t)limit, "(no name)", &callers, answer);
    ps_buf_puts(&answer->body, ",\"callees\":");
    ps_flame_write(db, &s.trees.tree, (size_t)limit, "(no name)", &callees, answer);
    ps_buf_puts(&answer->body, "}");
    return PS_OK;
}
