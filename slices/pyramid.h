/* SPDX-License-Identifier: MIT */
/*
 * pyramid.h: levels of detail of one track, so that drawing a window of any width costs about the
 * same.
 *
 * Level k has bins of width 4^k * base ns. A slice is long at a level if it lasts at least one bin;
 * otherwise it is counted, at its depth, in the bin where it starts. Each level stores the slices
 * that are long at it but not at the next level (the last level: all longer slices), and the bins
 * of all shorter slices. A window with r ns per pixel reads the highest level whose bins are no
 * wider than r: the bins of that level, and the long slices of that level and all above. Windows
 * finer than the base read the chunks themselves.
 *
 * The bytes of a level are blocks, first those of long slices, then those of bins, each sorted by
 * time. A block is a header and 8 packed columns (slices/column.h), each preceded by its length. To
 * draw a window, only the blocks that overlap it are read.
 */
#ifndef PS_SLICES_PYRAMID_H
#define PS_SLICES_PYRAMID_H

#include "base/buf.h"
#include "slices/slices.h"

struct ps_pyramid; /* builds the levels of one track */

/* Creates the levels of a track with `slices` slices between start and end. Starts with levels fine
 * enough for dense parts of the track. The finest levels are dropped if they turn out to have
 * nearly as many rows as there are slices. A track of one chunk or less has no levels. */
struct ps_pyramid *ps_pyramid_new(uint64_t slices, int64_t start_ns, int64_t end_ns);
/* Adds the next chunk of the track: its start, duration, depth, name, kind, flags and family. */
void ps_pyramid_add(struct ps_pyramid *pyramid, const struct ps_chunk *chunk);
/* Returns the finished levels, lowest first; false: no more. `bytes`: valid until the next call. */
struct ps_pyramid_level {
    unsigned level; /* 0 is the base */
    int64_t bin_ns;
    struct ps_str bytes;
};
bool ps_pyramid_next(struct ps_pyramid *pyramid, struct ps_pyramid_level *out);
void ps_pyramid_free(struct ps_pyramid *pyramid);

/* The header of a block of a level. */
#define PS_PYRAMID_HEAD_SIZE 40
#define PS_PYRAMID_ROWS      2048 /* maximum rows of a block */
#define PS_PYRAMID_COLUMNS   8

struct ps_pyramid_block {
    bool is_bins; /* true: bins; false: long slices */
    uint32_t n;
    uint32_t bytes;         /* including the header */
    int64_t from_ns, to_ns; /* smallest start, greatest end */
    int64_t bin_ns;
};

/* Columns of bins (PS_BIN_*) and of long slices (PS_LONG_*). */
enum ps_pyramid_column {
    PS_BIN_START = 0,
    PS_BIN_COUNT,   /* slices that start in the bin */
    PS_BIN_BUSY,    /* ns, sum of their durations */
    PS_BIN_LONGEST, /* ns, the longest slice, whose name, kind and family the bin has */
    PS_LONG_START = 0,
    PS_LONG_DURATION,
    PS_LONG_ROW,
    PS_LONG_FLAGS,
    PS_PYRAMID_DEPTH = 4,
    PS_PYRAMID_NAME,
    PS_PYRAMID_KIND,
    PS_PYRAMID_FAMILY,
};

/* Reads the header of a block; false: damaged. */
bool ps_pyramid_read_block(struct ps_str bytes, struct ps_pyramid_block *out);

#endif
