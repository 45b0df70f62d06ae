/* SPDX-License-Identifier: MIT */
/* busy_pixels.h: how busy a window is, by pixel. */
#ifndef PS_QUERY_TRACE_TIMELINE_BUSY_PIXELS_H
#define PS_QUERY_TRACE_TIMELINE_BUSY_PIXELS_H

#include "slices/window.h"

/* Stores for each pixel x of the window in share[x] the share that slices at depth 0 cover,
 * 0..255. */
void ps_window_busy_shares(const struct ps_window *window, int64_t *share);
/* Stores for each pixel x of the window in share[x] the share that device work covers, 0..255.
 * Slices at all depths count. */
void ps_window_device_shares(const struct ps_window *window, int64_t *share);

#endif
