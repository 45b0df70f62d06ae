/* SPDX-License-Identifier: MIT */
#include "slices/window.h"

#include <stdlib.h>

#include "slices/column.h"
#include "slices/pyramid.h"

#define PX_MAX   65535u
#define TIME_MAX (INT64_C(1) << 60) /* limit of window ends: keeps sums in range */

/* A slice or bin to be added. */
struct item {
    int64_t start, duration;
    uint32_t row, name;
    uint16_t depth, flags;
    uint8_t kind, family;
};

void ps_window_begin(struct ps_window *w, int64_t from_ns, int64_t to_ns, uint32_t px)
{
    double span;

    from_ns = from_ns < -TIME_MAX ? -TIME_MAX : from_ns > TIME_MAX ? TIME_MAX : from_ns;
    to_ns = to_ns > TIME_MAX ? TIME_MAX : to_ns < from_ns ? from_ns : to_ns;
    span = to_ns > from_ns ? (double)(to_ns - from_ns) : 1.0;
    w->from_ns = from_ns;
    w->to_ns = to_ns;
    w->px = px < 1 ? 1 : px > PX_MAX ? PX_MAX : px;
    w->n_slices = w->n_density = 0;
    w->n_counted = 0;
    w->first_depth = 0;
    w->end_depth = UINT32_MAX;
    w->ns_per_px = span / w->px;
    w->px_per_ns = w->px / span;
    w->two_px_ns = w->ns_per_px > 0.5 ? (int64_t)(2 * w->ns_per_px) : 1;
    ps_hash_table_clear(&w->density_index);
    ps_hash_table_reserve(&w->density_index, w->px);
}

static uint32_t px_of(const struct ps_window *w, int64_t at)
{
    double px = ((double)at - (double)w->from_ns) * w->px_per_ns;

    return px <= 0 ? 0 : px >= w->px ? w->px - 1 : (uint32_t)px;
}

/* --- Density --- */

struct density_key {
    uint32_t px;
    uint16_t depth;
};

static bool is_density(const void *items, uint32_t index, const void *of)
{
    const struct ps_window_density *density = (const struct ps_window_density *)items + index;
    const struct density_key *key = of;

    return density->px == key->px && density->depth == key->depth;
}

/* Puts eight neighbouring pixels into eight neighbouring slots, one cache line: slices arrive in
 * order of time. */
static uint64_t hash_pixel(uint16_t depth, uint32_t px)
{
    return (ps_hash_u64((uint64_t)depth << 32 | px >> 3) & ~UINT64_C(7)) | (px & 7);
}

static struct ps_window_density *density_at(struct ps_window *w, uint16_t depth, uint32_t px)
{
    const struct density_key key = {px, depth};
    uint32_t index = ps_hash_table_add(&w->density_index, hash_pixel(depth, px),
                                       (uint32_t)w->n_density, is_density, w->density, &key);

    if (index == w->n_density) {
        PS_RESERVE_ONE(w->density, w->n_density, w->density_cap);
        w->density[w->n_density++] =
            (struct ps_window_density){.px = px, .depth = depth, .longest_ns = -1};
    }
    return &w->density[index];
}

static void shade_pixels(struct ps_window *w, const struct item *item, uint32_t px, uint32_t count,
                         int64_t busy_ns)
{
    struct ps_window_density *d = density_at(w, item->depth, px);

    d->count += count;
    if (__builtin_add_overflow(d->busy_ns, busy_ns, &d->busy_ns))
        d->busy_ns = INT64_MAX;
    if (item->duration > d->longest_ns) {
        d->longest_ns = item->duration;
        d->name = item->name;
        d->kind = item->kind;
        d->family = item->family;
    }
}

/* Returns the end of the pixel in ns, but at least at + 1, since the end is rounded. `at` is inside
 * the pixel. */
static int64_t edge_of(const struct ps_window *w, uint32_t px, int64_t at)
{
    int64_t edge = w->from_ns + (int64_t)((px + 1) * w->ns_per_px);

    return edge > at ? edge : at + 1;
}

/* Adds a slice shorter than two pixels to each pixel it covers; counts it only in the first. */
static void add_short(struct ps_window *w, const struct item *item, int64_t end)
{
    int64_t at = item->start > w->from_ns ? item->start : w->from_ns;
    uint32_t px = px_of(w, at), count = 1;

    w->n_counted++;
    end = end < w->to_ns ? end : w->to_ns;
    do {
        int64_t edge = edge_of(w, px, at);
        int64_t stop = end < edge || px + 1 == w->px ? end : edge;

        shade_pixels(w, item, px++, count, stop > at ? stop - at : 0);
        at = stop;
        count = 0;
    } while (at < end);
}

static void add_item(struct ps_window *w, const struct item *item)
{
    int64_t end;

    if (__builtin_add_overflow(item->start, item->duration, &end))
        end = INT64_MAX;
    if (item->start >= w->to_ns || (item->start < w->from_ns && end <= w->from_ns))
        return;
    if (item->duration < w->two_px_ns) {
        add_short(w, item, end);
        return;
    }
    PS_RESERVE_ONE(w->slices, w->n_slices, w->slices_cap);
    w->slices[w->n_slices++] = (struct ps_window_slice){
        .row = item->row,
        .name = item->name,
        .start_ns = item->start,
        .duration_ns = item->duration,
        .depth = item->depth,
        .kind = item->kind,
        .family = item->family,
        .flags = item->flags,
    };
}

/* --- Input --- */

static bool has_depth(const struct ps_window *w, uint16_t depth)
{
    return depth >= w->first_depth && depth < w->end_depth;
}

