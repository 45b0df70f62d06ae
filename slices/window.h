/* SPDX-License-Identifier: MIT */
/*
 * window.h: what of a track is to be drawn in a window of time.
 *
 * Slices of two pixels or more come one by one. Shorter ones are counted by pixel and depth: how
 * many start there (0 where one only reaches over from the pixel before), how much of the pixel
 * they cover, the name and family of the longest. Nothing is left out.
 */
#ifndef PS_SLICES_WINDOW_H
#define PS_SLICES_WINDOW_H

#include "base/hash_table.h"
#include "slices/pyramid.h"
#include "slices/slices.h"

struct ps_window_slice {
    uint32_t row, name;
    int64_t start_ns, duration_ns;
    uint16_t depth;
    uint8_t kind, family, flags;
};

struct ps_window_density {
    uint32_t px;     /* from the left edge of the window */
    uint32_t count;  /* slices */
    uint32_t name;   /* of the longest */
    int64_t busy_ns; /* of the pixel that they cover; the bins of a level may say too much */
    int64_t longest_ns;
    uint16_t depth;
    uint8_t family, kind;
};

struct ps_window {
    int64_t from_ns, to_ns;
    uint32_t px;
    struct ps_window_slice *slices; /* by depth, then start */
    size_t n_slices, slices_cap;
    struct ps_window_density *density; /* by depth, then px */
    size_t n_density, density_cap;
    uint64_t counted; /* slices that stand behind density */
    /* Working memory. */
    int64_t two_px_ns; /* slices as long as this come one by one */
    double px_per_ns, ns_per_px;
    struct ps_hash_table density_at; /* (depth, px) -> index in density */
    int64_t *column[8];
};

/* PS_COL_BITs that ps_window_add_chunk reads. */
#define PS_WINDOW_COLUMNS                                                                          \
    (PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_DEPTH) |           \
     PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS) |                \
     PS_COL_BIT(PS_COL_FAMILY))

/* Begins a window of px pixels; what was in it is forgotten, its memory is kept. */
void ps_window_begin(struct ps_window *window, int64_t from_ns, int64_t to_ns, uint32_t px);
/* Of the chunk's slices those shorter than this: longer ones come from levels. INT64_MAX: all. */
void ps_window_add_chunk(struct ps_window *window, const struct ps_chunk *chunk,
                         int64_t shorter_ns);
/* Whether a block of a level can hold something of the window. */
bool ps_window_wants(const struct ps_window *window, const struct ps_pyramid_block *block);
/* Blocks of a level (slices/pyramid.h): its long slices and, with `bins`, its bins. False: damaged
 * bytes. */
bool ps_window_add_level(struct ps_window *window, struct ps_str blocks, bool bins);
/* Sorts; density is there after it. */
void ps_window_end(struct ps_window *window);
void ps_window_free(struct ps_window *window);

#endif
