/* SPDX-License-Identifier: MIT */
/* busy_pixels.c: computes for each pixel the share that the slices of a track cover, from a window
 * of the track. */
#include <stdlib.h>

#include "server/query/trace/timeline/busy_pixels.h"

/* Returns the width of a pixel in ns. Computed as double, because times in damaged run files may be
 * any 64-bit integers. */
static double px_ns_of(const struct ps_window *window)
{
    return ((double)window->to_ns - (double)window->from_ns) / window->px;
}

/* Adds to covered[x] how many ns of pixel x the slice [start, start + duration) covers. */
static void cover_pixels(const struct ps_window *window, int64_t start, int64_t duration,
                         double *covered)
{
    double px_ns = px_ns_of(window), first = (double)start - (double)window->from_ns;
    double from = first / px_ns, to = (first + (double)duration) / px_ns;

    if (!(px_ns > 0))
        return;
    from = from < 0 ? 0 : from;
    to = to > window->px ? window->px : to;
    for (uint32_t x = from < to ? (uint32_t)from : window->px; x < window->px && x < to; x++) {
        double left = from > x ? from : x, right = to < x + 1.0 ? to : x + 1.0;

        covered[x] += (right - left) * px_ns;
    }
}

static void write_shares(const struct ps_window *window, const double *covered, int64_t *share)
{
    double px_ns = px_ns_of(window);

    for (uint32_t x = 0; x < window->px; x++) {
        double part = covered[x] / px_ns * 255; /* 0..255; NaN if px_ns is 0 */

        share[x] = part >= 255 ? 255 : part > 0 ? (int64_t)(part + 0.5) : 0;
    }
}

static void write_busy_shares(const struct ps_window *window, bool device, int64_t *share)
{
    PS_AUTO(ps_free_ptr) double *covered = ps_alloc_array(window->px, sizeof *covered);

    for (size_t i = 0; i < window->n_slices; i++) {
        const struct ps_window_slice *s = &window->slices[i];

        if (device ? ps_slice_on_device(s->kind) : s->depth == 0)
            cover_pixels(window, s->start_ns, s->duration_ns, covered);
    }
    for (size_t i = 0; i < window->n_density; i++) {
        const struct ps_window_density *d = &window->density[i];

        if ((device ? ps_slice_on_device(d->kind) : d->depth == 0) && d->px < window->px)
            covered[d->px] += (double)d->busy_ns;
    }
    write_shares(window, covered, share);
}

void ps_window_busy_shares(const struct ps_window *window, int64_t *share)
{
    write_busy_shares(window, false, share);
}

void ps_window_device_shares(const struct ps_window *window, int64_t *share)
{
    write_busy_shares(window, true, share);
}
