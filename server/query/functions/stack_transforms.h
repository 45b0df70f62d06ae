/* SPDX-License-Identifier: MIT */
/*
 * stack_transforms.h: the call-tree transforms of stacks: the parameter tf.
 *
 *     tf=drop:12,merge:file:7,collapse:package:30,focus-path:3.8.12,invert
 *
 * A stack is a list of frames, the root first, with a weight. Each transform of the list maps the
 * stacks that the transform before it leaves. A transform never changes a weight: drop, focus and
 * focus-path remove stacks, all others conserve the sum of the weights. A stack can lose all of its
 * frames; its weight then counts in the whole, but in no frame.
 *
 * ID is the text id of a frame of the run, which never changes. TARGET selects frames:
 *
 *     ID           the function of the frame, with all its lines, also with mode=line
 *     file:ID      all functions in the file of the frame
 *     package:ID   all functions in the installed package, or in the module of the standard
 *                  library, of the frame
 *     origin:NAME  all frames whose code is from there: own, third-party, stdlib, builtin, unknown
 *
 * - drop:TARGET removes the stacks that have a target.
 * - focus:TARGET removes the stacks that have no target, and of the others all frames that are
 *   outside of the outermost target.
 * - merge:TARGET removes all targets from the stacks. The weight of a target becomes part of its
 *   caller's.
 * - leaf:TARGET removes all frames that are inside of the outermost target: its callees.
 * - collapse:TARGET replaces each sequence of adjacent targets by one frame. TARGET is file:ID or
 *   package:ID, and the new frame has its name.
 * - recursion:TARGET removes all frames that are inside of the outermost frame of a function, up to
 *   and with the innermost frame of the same function, for each function of TARGET: A X B X C
 *   becomes A X C. TARGET is ID.
 * - recursion is the same for all functions: a frame whose function the stack has already removes
 *   all frames inside of that one, from the root on.
 * - focus-path:PATH removes the stacks that do not begin with PATH, and of the others all frames
 *   before the last frame of PATH.
 * - merge-path:PATH removes the last frame of PATH from the stacks that begin with PATH.
 * - invert reverses the stacks: the tree begins with the innermost frames. It is applied after all
 *   others, wherever it is in the list. Tables and the sandwich are not affected.
 *
 * PATH is a list of IDs from the root of the tree that the transforms before it leave, separated by
 * dots. The ID of a collapsed frame is that of its transform. A function that was collapsed is
 * found by its own ID too.
 *
 * The first n frames of a stack and the transforms determine what becomes of these n frames, except
 * with invert. So a reader that pushes and pops frames computes a transform once for each frame
 * that it pushes, not once for each frame of each stack.
 */
#ifndef PS_QUERY_FUNCTIONS_STACK_TRANSFORMS_H
#define PS_QUERY_FUNCTIONS_STACK_TRANSFORMS_H

#include "server/query/functions/stack_frames.h"

#define PS_TRANSFORMS_MAX    32
#define PS_TRANSFORM_IDS_MAX 1024 /* ids of one path */

enum ps_transform_kind {
    PS_TRANSFORM_DROP,
    PS_TRANSFORM_FOCUS,
    PS_TRANSFORM_MERGE,
    PS_TRANSFORM_LEAF,
    PS_TRANSFORM_COLLAPSE,
    PS_TRANSFORM_RECURSION,
    PS_TRANSFORM_FOCUS_PATH,
    PS_TRANSFORM_MERGE_PATH,
    PS_TRANSFORM_INVERT,
};
enum ps_transform_target {
    PS_TARGET_ALL,
    PS_TARGET_FUNCTION,
    PS_TARGET_FILE,
    PS_TARGET_PACKAGE,
    PS_TARGET_ORIGIN,
};

struct ps_transform {
    enum ps_transform_kind kind;
    enum ps_transform_target target;
    struct ps_str text;    /* as in the parameter; valid as long as the parameters */
    struct ps_str group;   /* name of the file, package or origin; of another target {NULL, 0} */
    uint32_t id;           /* text id; of a path the last one; 0: none */
    uint32_t shown;        /* what the transforms before it make of the frame `id` */
    enum ps_origin origin; /* PS_TARGET_ORIGIN */
    uint8_t *is_target;    /* [text id]; NULL: a path, an origin, or all */
    uint32_t *path;        /* n_path functions */
    size_t n_path;
    uint32_t collapsed; /* PS_TRANSFORM_COLLAPSE: id of the frame that replaces the targets */
};

struct ps_stack_transforms {
    /* without invert, in the order in which they are applied */
    struct ps_transform items[PS_TRANSFORMS_MAX];
    size_t n;
    bool inverts;
    size_t n_ids; /* length of the arrays is_target */
};

/* Reads the parameter tf. PS_BAD_REQUEST: a transform is unknown, or the run has no frame with an
 * ID. Adds the collapsed frames to `frames`, which must remain until the transforms are freed. Free
 * with ps_stack_transforms_free, also after a failure. */
enum ps_status ps_stack_transforms_read(struct ps_db *db, struct ps_params params,
                                        struct ps_stack_frames *frames,
                                        struct ps_stack_transforms *out, struct ps_err *err);
void ps_stack_transforms_free(struct ps_stack_transforms *transforms);

/* Appends the name of what a transform is about: a function, a file, a package; nothing if it is
 * about all functions. */
void ps_transform_name(struct ps_db *db, const struct ps_transform *transform,
                       const struct ps_stack_frames *frames, struct ps_buf *out);

/* Whether a frame was added by a transform; *transform (may be NULL): the transform. */
bool ps_stack_is_collapsed(const struct ps_stack_transforms *transforms, uint32_t frame,
                           const struct ps_transform **transform);
/* The frame that the first n transforms make of a frame of the run: the frame itself, or the frame
 * that it is collapsed to. */
uint32_t ps_stack_collapse(const struct ps_stack_transforms *transforms, size_t n, uint32_t frame);

#define PS_STACK_DROPPED UINT32_MAX

/* The transformed stack of a stack whose innermost frame is at one depth. Frames of transformed
 * stacks are named by the depth + 1 at which they were pushed; 0: no frame. */
struct ps_stack_step {
    uint32_t top; /* the innermost frame; PS_STACK_DROPPED: the stack is removed */
    uint32_t up;  /* of the frame that this depth pushed: the frame outside of it */
    uint32_t id;  /* ... and its text id, or that of a collapsed frame */
    uint32_t state;
};

/* The steps of the current stack: for each depth, one for each transform. */
struct ps_transform_stack {
    const struct ps_stack_transforms *transforms;
    const struct ps_stack_frames *frames;
    struct ps_stack_step *steps;
    size_t cap_depths;
};
/* Pushes a frame at `depth`, from 0, and pops the frames at this depth and below. family: of its
 * slice. Returns the step after the last transform. *dropped_by: if the stack is removed, index of
 * the transform that removes it. There must be at least one transform. */
struct ps_stack_step ps_transform_push(struct ps_transform_stack *stack, uint32_t depth,
                                       uint32_t text, uint8_t family, size_t *dropped_by);
void ps_transform_stack_free(struct ps_transform_stack *stack);

#endif
