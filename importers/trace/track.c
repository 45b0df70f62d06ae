/* SPDX-License-Identifier: MIT */
/* track.c: the columns of a track. */
#include "importers/trace/import.h"

#include <sys/mman.h>

static void *column(const struct tr_track *track, uint32_t n, size_t size)
{
    return tr_room_grow(track->room, NULL, n ? n : 1, size);
}

/* Allocates the columns that are read from the file; those of the tree are allocated once the
 * records are released. */
struct tr_track tr_track_new(struct tr_room *room, enum ps_track_kind kind, uint32_t n)
{
    struct tr_track track = {.room = room, .kind = kind, .device = -1};

    track.stream = -1;
    track.tid = INT64_MIN;
    track.start = column(&track, n, sizeof *track.start);
    track.duration = column(&track, n, sizeof *track.duration);
    track.args_at = column(&track, n, sizeof *track.args_at);
    track.name_id = column(&track, n, sizeof *track.name_id);
    track.template = column(&track, n, sizeof *track.template);
    track.cat = column(&track, n, sizeof *track.cat);
    track.slice_kind = column(&track, n, sizeof *track.slice_kind);
    track.flags = column(&track, n, sizeof *track.flags);
    track.family = tr_room_alloc(room, n, sizeof *track.family);
    return track;
}

void tr_track_tree_columns(struct tr_track *track)
{
    track->self = column(track, track->n, sizeof *track->self);
    track->parent = column(track, track->n, sizeof *track->parent);
    track->lane = tr_room_alloc(track->room, track->n, sizeof *track->lane);
}

int64_t *tr_track_extra(struct tr_track *track, enum tr_extra which)
{
    if (!track->extra[which])
        track->extra[which] = tr_room_alloc(track->room, track->n, sizeof(int64_t));
    return track->extra[which];
}

/* Returns the complete pages between rows `from` and `to` of a column to the system. */
static void let_go(const struct tr_track *track, void *column, size_t size, uint32_t from,
                   uint32_t to)
{
    const uintptr_t page = 4096;
    uintptr_t at = ((uintptr_t)column + from * size + page - 1) & ~(page - 1);
    uintptr_t end = ((uintptr_t)column + to * size) & ~(page - 1);

    if (column && at < end && !tr_room_has(track->room, column))
        (void)madvise((void *)at, end - at, MADV_DONTNEED);
}

void tr_track_let_go(struct tr_track *track, uint32_t from, uint32_t to)
{
    let_go(track, track->start, sizeof *track->start, from, to);
    let_go(track, track->duration, sizeof *track->duration, from, to);
    let_go(track, track->self, sizeof *track->self, from, to);
    let_go(track, track->args_at, sizeof *track->args_at, from, to);
    let_go(track, track->name_id, sizeof *track->name_id, from, to);
    let_go(track, track->template, sizeof *track->template, from, to);
    let_go(track, track->parent, sizeof *track->parent, from, to);
    for (int i = 0; i < TR_N_EXTRAS; i++)
        let_go(track, track->extra[i], sizeof *track->extra[i], from, to);
}

void tr_track_free(struct tr_track *track)
{
    void *columns[] = {track->start,   track->duration,   track->self,   track->args_at,
                       track->name_id, track->template,   track->parent, track->lane,
                       track->cat,     track->slice_kind, track->flags,  track->family};

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        tr_room_free(track->room, columns[i]);
    for (int i = 0; i < TR_N_EXTRAS; i++)
        tr_room_free(track->room, track->extra[i]);
    *track = (struct tr_track){.id = track->id};
}

struct ps_str tr_args_of(const struct tr_trace *trace, uint64_t args_at)
{
    if (args_at & TR_OWN_ARGS)
        return ps_str_skip(ps_buf_slice(&trace->import->args), args_at & ~TR_OWN_ARGS);
    return tr_args_at(trace, args_at);
}

bool tr_slice_param(const struct tr_trace *trace, const struct tr_track *track, uint32_t row,
                    int index, int64_t *out)
{
    struct tr_record record = {.template = track->template[row]};

    if (index < 0 || (track->args_at[row] & TR_OWN_ARGS))
        return false;
    record.args_at = track->args_at[row] & ((UINT64_C(1) << 40) - 1);
    return tr_param(trace, &record, index, out);
}
