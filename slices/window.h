/* SPDX-License-Identifier: MIT */
/*
 * window.h: selects the slices of a track to draw in a time window.
 *
 * Slices of two pixels or more are returned one by one. Shorter ones are counted by pixel and
 * depth: how many start there (0 if one only extends from the pixel before), how much of the pixel
 * they cover, and the name and family of the longest. No slice is omitted.
 */
#ifndef PS_SLICES_WINDOW_H
#define PS_SLICES_WINDOW_H

#include "base/hash_table.h"
#include "slices/pyramid.h"
#include "slices/slices.h"

struct ps_window_slice {
    uint32_t row, name;
    int64_t start_ns, duration_ns;
    uint16_t depth, flags; /* enum ps_slice_flag */
    uint8_t kind, family;
};

struct ps_window_density {
    uint32_t px;     /* pixel, from the left edge of the window */
    uint32_t count;  /* slices that start in the pixel */
    uint32_t name;   /* of the longest slice */
    int64_t busy_ns; /* covered part of the pixel, in ns; may be too large if taken from bins of a
                        level */
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
    uint64_t n_counted; /* slices counted in density */
    /* Only slices at depths [first_depth, end_depth) are added, and their depth counts from
     * first_depth. ps_window_begin sets all depths. */
    uint32_t first_depth, end_depth;
    /* Working memory. */
    int64_t two_px_ns; /* slices at least this long are returned one by one */
    double px_per_ns, ns_per_px;
    struct ps_hash_table density_index; /* (depth, px) -> index in density */
    int64_t *column[8];
};

/* PS_COL_BITs that ps_window_add_chunk reads. */
#define PS_WINDOW_COLUMNS                                                                          \
    (PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_DEPTH) |           \
     PS_COL_BIT(PS_COL_NAME) | PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FLAGS) |                \
     PS_COL_BIT(PS_COL_FAMILY))

/* Begins a window of px pixels; discards the previous content, but keeps its memory. */
void ps_window_begin(struct ps_window *window, int64_t from_ns, int64_t to_ns, uint32_t px);
/* Adds the slices of the chunk that are shorter than shorter_ns: longer ones come from levels.
 * INT64_MAX: all. */
void ps_window_add_chunk(struct ps_window *window, const struct ps_chunk *chunk,
                         int64_t shorter_ns);
/* Whether a block of a level may overlap the window. */
bool ps_window_overlaps(const struct ps_window *window, const struct ps_pyramid_block *block);
/* Adds blocks of a level (slices/pyramid.h): the long slices and, with `bins`, the bins. False:
 * damaged bytes. */
bool ps_window_add_level(struct ps_window *window, struct ps_str blocks, bool bins);
/* Sorts slices and density; call it before reading them. */
void ps_window_end(struct ps_window *window);
void ps_window_free(struct ps_window *window);

#endif
