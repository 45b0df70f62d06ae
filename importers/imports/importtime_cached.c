/* SPDX-License-Identifier: MIT */
/*
 * importtime_cached.c: who asked for a module that was loaded already.
 *
 * Python 3.14 means to indent a cached row by two blanks a level, but passes the indent as the
 * width of the name: the name is right-aligned in 2 * level columns, and a name that fills them
 * shows no indent. With k blanks before n bytes the level is exactly (k + n) / 2, without blanks at
 * most n / 2. Imports only begin between two timed rows, so from one timed row of depth a to the
 * next of depth b the levels never fall and lie in [a, max(a, b + 1)]. Where the bounds meet the
 * level is exact; else the lowest one is taken and marked as estimated (simulated logs: right in 84
 * of 100 such rows).
 */
#include "importers/imports/importtime.h"

#include <stdlib.h>

struct gap {
    size_t from, to; /* the cached rows between two timed ones */
    uint32_t low, high;
};

static bool is_exact(const struct ps_it_row *row, const struct gap *gap)
{
    return row->depth >= 0 && (uint32_t)row->depth >= gap->low && (uint32_t)row->depth <= gap->high;
}

/* Leaves each row's level in `level` and says whether it is estimated. `high` has room for every
 * row. */
static void bound(struct ps_it_log *log, const struct gap *gap, uint32_t *high)
{
    uint32_t low = gap->low, top = gap->high;

    for (size_t i = gap->to; i-- > gap->from;) {
        const struct ps_it_row *row = &log->rows[i];
        uint32_t most = is_exact(row, gap) ? (uint32_t)row->depth : row->width / 2;

        if (row->depth < 0 || is_exact(row, gap))
            top = most < top ? most : top;
        high[i] = top;
    }
    for (size_t i = gap->from; i < gap->to; i++) {
        struct ps_it_row *row = &log->rows[i];

        if (is_exact(row, gap) && (uint32_t)row->depth > low)
            low = (uint32_t)row->depth;
        row->level = row->depth >= 0 ? (uint32_t)row->depth : low;
        row->estimated = row->depth < 0 && low != high[i];
    }
}

static void find_levels(struct ps_it_log *log)
{
    uint32_t *high = ps_alloc_array(log->n + 1, sizeof *high);
    struct gap gap = {0};

    for (size_t i = 0; i <= log->n; i++) {
        const struct ps_it_row *row = i < log->n ? &log->rows[i] : NULL;

        if (row && row->cached)
            continue;
        gap.to = i;
        gap.high = row && (uint32_t)row->depth + 1 > gap.low ? (uint32_t)row->depth + 1 : gap.low;
        bound(log, &gap, high);
        gap.from = i + 1;
        gap.low = row ? (uint32_t)row->depth : 0;
    }
    free(high);
}

/* The row of exactly this depth among the open ones, whose depths rise. */
static uint32_t open_at(const struct ps_it_log *log, const uint32_t *open, size_t n, uint32_t depth)
{
    size_t low = 0;

    while (low < n) {
        size_t middle = low + (n - low) / 2;
        uint32_t here = (uint32_t)log->rows[open[middle] - 1].depth;

        if (here == depth)
            return open[middle];
        if (here < depth)
            low = middle + 1;
        else
            n = middle;
    }
    return PS_IT_NOBODY;
}

/* Backward through the log the timed rows that are still to end form a stack: the next one of a
 * depth is on it. */
void ps_it_find_importers(struct ps_it_log *log)
{
    uint32_t *open = ps_alloc_array(log->n + 1, sizeof *open);
    size_t n = 0;

    find_levels(log);
    for (size_t i = log->n; i-- > 0;) {
        struct ps_it_row *row = &log->rows[i];

        if (row->cached) {
            if (row->level > 0)
                row->importer = open_at(log, open, n, row->level - 1);
            continue;
        }
        while (n && log->rows[open[n - 1] - 1].depth >= row->depth)
            n--;
        open[n++] = (uint32_t)i + 1;
    }
    free(open);
}