static int64_t not_negative(int64_t duration)
{
    return duration > 0 ? duration : 0;
}

void ps_window_add_chunk(struct ps_window *w, const struct ps_chunk *chunk, int64_t shorter_ns)
{
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
        int64_t duration = not_negative(ps_chunk_value(chunk, PS_COL_DURATION, i));
        uint16_t depth = (uint16_t)ps_chunk_value(chunk, PS_COL_DEPTH, i);

        if (start >= w->to_ns)
            break; /* slices are sorted by start */
        if (duration >= shorter_ns || !has_depth(w, depth) ||
            (start < w->from_ns && (uint64_t)duration <= (uint64_t)w->from_ns - (uint64_t)start))
            continue;
        add_item(w, &(struct item){
                        .start = start,
                        .duration = duration,
                        .row = chunk->first + i,
                        .name = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i),
                        .depth = (uint16_t)(depth - w->first_depth),
                        .kind = (uint8_t)ps_chunk_value(chunk, PS_COL_KIND, i),
                        .family = (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i),
                        .flags = (uint16_t)ps_chunk_value(chunk, PS_COL_FLAGS, i),
                    });
    }
}

/* Adds a complete bin to the pixel in which it begins. */
static void add_bin(struct ps_window *w, const struct item *item, int64_t count, int64_t busy)
{
    shade_pixels(w, item, px_of(w, item->start), count > 0 ? (uint32_t)count : 0,
                 not_negative(busy));
    w->n_counted += count > 0 ? (uint64_t)count : 0;
}

static void add_rows(struct ps_window *w, const struct ps_pyramid_block *block)
{
    int64_t *const *column = w->column;

    for (uint32_t i = 0; i < block->n; i++) {
        uint16_t depth = (uint16_t)column[PS_PYRAMID_DEPTH][i];
        struct item item = {
            .start = column[PS_LONG_START][i],
            .name = (uint32_t)column[PS_PYRAMID_NAME][i],
            .depth = (uint16_t)(depth - w->first_depth),
            .kind = (uint8_t)column[PS_PYRAMID_KIND][i],
            .family = (uint8_t)column[PS_PYRAMID_FAMILY][i],
        };

        if (item.start >= w->to_ns || !has_depth(w, depth))
            continue;
        if (block->is_bins) {
            item.duration = not_negative(column[PS_BIN_LONGEST][i]);
            if (item.start > w->from_ns ||
                (uint64_t)w->from_ns - (uint64_t)item.start < (uint64_t)block->bin_ns)
                add_bin(w, &item, column[PS_BIN_COUNT][i], column[PS_BIN_BUSY][i]);
            continue;
        }
        item.duration = not_negative(column[PS_LONG_DURATION][i]);
        item.row = (uint32_t)column[PS_LONG_ROW][i];
        item.flags = (uint16_t)column[PS_LONG_FLAGS][i];
        add_item(w, &item);
    }
}

static bool unpack_block(struct ps_window *w, struct ps_str packed, uint32_t n)
{
    for (int c = 0; c < PS_PYRAMID_COLUMNS; c++) {
        uint32_t len;

        if (packed.len < sizeof len)
            return false;
        memcpy(&len, packed.ptr, sizeof len);
        packed = ps_str_skip(packed, sizeof len);
        if (len > packed.len)
            return false;
        if (!w->column[c])
            w->column[c] = ps_grow(NULL, PS_PYRAMID_ROWS, sizeof(int64_t));
        if (!ps_column_unpack((struct ps_str){packed.ptr, len}, n, w->column[c]))
            return false;
        packed = ps_str_skip(packed, len);
    }
    return packed.len == 0;
}

bool ps_window_overlaps(const struct ps_window *w, const struct ps_pyramid_block *block)
{
    return block->from_ns < w->to_ns && block->to_ns > w->from_ns;
}

bool ps_window_add_level(struct ps_window *w, struct ps_str blocks, bool bins)
{
    struct ps_pyramid_block block;

    while (blocks.len) {
        struct ps_str body = ps_str_skip(blocks, PS_PYRAMID_HEAD_SIZE);

        if (!ps_pyramid_read_block(blocks, &block) || block.bytes > blocks.len)
            return false;
        body.len = block.bytes - PS_PYRAMID_HEAD_SIZE;
        blocks = ps_str_skip(blocks, block.bytes);
        if (!ps_window_overlaps(w, &block) || (block.is_bins && !bins))
            continue;
        if (!unpack_block(w, body, block.n))
            return false;
        add_rows(w, &block);
    }
    return true;
}

/* --- Output --- */

static int by_depth_and_start(const void *a, const void *b)
{
    const struct ps_window_slice *x = a, *y = b;

    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->start_ns != y->start_ns ? (x->start_ns < y->start_ns ? -1 : 1)
                                      : (x->row > y->row) - (x->row < y->row);
}

static int by_depth_and_px(const void *a, const void *b)
{
    const struct ps_window_density *x = a, *y = b;

    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->px > y->px) - (x->px < y->px);
}

void ps_window_end(struct ps_window *w)
{
    if (w->n_slices)
        qsort(w->slices, w->n_slices, sizeof *w->slices, by_depth_and_start);
    if (w->n_density)
        qsort(w->density, w->n_density, sizeof *w->density, by_depth_and_px);
}

void ps_window_free(struct ps_window *w)
{
    free(w->slices);
    free(w->density);
    ps_hash_table_free(&w->density_index);
    for (int c = 0; c < PS_PYRAMID_COLUMNS; c++)
        free(w->column[c]);
    *w = (struct ps_window){0};
}
