/* SPDX-License-Identifier: MIT */
/*
 * torch_tree.c: torch's own tree of the events of a thread, and the numbers that follow from it.
 *
 * It is not the tree of the timeline: Python frames are not in it (but see tr_torch.frames), nor
 * what torch hides, and who overlaps becomes a sibling of what it overlaps. In order of start, the
 * longer first, an event is the child of the innermost open one that it lies inside. Then an only
 * child with the name of its parent is merged into it, as often as that happens; children stand
 * behind their parents, so that one pass from the end does it.
 */
#include "importers/trace/torch.h"

#include <stdlib.h>

#define NOT_IN_TREE (TR_NO_ROW - 1)

static void add(int64_t *to, int64_t value)
{
    *to = (int64_t)((uint64_t)*to + (uint64_t)value);
}

static void take(int64_t *from, int64_t value)
{
    *from = (int64_t)((uint64_t)*from - (uint64_t)value);
}

static bool is_python(const struct tr_track *track, uint32_t row)
{
    return track->slice_kind[row] == PS_SLICE_PYTHON;
}

static bool is_named(const struct tr_track *track, uint32_t row)
{
    return track->slice_kind[row] == PS_SLICE_OP || track->slice_kind[row] == PS_SLICE_ANNOTATION;
}

/* Family and flags that follow from the name alone. */
static void visit_name(struct tr_torch *torch, struct tr_track *track, uint32_t row)
{
    struct tr_name name = tr_name_of(&torch->names, track->name_id[row]);
    bool plain = track->slice_kind[row] == PS_SLICE_ANNOTATION && name.family != PS_FAMILY_DATA &&
                 name.family != PS_FAMILY_COMMUNICATION;
    track->family[row] = plain ? PS_FAMILY_ANNOTATION : name.family;
    if (name.flags & TR_NAME_HIDDEN)
        track->flags[row] |= PS_SLICE_HIDDEN;
    if (name.flags & TR_NAME_COLLECTIVE)
        track->flags[row] |= PS_SLICE_COLLECTIVE;
}

static bool is_nvtx(const struct tr_track *track, uint32_t row)
{
    return track->slice_kind[row] == PS_SLICE_NVTX;
}

/* Programs give ranges names of their own; torch's emit_nvtx those of its operators. */
static void visit_range(struct tr_torch *torch, struct tr_track *track, uint32_t row)
{
    uint8_t family = tr_name_of(&torch->names, track->name_id[row]).family;

    track->family[row] = family == PS_FAMILY_RUNTIME ? PS_FAMILY_ANNOTATION : family;
}

static bool is_candidate(const struct tr_torch *torch, const struct tr_track *track, uint32_t row)
{
    if (track->flags[row] & (PS_SLICE_HIDDEN | PS_SLICE_INSTANT))
        return false;
    return is_named(track, row) || is_nvtx(track, row) ||
           track->slice_kind[row] == PS_SLICE_RUNTIME || (torch->frames && is_python(track, row));
}

/* How many of the open events have the row inside of them. */
static size_t still_open(const struct tr_track *track, const struct tr_open *stack, size_t depth,
                         uint32_t row)
{
    int64_t start = track->start[row], end = start + track->duration[row];
    while (depth > 0 && (start >= stack[depth - 1].end || end > stack[depth - 1].end))
        depth--;
    return depth;
}

/* An annotation of a collective is written by the thread that ends it, and lies among events that
 * it has nothing to do with; unless that is the thread that asked for it (NCCL), where it lies in
 * an operator of communication or is one. Torch tells them by their two threads, which the file
 * lacks. */
static bool is_async(struct tr_torch *torch, const struct tr_track *track, size_t open,
                     uint32_t row)
{
    if (!(track->flags[row] & PS_SLICE_COLLECTIVE))
        return false;
    int flags = tr_name_of(&torch->names, track->name_id[row]).flags;
    bool is_op = track->slice_kind[row] == PS_SLICE_OP && !torch->trace->autograd;
    if (!(flags & TR_NAME_WORK) || (is_op && !(flags & TR_NAME_HOST_WORK)))
        return false;
    return open == 0 || !(track->flags[torch->stack[open - 1].row] & PS_SLICE_COLLECTIVE);
}

