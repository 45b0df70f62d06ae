/* SPDX-License-Identifier: MIT */
#include "slices/layers.h"

#include <stdlib.h>

#include "base/mem.h"

#define KIND_BIT(kind) (UINT32_C(1) << (kind))

static const uint32_t kinds_of_layer[PS_N_LAYERS] = {
    [PS_LAYER_OTHER] =
        ~(KIND_BIT(PS_SLICE_NVTX) | KIND_BIT(PS_SLICE_RUNTIME) | KIND_BIT(PS_SLICE_OSRT)),
    [PS_LAYER_NVTX] = KIND_BIT(PS_SLICE_NVTX),
    [PS_LAYER_API] = KIND_BIT(PS_SLICE_RUNTIME),
    [PS_LAYER_OS] = KIND_BIT(PS_SLICE_OSRT),
};
static const uint32_t kinds_of_torch =
    KIND_BIT(PS_SLICE_OP) | KIND_BIT(PS_SLICE_ANNOTATION) | KIND_BIT(PS_SLICE_PYTHON);

bool ps_layers_of_kinds(uint32_t thread_kinds, uint32_t kinds[PS_N_LAYERS])
{
    unsigned n = 0;

    for (int layer = 0; layer < PS_N_LAYERS; layer++) {
        kinds[layer] = thread_kinds & kinds_of_layer[layer];
        n += kinds[layer] != 0;
    }
    return n > 1 && !(thread_kinds & kinds_of_torch);
}

static enum ps_layer layer_of_kind(int64_t kind)
{
    for (int layer = PS_LAYER_NVTX; layer < PS_N_LAYERS; layer++)
        if (kind >= 0 && kind < PS_N_SLICE_KINDS && kinds_of_layer[layer] & KIND_BIT(kind))
            return (enum ps_layer)layer;
    return PS_LAYER_OTHER;
}

bool ps_layers_begin(struct ps_layers *layers, uint32_t n)
{
    layers->n = n;
    layers->row_depth = ps_try_alloc_array(n, sizeof *layers->row_depth);
    layers->below = ps_try_alloc_array(n, sizeof *layers->below);
    for (int layer = 0; layer < PS_N_LAYERS; layer++)
        layers->ends[layer] = ps_alloc_array(PS_LAYER_DEPTH_MAX, sizeof **layers->ends);
    return layers->row_depth && layers->below;
}

/* Importers nest slices that overlap by the unit of the file, 1 ns here, as if they did not. */
static int64_t free_from(int64_t end_ns)
{
    return end_ns > INT64_MIN ? end_ns - 1 : end_ns;
}

/* Returns the first row of a layer from `row` on that is free, and occupies it. */
static uint32_t take_row(struct ps_layers *layers, enum ps_layer layer, uint32_t row, int64_t start,
                         int64_t end)
{
    int64_t *ends = layers->ends[layer];

    while (row < layers->depth[layer] && row < PS_LAYER_DEPTH_MAX - 1 &&
           free_from(ends[row]) > start)
        row++;
    if (row >= PS_LAYER_DEPTH_MAX)
        row = PS_LAYER_DEPTH_MAX - 1;
    ends[row] = end;
    if (row >= layers->depth[layer])
        layers->depth[layer] = row + 1;
    return row;
}

void ps_layers_add_chunk(struct ps_layers *layers, const struct ps_chunk *chunk)
{
    for (uint32_t i = 0; i < chunk->n && chunk->first + i < layers->n; i++) {
        uint32_t row = chunk->first + i;
        int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
        int64_t parent = ps_chunk_value(chunk, PS_COL_PARENT, i), end;
        uint32_t in_layer;
        enum ps_layer layer = layer_of_kind(ps_chunk_value(chunk, PS_COL_KIND, i));

        if (__builtin_add_overflow(start, ps_chunk_value(chunk, PS_COL_DURATION, i), &end))
            end = INT64_MAX;
        if (parent > 0 && parent <= row)
            memcpy(layers->below[row], layers->below[row - parent], sizeof *layers->below);
        in_layer = take_row(layers, layer, layers->below[row][layer], start, end);
        layers->row_depth[row] = (uint16_t)(layer * PS_LAYER_DEPTH_MAX + in_layer);
        layers->below[row][layer] = (uint16_t)(in_layer + 1);
        layers->n_slices[layer]++;
    }
}

void ps_layers_end(struct ps_layers *layers)
{
    free(layers->below);
    layers->below = NULL;
    for (int layer = 0; layer < PS_N_LAYERS; layer++) {
        free(layers->ends[layer]);
        layers->ends[layer] = NULL;
    }
}

void ps_layers_free(struct ps_layers *layers)
{
    ps_layers_end(layers);
    free(layers->row_depth);
    *layers = (struct ps_layers){0};
}
