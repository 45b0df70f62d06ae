/* SPDX-License-Identifier: MIT */
/* layers.c: the layers of threads (slices/layers.h) as tracks of the timeline. */
#include "server/query/trace/timeline/layers.h"
#include "server/runfile/trace.h"

/* The ids of layers begin above those of tracks. */
#define LAYER_UNIT (INT64_C(2) * PS_TRACKS_MAX)

static const char *const layer_words[PS_N_LAYERS] = {[PS_LAYER_OTHER] = "other",
                                                     [PS_LAYER_NVTX] = "nvtx",
                                                     [PS_LAYER_API] = "api",
                                                     [PS_LAYER_OS] = "os"};

int64_t ps_layer_track_id(const struct ps_layers *layers, int64_t track, enum ps_layer layer)
{
    int first = PS_LAYER_OTHER;

    while (!layers->kinds[first] && first < PS_N_LAYERS - 1)
        first++;
    return (int)layer == first ? track : layer * LAYER_UNIT + track;
}

enum ps_status ps_json_layers(struct ps_db *db, uint32_t track, struct ps_json *json,
                              struct ps_err *err)
{
    const struct ps_layers *layers;

    if (ps_trace_get_layers(db, track, &layers, err) != PS_OK || !layers)
        return err->code;
    ps_json_key(json, "layers");
    ps_json_array(json);
    for (enum ps_layer layer = PS_LAYER_OTHER; layer < PS_N_LAYERS; layer++) {
        if (!layers->kinds[layer])
            continue;
        ps_json_object(json);
        ps_json_key_int(json, "id", ps_layer_track_id(layers, track, layer));
        ps_json_key_str(json, "layer", layer_words[layer]);
        ps_json_key_int(json, "slices", layers->n_slices[layer]);
        ps_json_key_int(json, "depth", layers->depth[layer]);
        ps_json_end(json);
    }
    ps_json_end(json);
    return PS_OK;
}

enum ps_status ps_json_layer_place(struct ps_db *db, int64_t slice, int64_t depth,
                                   struct ps_json *json, struct ps_err *err)
{
    int64_t track = ps_track_of_slice(slice), row = slice & UINT32_MAX;
    const struct ps_layers *layers;

    if (ps_trace_get_layers(db, (uint32_t)track, &layers, err) != PS_OK)
        return err->code;
    if (layers && row < layers->n) {
        depth = layers->row_depth[row] % PS_LAYER_DEPTH_MAX;
        track = ps_layer_track_id(layers, track,
                                  (enum ps_layer)(layers->row_depth[row] / PS_LAYER_DEPTH_MAX));
    }
    ps_json_key_int(json, "layer_track", track);
    ps_json_key_int(json, "layer_depth", depth);
    return err->code;
}
