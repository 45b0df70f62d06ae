/* SPDX-License-Identifier: MIT */
/*
 * pyramid.h: level of detail of one track, so that a window of any width costs about the same.
 *
 * Level k has bins of width 4^k * base ns. A slice is long at a level when it lasts at least one
 * bin; otherwise it counts, at its depth, in the bin where it starts. Each level keeps the slices
 * that are long at it and not at the next (the last level: all longer ones), and the bins of all
 * shorter slices. A window of r ns a pixel reads the highest level with bins no wider than r: its
 * bins, and the long slices of it and all levels above. Windows finer than the base read the chunks
 * themselves.
 *
 * The bytes of a level are blocks, first those of long slices, then those of bins, each sorted by
 * time. A block is a head and 8 packed columns (slices/column.h), each behind its length. Whoever
 * looks for a window needs only the blocks that touch it.
 */
#ifndef PS_SLICES_PYRAMID_H
#define PS_SLICES_PYRAMID_H

#include "base/buf.h"
#include "slices/slices.h"

struct ps_pyramid; /* under construction: one track at a time */

/* The track has `slices` between start and end. Starts with levels so fine that even dense places
 * are well served; the finest are given up again when they turn out to hold little less than the
 * slices themselves. A track of a chunk or less has no levels. */
struct ps_pyramid *ps_pyramid_new(uint64_t slices, int64_t start_ns, int64_t end_ns);
/* Next chunk of the track: start, duration, depth, name, kind, flags, family. */
void ps_pyramid_add(struct ps_pyramid *pyramid, const struct ps_chunk *chunk);
/* The finished levels, lowest first; false: no more. bytes lives until the next call. */
struct ps_pyramid_level {
    unsigned level; /* 0 is the base */
    int64_t bin_ns;
    struct ps_str bytes;
};
bool ps_pyramid_next(struct ps_pyramid *pyramid, struct ps_pyramid_level *out);
void ps_pyramid_free(struct ps_pyramid *pyramid);

/* A block of a level. */
#define PS_PYRAMID_HEAD    40
#define PS_PYRAMID_ROWS    2048 /* at most */
#define PS_PYRAMID_COLUMNS 8

struct ps_pyramid_block {
    bool bins; /* else long slices */
    uint32_t n;
    uint32_t bytes;         /* with the head */
    int64_t from_ns, to_ns; /* least start, greatest end */
    int64_t bin_ns;
};

/* Columns of bins (PS_BIN_*) and of long slices (PS_LONG_*). */
enum ps_pyramid_column {
    PS_BIN_START = 0,
    PS_BIN_COUNT,   /* slices that start in it */
    PS_BIN_BUSY,    /* ns, their durations */
    PS_BIN_LONGEST, /* ns, of the one that gives name, kind, family */
    PS_LONG_START = 0,
    PS_LONG_DURATION,
    PS_LONG_ROW,
    PS_LONG_FLAGS,
    PS_PYRAMID_DEPTH = 4,
    PS_PYRAMID_NAME,
    PS_PYRAMID_KIND,
    PS_PYRAMID_FAMILY,
};

/* Reads a head; false: damaged. */
bool ps_pyramid_head(struct ps_str bytes, struct ps_pyramid_block *out);

#endif
