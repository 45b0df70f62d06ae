/* SPDX-License-Identifier: MIT */
#include "server/query/functions/stack_transforms.h"

#include <stdlib.h>

#include "base/python_path.h"

#define OFF_PATH UINT32_MAX

static const struct {
    const char *name;
    enum ps_transform_kind kind;
    /* what may follow the name: bits 1 << enum ps_transform_target */
    unsigned targets;
    bool takes_path;
} kinds[] = {
#define ANY_TARGET                                                                                 \
    (1u << PS_TARGET_FUNCTION | 1u << PS_TARGET_FILE | 1u << PS_TARGET_PACKAGE |                   \
     1u << PS_TARGET_ORIGIN)
    {"drop", PS_TRANSFORM_DROP, ANY_TARGET, false},
    {"focus", PS_TRANSFORM_FOCUS, ANY_TARGET, false},
    {"merge", PS_TRANSFORM_MERGE, ANY_TARGET, false},
    {"leaf", PS_TRANSFORM_LEAF, ANY_TARGET, false},
    {"collapse", PS_TRANSFORM_COLLAPSE, 1u << PS_TARGET_FILE | 1u << PS_TARGET_PACKAGE, false},
    {"recursion", PS_TRANSFORM_RECURSION, 1u << PS_TARGET_ALL | 1u << PS_TARGET_FUNCTION, false},
    {"focus-path", PS_TRANSFORM_FOCUS_PATH, 0, true},
    {"merge-path", PS_TRANSFORM_MERGE_PATH, 0, true},
    {"invert", PS_TRANSFORM_INVERT, 1u << PS_TARGET_ALL, false},
};

/* --- Reading --- */

struct reader {
    struct ps_db *db;
    struct ps_stack_frames *frames;
    struct ps_stack_transforms *out;
};

/* Removes the part of *text up to `separator` and the separator, and returns the part. */
static struct ps_str cut_word(struct ps_str *text, char separator)
{
    const char *end = text->len ? memchr(text->ptr, separator, text->len) : NULL;
    struct ps_str word = {text->ptr, end ? (size_t)(end - text->ptr) : text->len};

    *text = ps_str_skip(*text, end ? word.len + 1 : word.len);
    return word;
}

static enum ps_status read_id(const struct reader *r, const struct ps_transform *transform,
                              struct ps_str word, uint32_t *id, struct ps_err *err)
{
    int64_t value;

    *id = 0;
    if (!ps_str_parse_i64(word, &value) || value < 1 || value > UINT32_MAX)
        return ps_fail(err, PS_BAD_REQUEST, "tf: %.*s: %.*s is not the id of a frame",
                       (int)transform->text.len, transform->text.ptr, (int)word.len, word.ptr);
    if (!ps_trace_text(r->db, (uint32_t)value).ptr)
        return ps_fail(err, PS_BAD_REQUEST, "tf: %.*s: this run has no frame with the id %lld",
                       (int)transform->text.len, transform->text.ptr, (long long)value);
    *id = (uint32_t)value;
    return err->code;
}

/* The file or the package of a frame; {NULL, 0}: it has none. */
static struct ps_str group_of(const struct reader *r, enum ps_transform_target target, uint32_t id)
{
    struct ps_frame_name name = ps_frame_name_parse(ps_trace_text(r->db, id));
    uint8_t origin = r->frames->origin[id];

    if (target == PS_TARGET_FILE)
        return name.file;
    return origin == PS_ORIGIN_THIRD_PARTY || origin == PS_ORIGIN_STDLIB ? ps_frame_package(&name)
                                                                         : (struct ps_str){NULL, 0};
}

/* Whether all code of a frame is in a group. */
static bool is_in_group(const struct reader *r, enum ps_transform_target target, uint32_t id,
                        struct ps_str group)
{
    const struct ps_transform *collapsed_by;

