/* SPDX-License-Identifier: MIT */
#include "slices/pyramid.h"

#include <stdlib.h>

#include "slices/column.h"

#define LEVELS_MAX 31
#define PER_BIN    64  /* slices per bin of a base level that suits an evenly filled track */
#define FINER      4   /* levels below that to begin with: for parts up to 4^4 times as dense */
#define BINS_WIDE  512 /* maximum number of bins of the last level */

struct list {
    bool bins;
    int64_t *column[PS_PYRAMID_COLUMNS];
    uint32_t n; /* rows not packed yet */
    int64_t from_ns, to_ns;
    uint64_t bin; /* bin width */
    uint64_t total;
    struct ps_buf out;
};

struct bin {
    int64_t count, busy, longest;
    uint32_t name;
    uint8_t kind, family;
};

struct level {
    uint64_t bin;       /* bin width; times in this struct are ns since pyramid.start */
    uint64_t bin_start; /* start of the current bin */
    uint64_t end;
    struct bin *bins_by_depth; /* by depth */
    size_t n_bins_by_depth;
    uint32_t *touched, n_touched, touched_cap; /* depths with slices in the current bin */
    struct list longs, bins;
};

struct ps_pyramid {
    int64_t start;
    uint64_t rows_max;   /* a level with more rows is dropped */
    uint64_t slices;     /* slices added so far */
    unsigned base, n;    /* levels [base, n) are not dropped */
    unsigned next_level; /* next level to return */
    bool finished;
    struct level level[LEVELS_MAX];
};

/* --- Packed lists of rows --- */

static void put_head(struct list *list, size_t at)
{
    uint32_t words[4] = {list->bins, list->n, (uint32_t)(list->out.len - at), 0};

    memcpy(list->out.ptr + at, words, sizeof words);
    memcpy(list->out.ptr + at + 16, &list->from_ns, 8);
    memcpy(list->out.ptr + at + 24, &list->to_ns, 8);
    memcpy(list->out.ptr + at + 32, &list->bin, 8);
}

static void pack_list(struct list *list)
{
    static const char blank[PS_PYRAMID_HEAD_SIZE];
    size_t at = list->out.len;

    if (!list->n)
        return;
    ps_buf_add(&list->out, blank, sizeof blank);
    for (int c = 0; c < PS_PYRAMID_COLUMNS; c++) {
        size_t before = list->out.len;
        uint32_t len = 0;

        ps_buf_add(&list->out, &len, sizeof len);
        ps_column_pack(list->column[c], list->n, &list->out);
        len = (uint32_t)(list->out.len - before - sizeof len);
        memcpy(list->out.ptr + before, &len, sizeof len);
    }
    put_head(list, at);
    list->n = 0;
}

static void push_row(struct list *list, const int64_t row[PS_PYRAMID_COLUMNS], int64_t end)
{
    if (!list->column[0])
        for (int c = 0; c < PS_PYRAMID_COLUMNS; c++)
            list->column[c] = ps_grow(NULL, PS_PYRAMID_ROWS, sizeof(int64_t));
    if (!list->n || row[0] < list->from_ns)
        list->from_ns = row[0];
    if (!list->n || end > list->to_ns)
        list->to_ns = end;
    for (int c = 0; c < PS_PYRAMID_COLUMNS; c++)
        list->column[c][list->n] = row[c];
    list->total++;
    if (++list->n == PS_PYRAMID_ROWS)
        pack_list(list);
}

static void list_free(struct list *list)
{
    for (int c = 0; c < PS_PYRAMID_COLUMNS; c++)
        free(list->column[c]);
    ps_buf_free(&list->out);
    *list = (struct list){0};
}

/* --- Bins --- */

