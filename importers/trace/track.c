/* SPDX-License-Identifier: MIT */
/* track.c: the columns of a track. */
#include "importers/trace/track.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "importers/trace/import_state.h"
#include "importers/trace/sort_order.h"

static void *new_column(const struct tr_track *track, uint32_t n, size_t size)
{
    return tr_scratch_grow(track->scratch, NULL, n ? n : 1, size);
}

/* Allocates the columns that are read from the file. The columns of the tree are allocated once the
 * records are released. */
struct tr_track tr_track_new(struct tr_scratch *scratch, enum ps_track_kind kind, uint32_t n)
{
    struct tr_track track = {.scratch = scratch, .kind = kind, .device = -1};

    track.stream = -1;
    track.tid = INT64_MIN;
    track.start = new_column(&track, n, sizeof *track.start);
    track.duration = new_column(&track, n, sizeof *track.duration);
    track.args_address = new_column(&track, n, sizeof *track.args_address);
    track.name_id = new_column(&track, n, sizeof *track.name_id);
    track.template = new_column(&track, n, sizeof *track.template);
    track.category = new_column(&track, n, sizeof *track.category);
    track.slice_kind = new_column(&track, n, sizeof *track.slice_kind);
    track.flags = new_column(&track, n, sizeof *track.flags);
    track.family = tr_scratch_alloc(scratch, n, sizeof *track.family);
    return track;
}

void tr_track_add_tree_columns(struct tr_track *track)
{
    track->self = new_column(track, track->n, sizeof *track->self);
    track->parent = new_column(track, track->n, sizeof *track->parent);
    track->lane = tr_scratch_alloc(track->scratch, track->n, sizeof *track->lane);
}

int64_t *tr_track_extra_column(struct tr_track *track, enum tr_extra_column which)
{
    if (!track->extra[which])
        track->extra[which] = tr_scratch_alloc(track->scratch, track->n, sizeof(int64_t));
    return track->extra[which];
}

/* Returns the complete pages between rows `from` and `to` of a column to the system. */
static void drop_rows(const struct tr_track *track, void *column, size_t size, uint32_t from,
                      uint32_t to)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t at = ((uintptr_t)column + from * size + page - 1) & ~(page - 1);
    uintptr_t end = ((uintptr_t)column + to * size) & ~(page - 1);

    if (column && at < end && !tr_scratch_contains(track->scratch, column))
        (void)madvise((void *)at, end - at, MADV_DONTNEED);
}

void tr_track_drop_rows(struct tr_track *track, uint32_t from, uint32_t to)
{
    drop_rows(track, track->start, sizeof *track->start, from, to);
    drop_rows(track, track->duration, sizeof *track->duration, from, to);
    drop_rows(track, track->self, sizeof *track->self, from, to);
    drop_rows(track, track->args_address, sizeof *track->args_address, from, to);
    drop_rows(track, track->name_id, sizeof *track->name_id, from, to);
    drop_rows(track, track->template, sizeof *track->template, from, to);
    drop_rows(track, track->parent, sizeof *track->parent, from, to);
    for (int i = 0; i < TR_N_EXTRAS; i++)
        drop_rows(track, track->extra[i], sizeof *track->extra[i], from, to);
}

void tr_track_free(struct tr_track *track)
{
    void *columns[] = {track->start,    track->duration,   track->self,   track->args_address,
                       track->name_id,  track->template,   track->parent, track->lane,
                       track->category, track->slice_kind, track->flags,  track->family,
                       track->flow};

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        tr_scratch_free(track->scratch, columns[i]);
    for (int i = 0; i < TR_N_EXTRAS; i++)
        tr_scratch_free(track->scratch, track->extra[i]);
    *track = (struct tr_track){.id = track->id};
}

bool tr_read_slice_param(const struct tr_trace *trace, const struct tr_track *track, uint32_t row,
                         int index, int64_t *out)
{
    struct tr_record record = {.template = track->template[row]};

    if (index < 0)
        return false;
    record.args_address = track->args_address[row] & ((UINT64_C(1) << 40) - 1);
    return tr_read_param(trace, &record, index, out);
}

static bool starts_before(const void *list, uint32_t a, uint32_t b)
{
    const struct tr_track *t = list;

    return t->start[a] < t->start[b];
}

static bool encloses_before(const void *list, uint32_t a, uint32_t b)
{
    const struct tr_track *t = list;

    if (t->start[a] != t->start[b])
        return t->start[a] < t->start[b];
    return t->duration[a] > t->duration[b];
}

/* Reorders [from, to) of a column; `order` maps this range onto itself. */
static void reorder_column(void *column, size_t size, const uint32_t *order, size_t from, size_t to,
                           char *scratch)
{
    char *bytes = column;

    for (size_t i = from; i < to; i++)
        memcpy(scratch + (i - from) * size, bytes + order[i] * size, size);
    memcpy(bytes + from * size, scratch, (to - from) * size);
}

static void reorder_all(struct tr_track *track, const uint32_t *order, size_t from, size_t to,
                        char *scratch)
{
    reorder_column(track->start, sizeof *track->start, order, from, to, scratch);
    reorder_column(track->duration, sizeof *track->duration, order, from, to, scratch);
    reorder_column(track->args_address, sizeof *track->args_address, order, from, to, scratch);
    reorder_column(track->name_id, sizeof *track->name_id, order, from, to, scratch);
    reorder_column(track->template, sizeof *track->template, order, from, to, scratch);
    reorder_column(track->category, sizeof *track->category, order, from, to, scratch);
    reorder_column(track->slice_kind, sizeof *track->slice_kind, order, from, to, scratch);
    reorder_column(track->flags, sizeof *track->flags, order, from, to, scratch);
    reorder_column(track->family, sizeof *track->family, order, from, to, scratch);
    if (track->flow)
        reorder_column(track->flow, sizeof *track->flow, order, from, to, scratch);
}

/* Returns the end of the shortest range from `from` on that `order` maps onto itself. */
static size_t closed_range_end(const uint32_t *order, size_t from)
{
    size_t farthest = order[from], i = from;

    for (; i < farthest; i++)
        farthest = order[i + 1] > farthest ? order[i + 1] : farthest;
    return i + 1;
}

void tr_track_sort(struct tr_track *track, bool by_length)
{
    uint32_t *order =
        tr_sort_order(track->scratch, track, track->n, by_length ? encloses_before : starts_before);
    size_t cap = 0;
    char *buffer = NULL;

    /* Rows are mostly out of order by a few positions only. */
    for (size_t from = 0, to; order && from < track->n; from = to) {
        to = closed_range_end(order, from);
        if (to - from > cap) {
            cap = (to - from) * 2;
            buffer = tr_scratch_grow(track->scratch, buffer, cap, sizeof(int64_t));
        }
        if (to - from > 1)
            reorder_all(track, order, from, to, buffer);
        tr_scratch_count_bytes(track->scratch, (to - from) * TR_BYTES_SORTED);
    }
    tr_scratch_free(track->scratch, buffer);
    tr_scratch_free(track->scratch, order);
}
