/* SPDX-License-Identifier: MIT */
/*
 * torch_tree.c: torch's own tree of the events of a thread, and the numbers that follow from it.
 *
 * It differs from the tree of the timeline: Python frames are not in it (but see tr_torch.frames),
 * nor are the names that torch hides, and an event that partly overlaps another becomes its
 * sibling. In order of start, the longer first, an event is the child of the innermost open one
 * that contains it. Then an only child with the name of its parent is merged into the parent,
 * repeatedly. Children come after their parents, so one pass from the end is enough.
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

/* Sets the family and the flags that follow from the name alone. */
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

/* Sets the family of an NVTX range. Its name is the program's, or from torch's emit_nvtx that of an
 * operator. */
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

/* Returns how many of the open events contain [start, end). */
static size_t still_open(const struct tr_open *stack, size_t depth, int64_t start, int64_t end)
{
    while (depth > 0 && (start >= stack[depth - 1].end || end > stack[depth - 1].end))
        depth--;
    return depth;
}

/* Whether a collective ends only when its work does. Torch has a flag for this, which is not in the
 * file: here it is derived from the name. True for the annotations of collectives; of operators
 * (torch before 1.11) only for those of backends that end them on a thread of their own. */
static bool is_async(struct tr_torch *torch, const struct tr_track *track, uint32_t row)
{
    if (!(track->flags[row] & PS_SLICE_COLLECTIVE))
        return false;
    int flags = tr_name_of(&torch->names, track->name_id[row]).flags;
    bool is_op = track->slice_kind[row] == PS_SLICE_OP && !torch->trace->autograd;
    return flags & (is_op ? TR_NAME_HOST_WORK : TR_NAME_WORK);
}

/* Adds the time of device work that the row launched to operator `op`. */
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

static size_t push(struct tr_torch *torch, size_t open, struct tr_open event)
{
    PS_PUSH_ROOM(torch->stack, open, torch->stack_cap);
    torch->stack[open] = event;
    return open + 1;
}

/* Adds the overheads of the profiler that begin before `row` (track->n: all) to the tree, and
 * subtracts their time from the event around them. Returns the number of open events. */
static size_t enter_overheads(struct tr_torch *torch, struct tr_track *track, size_t open,
                              uint32_t row)
{
    struct tr_overheads *all = &torch->overheads;
    for (; all->next < all->n; all->next++) {
        struct tr_overhead *it = &all->at[all->next];
        struct tr_open event = {TR_NO_ROW, TR_NO_ROW, it->end, it};
        if (row < track->n &&
            (it->start > track->start[row] ||
             (it->start == track->start[row] && it->end < it->start + track->duration[row])))
            break;
        open = still_open(torch->stack, open, it->start, it->end);
        if (open > 0) {
            const struct tr_open *around = &torch->stack[open - 1];
            event.row = around->row;
            event.op = around->op;
            take(around->overhead ? &around->overhead->self
                                  : &tr_track_extra(track, TR_OP_SELF)[around->row],
                 it->end - it->start);
        }
        if (event.row != TR_NO_ROW)
            torch->children[event.row] = 2;
        open = push(torch, open, event);
    }
    return open;
}

/* Makes the row a child of `around`. fold subtracts its time from its parent. */
static void join(struct tr_torch *torch, struct tr_track *track, const struct tr_open *around,
                 uint32_t row)
{
    uint32_t parent = torch->parent[row] = around->row;
    if (parent != TR_NO_ROW)
        torch->children[parent] = torch->children[parent] ? 2 : 1;
    if (around->overhead == NULL)
        return;
    take(&around->overhead->self, track->duration[row]);
    if (parent != TR_NO_ROW) /* it was subtracted already, as a part of the overhead */
        add(&tr_track_extra(track, TR_OP_SELF)[parent], track->duration[row]);
}

/* Adds the row to the tree, as a child of the innermost of the `open` events. Returns the new
 * number of open events. */
static size_t enter(struct tr_torch *torch, struct tr_track *track, size_t open, uint32_t row)
{
    uint32_t op = TR_NO_ROW;
    torch->parent[row] = TR_NO_ROW;
    if (open > 0) {
        op = torch->stack[open - 1].op;
        join(torch, track, &torch->stack[open - 1], row);
    }
    if (track->slice_kind[row] == PS_SLICE_RUNTIME)
        visit_runtime(torch, track, row, op);
    if (track->slice_kind[row] == PS_SLICE_OP) {
        visit_op(torch, track, row);
        op = row;
    } else if (is_nvtx(track, row)) {
        op = row;
    }
    return push(torch, open,
                (struct tr_open){row, op, track->start[row] + track->duration[row], NULL});
}

static void build(struct tr_torch *torch, struct tr_track *track)
{
    int64_t *self = tr_track_extra(track, TR_OP_SELF);
    bool is_host = track->thread && track->thread == torch->overheads.host;
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
        if (is_async(torch, track, row)) {
            track->flags[row] |= PS_SLICE_ASYNC;
            continue;
        }
        if (is_host)
            depth = enter_overheads(torch, track, depth, row);
        depth = still_open(torch->stack, depth, track->start[row],
                           track->start[row] + track->duration[row]);
        self[row] = track->duration[row];
        depth = enter(torch, track, depth, row);
    }
    if (is_host)
        (void)enter_overheads(torch, track, depth, track->n);
}

/* Sets the total of one kind of memory, and self, from which fold subtracts the children. Few
 * tracks have any. */
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

/* Subtracts a child's total from its parent's self; a merged child adds its own self to it. */
static void fold_self(int64_t *self, int64_t child_total, uint32_t parent, uint32_t row,
                      bool merged)
{
    add(&self[parent], merged ? self[row] : 0);
    take(&self[parent], child_total);
}

/* Whether torch has the same name for both; all steps have one name. */
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

/* From the end, so that all rows below a row are final when it is reached. */
static void fold(struct tr_torch *torch, struct tr_track *track)
{
    for (uint32_t row = track->n; row-- > 0;) {
        if (torch->parent[row] < NOT_IN_TREE)
            fold_row(torch, track, row);
        if (is_python(track, row))
            track->extra[TR_OP_SELF][row] = 0; /* in the tree, but not in torch's tables */
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
    tr_room_free(track->room, torch->parent); /* the next stages need much memory themselves */
    tr_room_free(track->room, torch->children);
    torch->parent = NULL;
    torch->children = NULL;
}

void tr_tree_free(struct tr_torch *torch)
{
    free(torch->stack);
}