    if (!ps_stack_is_collapsed(r->out, id, &collapsed_by))
        return ps_str_eq(group_of(r, target, id), group);
    return collapsed_by->target <= target &&
           ps_str_eq(group_of(r, target, collapsed_by->id), group);
}

static enum ps_status mark_group(struct reader *r, struct ps_transform *transform,
                                 struct ps_err *err)
{
    enum ps_origin origin = (enum ps_origin)r->frames->origin[transform->id];
    struct ps_str group = group_of(r, transform->target, transform->id);

    if (!group.len)
        return ps_fail(err, PS_BAD_REQUEST, "tf: %.*s: frame %lu has no %s",
                       (int)transform->text.len, transform->text.ptr, (unsigned long)transform->id,
                       transform->target == PS_TARGET_FILE ? "file" : "package");
    for (uint32_t id = 1; id < r->frames->n; id++)
        transform->is_target[id] = is_in_group(r, transform->target, id, group);
    transform->group = transform->target == PS_TARGET_FILE ? ps_path_file_name(group) : group;
    if (transform->kind == PS_TRANSFORM_COLLAPSE)
        transform->collapsed = ps_stack_frames_add(r->frames, transform->group, origin);
    return err->code;
}

static void mark_function(const struct reader *r, const struct ps_transform *transform)
{
    uint32_t function = r->frames->all_lines[transform->id];

    for (uint32_t id = 1; id < r->frames->n; id++)
        transform->is_target[id] = r->frames->all_lines[id] == function || id == transform->shown;
}

static enum ps_status read_path(const struct reader *r, struct ps_transform *transform,
                                struct ps_str rest, struct ps_err *err)
{
    transform->path = ps_alloc_array(PS_TRANSFORM_IDS_MAX, sizeof *transform->path);
    do {
        struct ps_str word = cut_word(&rest, '.');

        if (transform->n_path == PS_TRANSFORM_IDS_MAX)
            return ps_fail(err, PS_BAD_REQUEST, "tf: a path has at most %d frames",
                           PS_TRANSFORM_IDS_MAX);
        if (read_id(r, transform, word, &transform->id, err) != PS_OK)
            return err->code;
        transform->shown =
            ps_stack_collapse(r->out, r->out->n, r->frames->all_lines[transform->id]);
        transform->path[transform->n_path++] = transform->shown;
    } while (rest.len);
    return err->code;
}

static enum ps_status read_origin(struct ps_transform *transform, struct ps_str name,
                                  struct ps_err *err)
{
    for (int i = 0; i < PS_N_ORIGINS; i++)
        if (ps_str_eq_c(name, ps_origin_names[i])) {
            transform->origin = (enum ps_origin)i;
            transform->group = name;
            return err->code;
        }
    return ps_fail(err, PS_BAD_REQUEST, "tf: %.*s: unknown origin", (int)transform->text.len,
                   transform->text.ptr);
}

/* Reads what follows the name of a transform. */
static enum ps_status read_target(struct reader *r, struct ps_transform *transform,
                                  unsigned targets, struct ps_str rest, struct ps_err *err)
{
    transform->target = PS_TARGET_FUNCTION;
    if (!rest.len)
        transform->target = PS_TARGET_ALL;
    else if (ps_str_starts_with(rest, PS_STR("file:")))
        transform->target = PS_TARGET_FILE;
    else if (ps_str_starts_with(rest, PS_STR("package:")))
        transform->target = PS_TARGET_PACKAGE;
    else if (ps_str_starts_with(rest, PS_STR("origin:")))
        transform->target = PS_TARGET_ORIGIN;
    if (!(targets & 1u << transform->target))
        return ps_fail(err, PS_BAD_REQUEST, "tf: %.*s: this transform cannot have this target",
                       (int)transform->text.len, transform->text.ptr);
    if (transform->target == PS_TARGET_ALL)
        return err->code;
    if (transform->target != PS_TARGET_FUNCTION)
        (void)cut_word(&rest, ':');
    if (transform->target == PS_TARGET_ORIGIN)
        return read_origin(transform, rest, err);
    if (read_id(r, transform, rest, &transform->id, err) != PS_OK)
        return err->code;
    transform->shown = ps_stack_collapse(r->out, r->out->n, r->frames->all_lines[transform->id]);
    /* transforms add at most one frame each, see PS_TRANSFORMS_MAX */
    transform->is_target = ps_alloc_array(r->out->n_ids, 1);
    if (transform->target == PS_TARGET_FUNCTION)
        mark_function(r, transform);
    else
        mark_group(r, transform, err);
    return err->code;
}