/* Saturates: times in files may have any value. */
static int64_t sum_up_to_max(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static struct bin *bin_at(struct level *level, uint32_t depth)
{
    level->bins_by_depth = ps_grow_to(level->bins_by_depth, &level->n_bins_by_depth, depth,
                                      sizeof *level->bins_by_depth);
    return &level->bins_by_depth[depth];
}

static void add_to_bin(struct level *level, uint32_t depth, const struct bin *more)
{
    struct bin *bin = bin_at(level, depth);

    if (!bin->count) {
        PS_RESERVE_ONE(level->touched, level->n_touched, level->touched_cap);
        level->touched[level->n_touched++] = depth;
        *bin = *more;
        return;
    }
    if (more->longest > bin->longest) {
        bin->longest = more->longest;
        bin->name = more->name;
        bin->kind = more->kind;
        bin->family = more->family;
    }
    bin->count += more->count;
    bin->busy = sum_up_to_max(bin->busy, more->busy);
}

/* Ends the current bin of a level: writes it as rows, and adds it to the level above. */
static void end_bin(struct ps_pyramid *p, unsigned k)
{
    struct level *level = &p->level[k];
    int64_t start = (int64_t)((uint64_t)p->start + level->bin_start);
    int64_t end = sum_up_to_max(start, (int64_t)level->bin);

    for (uint32_t i = 0; i < level->n_touched; i++) {
        uint32_t depth = level->touched[i];
        struct bin *bin = &level->bins_by_depth[depth];
        const int64_t row[] = {start, bin->count, bin->busy, bin->longest,
                               depth, bin->name,  bin->kind, bin->family};

        push_row(&level->bins, row, end);
        if (k + 1 < p->n)
            add_to_bin(&p->level[k + 1], depth, bin);
        bin->count = 0;
    }
    level->n_touched = 0;
}

static void level_free(struct level *level)
{
    list_free(&level->longs);
    list_free(&level->bins);
    free(level->bins_by_depth);
    free(level->touched);
    level->bins_by_depth = NULL;
    level->touched = NULL;
}

static uint64_t rows_of(const struct level *level)
{
    return level->bins.total + level->longs.total;
}

/* Advances all levels to the bins that contain `at`. */
static void advance_levels(struct ps_pyramid *p, uint64_t at)
{
    for (unsigned k = p->base; k < p->n && at >= p->level[k].end; k++) {
        struct level *level = &p->level[k];

        end_bin(p, k);
        level->bin_start = at - at % level->bin;
        if (__builtin_add_overflow(level->bin_start, level->bin, &level->end))
            level->end = UINT64_MAX;
    }
}

/* Drops the finest levels up to the last one with too many rows; the level above them is complete
 * without them. Too many are more than rows_max, or more than half of the slices so far. */
static void drop_fine_levels(struct ps_pyramid *p)
{
    uint64_t most = p->slices / 2 + PS_PYRAMID_ROWS;
    unsigned keep = p->n ? p->n - 1 : 0;

    most = most < p->rows_max ? most : p->rows_max;
    while (keep > p->base && rows_of(&p->level[keep - 1]) <= most)
        keep--;
    while (p->base < keep) {
        end_bin(p, p->base); /* adds the current bin to the level above */
        level_free(&p->level[p->base++]);
    }
}

/* --- Building --- */

struct ps_pyramid *ps_pyramid_new(uint64_t slices, int64_t start_ns, int64_t end_ns)
{
    struct ps_pyramid *p = ps_alloc(sizeof *p);
    uint64_t span = end_ns > start_ns ? (uint64_t)end_ns - (uint64_t)start_ns : 1;
    uint64_t bin = slices ? span / slices * PER_BIN + span % slices * PER_BIN / slices : 0;

    p->start = start_ns;
    p->rows_max = slices / 8 + PS_PYRAMID_ROWS;
    for (int i = 0; i < FINER; i++)
        bin /= 4;
    bin = bin ? bin : 1;
    while (slices > PS_CHUNK_ROWS && p->n < LEVELS_MAX) {
        p->level[p->n].bins.bins = true;
        p->level[p->n].bins.bin = p->level[p->n].longs.bin = bin;
        p->level[p->n].bin = bin;
        p->level[p->n++].end = bin;
        if (span / bin <= BINS_WIDE)
            break;
        bin *= 4;
    }
    return p;
}

static void add_long(struct level *level, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
    int64_t duration = ps_chunk_value(chunk, PS_COL_DURATION, i);
    const int64_t row[] = {start,
                           duration,
                           (int64_t)chunk->first + i,
                           ps_chunk_value(chunk, PS_COL_FLAGS, i),
                           ps_chunk_value(chunk, PS_COL_DEPTH, i),
                           ps_chunk_value(chunk, PS_COL_NAME, i),
                           ps_chunk_value(chunk, PS_COL_KIND, i),
                           ps_chunk_value(chunk, PS_COL_FAMILY, i)};

    push_row(&level->longs, row, sum_up_to_max(start, duration));
}

static void add_slice(struct ps_pyramid *p, const struct ps_chunk *chunk, uint32_t i)
{
    int64_t duration = ps_chunk_value(chunk, PS_COL_DURATION, i);
    uint32_t depth = (uint16_t)ps_chunk_value(chunk, PS_COL_DEPTH, i);
    unsigned k = p->base;
    struct bin one = {.count = 1,
                      .busy = duration,
                      .longest = duration,
                      .name = (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i),
                      .kind = (uint8_t)ps_chunk_value(chunk, PS_COL_KIND, i),
                      .family = (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i)};

    if (duration >= 0 && (uint64_t)duration >= p->level[k].bin) {
        while (k + 1 < p->n && (uint64_t)duration >= p->level[k + 1].bin)
            k++;
        add_long(&p->level[k++], chunk, i);
    }
    if (k < p->n)
        add_to_bin(&p->level[k], depth, &one);
}

void ps_pyramid_add(struct ps_pyramid *p, const struct ps_chunk *chunk)
{
    const int64_t *start = chunk->column[PS_COL_START];

    for (uint32_t i = 0; p->n && i < chunk->n; i++) {
        int64_t at = start ? start[i] : 0;
        uint64_t since = at > p->start ? (uint64_t)at - (uint64_t)p->start : 0;

        if (since >= p->level[p->base].end)
            advance_levels(p, since);
        add_slice(p, chunk, i);
    }
    p->slices += chunk->n;
    drop_fine_levels(p);
}

static void finish_levels(struct ps_pyramid *p)
{
    for (unsigned k = p->base; k < p->n; k++) {
        end_bin(p, k);
        pack_list(&p->level[k].longs);
        pack_list(&p->level[k].bins);
    }
    p->next_level = p->base;
    p->finished = true;
}

bool ps_pyramid_next(struct ps_pyramid *p, struct ps_pyramid_level *out)
{
    struct level *level;

    if (!p->finished)
        finish_levels(p);
    else if (p->next_level < p->n)
        level_free(&p->level[p->next_level++]);
    if (p->next_level >= p->n)
        return false;
    level = &p->level[p->next_level];
    ps_buf_add_str(&level->longs.out, ps_buf_slice(&level->bins.out));
    *out = (struct ps_pyramid_level){
        .level = p->next_level - p->base,
        .bin_ns = (int64_t)level->bin,
        .bytes = ps_buf_slice(&level->longs.out),
    };
    return true;
}

void ps_pyramid_free(struct ps_pyramid *p)
{
    for (unsigned k = 0; p && k < p->n; k++)
        level_free(&p->level[k]);
    free(p);
}

bool ps_pyramid_read_block(struct ps_str bytes, struct ps_pyramid_block *out)
{
    uint32_t words[4];

    if (bytes.len < PS_PYRAMID_HEAD_SIZE)
        return false;
    memcpy(words, bytes.ptr, sizeof words);
    out->is_bins = words[0] != 0;
    out->n = words[1];
    out->bytes = words[2];
    memcpy(&out->from_ns, bytes.ptr + 16, 8);
    memcpy(&out->to_ns, bytes.ptr + 24, 8);
    memcpy(&out->bin_ns, bytes.ptr + 32, 8);
    return words[0] <= 1 && out->n <= PS_PYRAMID_ROWS && out->bytes >= PS_PYRAMID_HEAD_SIZE;
}
