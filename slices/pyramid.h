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
 */
#ifndef PS_SLICES_PYRAMID_H
#define PS_SLICES_PYRAMID_H

#include "base/buf.h"
#include "slices/slices.h"

struct ps_pyramid; /* under construction: one track at a time */

/* `slices` on the track between start and end decide the base: a window of 2048 pixels at the base
 * level holds about as many slices as a few chunks. */
struct ps_pyramid *ps_pyramid_new(uint64_t slices, int64_t start_ns, int64_t end_ns);
/* Next chunk of the track: start, duration, depth, name, kind, flags, family. */
void ps_pyramid_add(struct ps_pyramid *pyramid, const struct ps_chunk *chunk);
/* The finished levels, lowest first; false: no more. bytes lives until the next call. */
struct ps_pyramid_level {
    unsigned level;
    int64_t bin_ns;
    struct ps_str bytes;
};
bool ps_pyramid_next(struct ps_pyramid *pyramid, struct ps_pyramid_level *out);
void ps_pyramid_free(struct ps_pyramid *pyramid);

#endif