static enum ps_status read_transform(struct reader *r, struct ps_str text, struct ps_err *err)
{
    struct ps_transform transform = {.text = text};
    struct ps_str rest = text, name = cut_word(&rest, ':');
    size_t i = 0;

    while (i < sizeof kinds / sizeof *kinds && !ps_str_eq_c(name, kinds[i].name))
        i++;
    if (i == sizeof kinds / sizeof *kinds)
        return ps_fail(err, PS_BAD_REQUEST, "tf: unknown transform %.*s", (int)name.len, name.ptr);
    transform.kind = kinds[i].kind;
    if (transform.kind != PS_TRANSFORM_INVERT && r->out->n == PS_TRANSFORMS_MAX)
        return ps_fail(err, PS_BAD_REQUEST, "tf takes at most %d transforms", PS_TRANSFORMS_MAX);
    if (kinds[i].takes_path)
        read_path(r, &transform, rest, err);
    else
        read_target(r, &transform, kinds[i].targets, rest, err);
    if (err->code != PS_OK || transform.kind == PS_TRANSFORM_INVERT) {
        free(transform.path);
        free(transform.is_target);
        r->out->inverts |= err->code == PS_OK;
        return err->code;
    }
    r->out->items[r->out->n++] = transform;
    return err->code;
}

enum ps_status ps_stack_transforms_read(struct ps_db *db, struct ps_params params,
                                        struct ps_stack_frames *frames,
                                        struct ps_stack_transforms *out, struct ps_err *err)
{
    struct reader reader = {db, frames, out};
    struct ps_str rest = ps_str_from_c(ps_param_get(params, "tf"));

    *out = (struct ps_stack_transforms){.n_ids = frames->n + PS_TRANSFORMS_MAX};
    while (rest.len && err->code == PS_OK)
        read_transform(&reader, cut_word(&rest, ','), err);
    return err->code;
}

void ps_stack_transforms_free(struct ps_stack_transforms *transforms)
{
    for (size_t i = 0; i < transforms->n; i++) {
        free(transforms->items[i].is_target);
        free(transforms->items[i].path);
    }
    transforms->n = 0;
}

void ps_transform_name(struct ps_db *db, const struct ps_transform *transform,
                       const struct ps_stack_frames *frames, struct ps_buf *out)
{
    struct ps_str text = ps_trace_text(db, transform->shown);

    if (transform->group.ptr)
        ps_buf_add_str(out, transform->group);
    else if (text.ptr)
        ps_stack_function_name(frames, text, out);
    else if (transform->shown) /* a collapsed frame */
        ps_buf_add_str(out, ps_stack_name(frames, transform->shown));
}

bool ps_stack_is_collapsed(const struct ps_stack_transforms *transforms, uint32_t frame,
                           const struct ps_transform **transform)
{
    for (size_t i = 0; i < transforms->n; i++)
        if (transforms->items[i].collapsed == frame && frame) {
            if (transform)
                *transform = &transforms->items[i];
            return true;
        }
    return false;
}

uint32_t ps_stack_collapse(const struct ps_stack_transforms *transforms, size_t n, uint32_t frame)
{
    for (size_t i = 0; i < n; i++)
        if (transforms->items[i].collapsed && transforms->items[i].is_target[frame])
            frame = transforms->items[i].collapsed;
    return frame;
}