/* Device work launched by the row goes to operator `op`. */
static void attribute(struct tr_track *track, uint32_t op, int64_t ns)
{
    if (op == TR_NO_ROW || ns == 0)
        return;
    add(&tr_track_extra(track, TR_DEVICE_SELF)[op], ns);
    add(&tr_track_extra(track, TR_DEVICE_TOTAL)[op], ns);
}

static void visit_runtime(struct tr_torch *torch, struct tr_track *track, uint32_t row, uint32_t op)
{
    attribute(track, op, tr_correlations_launch(torch->correlations, track, row, op));
}

static void visit_op(struct tr_torch *torch, struct tr_track *track, uint32_t row)
{
    struct tr_name name = tr_name_of(&torch->names, track->name_id[row]);
    if (name.flops) {
        int64_t flops = tr_flops_of(torch->flops, name.flops, track->template[row]);
        if (flops)
            tr_track_extra(track, TR_FLOPS)[row] = flops;
    }
    if (tr_correlations_orphans(torch->correlations))
        attribute(track, row, tr_correlations_adopt(torch->correlations, track, row));
}

/* The row becomes a child of the innermost of `open` events; returns how many are open then. */
static size_t enter(struct tr_torch *torch, struct tr_track *track, size_t open, uint32_t row)
{
    uint32_t op = TR_NO_ROW;
    torch->parent[row] = TR_NO_ROW;
    if (open > 0) {
        uint32_t parent = torch->stack[open - 1].row;
        op = torch->stack[open - 1].op;
        torch->parent[row] = parent;
        torch->children[parent] = torch->children[parent] ? 2 : 1;
    }
    if (track->slice_kind[row] == PS_SLICE_RUNTIME)
        visit_runtime(torch, track, row, op);
    if (track->slice_kind[row] == PS_SLICE_OP) {
        visit_op(torch, track, row);
        op = row;
    } else if (is_nvtx(track, row)) {
        op = row;
    }
    PS_PUSH_ROOM(torch->stack, open, torch->stack_cap);
    torch->stack[open] = (struct tr_open){row, op, track->start[row] + track->duration[row]};
    return open + 1;
}

static void build(struct tr_torch *torch, struct tr_track *track)
{
    int64_t *self = tr_track_extra(track, TR_OP_SELF);
    size_t depth = 0;
    for (uint32_t row = 0; row < track->n; row++) {
        tr_room_row(track->room, row);
        torch->parent[row] = NOT_IN_TREE;
        torch->children[row] = 0;
        if (is_named(track, row))
            visit_name(torch, track, row);
        else if (is_nvtx(track, row))
            visit_range(torch, track, row);
        else
            track->family[row] = is_python(track, row) ? PS_FAMILY_PYTHON : PS_FAMILY_RUNTIME;
        if (!is_candidate(torch, track, row))
            continue;
        size_t open = still_open(track, torch->stack, depth, row);
        if (is_async(torch, track, open, row)) {
            track->flags[row] |= PS_SLICE_ASYNC;
            continue;
        }
        depth = enter(torch, track, open, row);
        self[row] = track->duration[row];
    }
}

/* The total of one kind of memory; self is made of it by fold. Few tracks have any. */
static void put_bytes(struct tr_track *track, uint32_t row, int64_t bytes, bool in_tree,
                      enum tr_extra total, enum tr_extra self)
{
    if (bytes == 0)
        return;
    tr_track_extra(track, total)[row] = bytes;
    tr_track_extra(track, self)[row] = in_tree ? bytes : 0;
}

