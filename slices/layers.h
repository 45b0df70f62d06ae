/* SPDX-License-Identifier: MIT */
/*
 * layers.h: the layers of a thread: NVTX ranges, CUDA calls, calls of the operating system, and all
 * other slices. The timeline can draw each layer as a track, so that ranges do not push the calls
 * inside them down.
 *
 * A slice is on the first row of its layer that is below the innermost slice of the layer around it
 * and that is free. Without overlaps that is the number of its ancestors in the layer.
 */
#ifndef PS_SLICES_LAYERS_H
#define PS_SLICES_LAYERS_H

#include "slices/slices.h"

enum ps_layer { PS_LAYER_OTHER, PS_LAYER_NVTX, PS_LAYER_API, PS_LAYER_OS, PS_N_LAYERS };

/* Rows of a layer. Slices that need more, because so many overlap, share the last row. */
#define PS_LAYER_DEPTH_MAX 1024

/* Zero-initialise; free with ps_layers_free. */
struct ps_layers {
    uint32_t kinds[PS_N_LAYERS]; /* bits 1 << enum ps_slice_kind; 0: the thread lacks the layer */
    uint32_t n_slices[PS_N_LAYERS], depth[PS_N_LAYERS];
    /* by row of the track: layer * PS_LAYER_DEPTH_MAX + its row in the layer. A pyramid of slices
     * at such depths has bins that are of one layer each. */
    uint16_t *row_depth;
    uint32_t n;
    /* Working memory of ps_layers_add_chunk. */
    uint16_t (*below)[PS_N_LAYERS]; /* by row and layer: the first row that is below it */
    int64_t *ends[PS_N_LAYERS];     /* by row of the layer: the time until it is occupied */
};

/* Sets `kinds` to the layers of a thread with slices of these kinds (bits 1 << enum ps_slice_kind).
 * False: the thread is one track, because it has one layer only, or because it has operators,
 * annotations or frames of PyTorch, which are read together with the calls that they make. */
bool ps_layers_of_kinds(uint32_t thread_kinds, uint32_t kinds[PS_N_LAYERS]);

/* Prepares for a track of n slices. False: not enough memory. */
bool ps_layers_begin(struct ps_layers *layers, uint32_t n);
/* Adds the next chunk of the track: its start, duration, parent and kind. */
void ps_layers_add_chunk(struct ps_layers *layers, const struct ps_chunk *chunk);
void ps_layers_end(struct ps_layers *layers); /* frees the working memory */
void ps_layers_free(struct ps_layers *layers);

#endif