/* --- Applying --- */

/* The step of a stack without frames. */
static struct ps_stack_step root_step(const struct ps_transform *transform)
{
    bool is_outside =
        transform->kind == PS_TRANSFORM_FOCUS || transform->kind == PS_TRANSFORM_FOCUS_PATH;

    return (struct ps_stack_step){.top = is_outside ? PS_STACK_DROPPED : 0};
}

static struct ps_stack_step *step_at(const struct ps_transform_stack *stack, uint32_t depth,
                                     size_t transform)
{
    return &stack->steps[depth * stack->transforms->n + transform];
}

/* Whether a transform is about a frame. family: of its slice; of a collapsed frame that of a frame
 * that it replaces. */
static bool is_target(const struct ps_transform_stack *stack, const struct ps_transform *transform,
                      uint32_t id, uint8_t family)
{
    if (transform->target != PS_TARGET_ORIGIN)
        return transform->is_target && transform->is_target[id];
    if (ps_stack_is_collapsed(stack->transforms, id, NULL))
        family = PS_FAMILY_NONE;
    return ps_stack_origin(stack->frames, id, family) == transform->origin;
}

/* A frame below the transformed stack *under. */
static struct ps_stack_step push(const struct ps_stack_step *under, uint32_t depth, uint32_t id,
                                 uint32_t state)
{
    return (struct ps_stack_step){.top = depth + 1, .up = under->top, .id = id, .state = state};
}

/* The transformed stack remains *under. */
static struct ps_stack_step omit(const struct ps_stack_step *under, uint32_t state)
{
    return (struct ps_stack_step){.top = under->top, .state = state};
}

/* The transformed stack is that of the frame `top`. */
static struct ps_stack_step return_to(uint32_t top, uint32_t state)
{
    return (struct ps_stack_step){.top = top, .state = state};
}

static const struct ps_stack_step root = {.top = 0};
static const struct ps_stack_step dropped = {.top = PS_STACK_DROPPED};

/* State of focus and leaf: 1: a target is in the stack. */
static struct ps_stack_step focus(bool hit, const struct ps_stack_step *under, uint32_t depth,
                                  uint32_t id)
{
    if (under->state)
        return push(under, depth, id, 1);
    return hit ? push(&root, depth, id, 1) : dropped;
}

static struct ps_stack_step make_leaf(bool hit, const struct ps_stack_step *under, uint32_t depth,
                                      uint32_t id)
{
    return under->state ? omit(under, 1) : push(under, depth, id, hit);
}

/* State of collapse: 1: the collapsed frame is the innermost. */
static struct ps_stack_step collapse(const struct ps_transform *transform, bool hit,
                                     const struct ps_stack_step *under, uint32_t depth, uint32_t id)
{
    if (!hit)
        return push(under, depth, id, 0);
    return under->state ? omit(under, 1) : push(under, depth, transform->collapsed, 1);
}

/* State of the recursion of one function: its frame in the transformed stack. */
static struct ps_stack_step end_recursion(bool hit, const struct ps_stack_step *under,
                                          uint32_t depth, uint32_t id)
{
    if (!hit)
        return push(under, depth, id, under->state);
    return under->state ? return_to(under->state, under->state) : push(under, depth, id, depth + 1);
}

static struct ps_stack_step end_all_recursion(const struct ps_transform_stack *stack,
                                              size_t transform, const struct ps_stack_step *under,
                                              uint32_t depth, uint32_t id)
{
    const uint32_t *all_lines = stack->frames->all_lines;

    for (uint32_t top = under->top; top;) {
        const struct ps_stack_step *step = step_at(stack, top - 1, transform);

        if (all_lines[step->id] == all_lines[id])
            return return_to(top, 0);
        top = step->up;
    }
    return push(under, depth, id, 0);
}