static void sum_memory(struct tr_torch *torch, struct tr_track *track)
{
    for (uint32_t row = 0; row < track->n; row++) {
        tr_room_row(track->room, row);
        bool in_tree = torch->parent[row] != NOT_IN_TREE;
        if (!in_tree && !(track->flags[row] & PS_SLICE_ASYNC))
            continue;
        struct tr_memory_sums sums = tr_memory_in(torch->memory, track->start[row],
                                                  track->start[row] + track->duration[row]);
        put_bytes(track, row, sums.cpu, in_tree, TR_CPU_BYTES, TR_CPU_BYTES_SELF);
        put_bytes(track, row, sums.accelerator, in_tree, TR_DEVICE_BYTES, TR_DEVICE_BYTES_SELF);
    }
}

/* Takes a child's total off its parent's self; a merged one leaves its own self there. */
static void fold_self(int64_t *self, int64_t child_total, uint32_t parent, uint32_t row,
                      bool merged)
{
    add(&self[parent], merged ? self[row] : 0);
    take(&self[parent], child_total);
}

/* Torch's names: those of steps are one. */
static bool same_name(struct tr_torch *torch, const struct tr_track *track, uint32_t a, uint32_t b)
{
    if (is_python(track, a) || is_python(track, b) || is_nvtx(track, a))
        return false;
    if (track->name_id[a] == track->name_id[b])
        return true;
    return track->slice_kind[a] == PS_SLICE_ANNOTATION &&
           track->slice_kind[b] == PS_SLICE_ANNOTATION &&
           tr_name_of(&torch->names, track->name_id[a]).flags &
               tr_name_of(&torch->names, track->name_id[b]).flags & TR_NAME_STEP;
}

static void fold_row(struct tr_torch *torch, struct tr_track *track, uint32_t row)
{
    uint32_t parent = torch->parent[row];
    int64_t **extra = track->extra;
    bool merged = torch->children[parent] == 1 && same_name(torch, track, row, parent);
    if (merged) {
        track->flags[row] |= PS_SLICE_MERGED;
        torch->children[parent] = torch->children[row];
    }
    fold_self(extra[TR_OP_SELF], track->duration[row], parent, row, merged);
    if (extra[TR_DEVICE_TOTAL]) {
        add(&extra[TR_DEVICE_TOTAL][parent], extra[TR_DEVICE_TOTAL][row]);
        add(&extra[TR_DEVICE_SELF][parent], merged ? extra[TR_DEVICE_SELF][row] : 0);
    }
    if (extra[TR_CPU_BYTES])
        fold_self(extra[TR_CPU_BYTES_SELF], extra[TR_CPU_BYTES][row], parent, row, merged);
    if (extra[TR_DEVICE_BYTES])
        fold_self(extra[TR_DEVICE_BYTES_SELF], extra[TR_DEVICE_BYTES][row], parent, row, merged);
}

/* From the end: what stands below a row is settled when its turn comes. */
static void fold(struct tr_torch *torch, struct tr_track *track)
{
    for (uint32_t row = track->n; row-- > 0;) {
        if (torch->parent[row] < NOT_IN_TREE)
            fold_row(torch, track, row);
        if (is_python(track, row))
            track->extra[TR_OP_SELF][row] = 0; /* kept in the tree, never a row */
        tr_room_row(track->room, row);
    }
}

void tr_tree_track(struct tr_torch *torch, struct tr_track *track)
{
    if (track->n == 0)
        return;
    torch->parent = tr_room_grow(track->room, NULL, track->n, sizeof *torch->parent);
    torch->children = tr_room_grow(track->room, NULL, track->n, sizeof *torch->children);
    build(torch, track);
    if (tr_memory_any(torch->memory) && !torch->trace->fed)
        sum_memory(torch, track);
    fold(torch, track);
    tr_room_free(track->room, torch->parent); /* what follows needs much memory itself */
    tr_room_free(track->room, torch->children);
    torch->parent = NULL;
    torch->children = NULL;
}

void tr_tree_free(struct tr_torch *torch)
{
    free(torch->stack);
}
