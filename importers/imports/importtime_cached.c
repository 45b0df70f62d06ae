/* SPDX-License-Identifier: MIT */
/*
 * importtime_cached.c: finds the importers of modules that were already loaded.
 *
 * Python 3.14 is meant to indent a cached row by two spaces per level, but passes the indentation
 * as the width of the name. So the name is right-aligned in 2 * level columns, and a name that
 * fills them has no indentation. With k > 0 spaces before a name of n bytes the level is exactly (k
 * + n) / 2; without spaces it is at most n / 2. Imports only begin between two timed rows: from a
 * timed row of depth a to the next one of depth b, the levels never decrease and are in [a, max(a,
 * b + 1)]. If the bounds are equal, the level is exact; else the lowest level is used and marked as
 * estimated (correct for 84 of 100 such rows in simulated logs).
 */
#include "importers/imports/importtime.h"

#include <stdlib.h>

struct gap {
    size_t from, to; /* indices of the cached rows between two timed rows */
    uint32_t low, high;
};

static bool is_exact(const struct ps_it_row *row, const struct gap *gap)
{
    return row->depth >= 0 && (uint32_t)row->depth >= gap->low && (uint32_t)row->depth <= gap->high;
}

/* Sets `level` of each row in the gap, and `estimated`. `high`: scratch array with an element for
 * each row of the log. */
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

/* Finds the row with this depth among the open ones, which are in ascending order of depth. Returns
 * its id, or PS_IT_NOBODY. */
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

/* Goes backward through the log with a stack of the timed rows that had not ended yet: the importer
 * of a cached row is the row on the stack with the next lower level. */
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