/* State of paths: how many frames of the path the stack consists of; all of them: the stack begins
 * with the path; OFF_PATH: it does not. */
static struct ps_stack_step follow_path(const struct ps_transform *transform, uint32_t function,
                                        const struct ps_stack_step *under, uint32_t depth,
                                        uint32_t id)
{
    bool focuses = transform->kind == PS_TRANSFORM_FOCUS_PATH, ends;
    uint32_t matched = under->state, next;
    struct ps_stack_step step;

    if (matched == transform->n_path)
        return push(under, depth, id, matched);
    next = matched != OFF_PATH && transform->path[matched] == function ? matched + 1 : OFF_PATH;
    ends = next == transform->n_path;
    if (focuses) {
        if (ends)
            return push(&root, depth, id, next);
        step = dropped;
        step.state = next;
        return step;
    }
    /* below the merged frame no frame is on the path */
    return ends ? omit(under, OFF_PATH) : push(under, depth, id, next);
}

/* Applies a transform to a frame that is pushed on the stack whose step is *under. */
static struct ps_stack_step apply(const struct ps_transform_stack *stack, size_t i,
                                  const struct ps_stack_step *under, uint32_t depth, uint32_t id,
                                  uint8_t family)
{
    const struct ps_transform *transform = &stack->transforms->items[i];
    bool hit = is_target(stack, transform, id, family);

    switch (transform->kind) {
    case PS_TRANSFORM_DROP:
        return hit || under->top == PS_STACK_DROPPED ? dropped : push(under, depth, id, 0);
    case PS_TRANSFORM_FOCUS:
        return focus(hit, under, depth, id);
    case PS_TRANSFORM_MERGE:
        return hit ? omit(under, 0) : push(under, depth, id, 0);
    case PS_TRANSFORM_LEAF:
        return make_leaf(hit, under, depth, id);
    case PS_TRANSFORM_COLLAPSE:
        return collapse(transform, hit, under, depth, id);
    case PS_TRANSFORM_RECURSION:
        return transform->target == PS_TARGET_ALL ? end_all_recursion(stack, i, under, depth, id)
                                                  : end_recursion(hit, under, depth, id);
    case PS_TRANSFORM_FOCUS_PATH:
    case PS_TRANSFORM_MERGE_PATH:
        return follow_path(transform, stack->frames->all_lines[id], under, depth, id);
    case PS_TRANSFORM_INVERT: /* not among the items */
        break;
    }
    return push(under, depth, id, 0);
}

static void reserve_depth(struct ps_transform_stack *stack, uint32_t depth)
{
    if (depth < stack->cap_depths)
        return;
    stack->cap_depths = (size_t)depth * 2 + 64;
    stack->steps =
        ps_grow(stack->steps, stack->cap_depths * stack->transforms->n, sizeof *stack->steps);
}

struct ps_stack_step ps_transform_push(struct ps_transform_stack *stack, uint32_t depth,
                                       uint32_t text, uint8_t family, size_t *dropped_by)
{
    /* the recorded stack, before the first transform */
    struct ps_stack_step step = {.top = depth + 1, .up = depth, .id = text};

    reserve_depth(stack, depth);
    for (size_t i = 0; i < stack->transforms->n; i++) {
        bool pushes = step.top == depth + 1;
        /* the stack below the frame, or the one that the transform before returned to */
        uint32_t top = pushes ? step.up : step.top;
        struct ps_stack_step under =
            top ? *step_at(stack, top - 1, i) : root_step(&stack->transforms->items[i]);

        step = pushes ? apply(stack, i, &under, depth, step.id, family) : under;
        *step_at(stack, depth, i) = step;
        if (step.top == PS_STACK_DROPPED) {
            *dropped_by = i;
            break;
        }
    }
    return step;
}

void ps_transform_stack_free(struct ps_transform_stack *stack)
{
    free(stack->steps);
    stack->steps = NULL;
}
