/* SPDX-License-Identifier: MIT */
/* layers.h: the tracks of the timeline, and the layers of a thread, which are tracks too. */
#ifndef PS_QUERY_TRACE_TIMELINE_LAYERS_H
#define PS_QUERY_TRACE_TIMELINE_LAYERS_H

#include "base/json_out.h"
#include "server/runfile/db.h"
#include "slices/layers.h"

/* The id under which a layer of a track is a track of the timeline. The first layer of a track has
 * the id of the track. */
int64_t ps_layer_track_id(const struct ps_layers *layers, int64_t track, enum ps_layer layer);
/* Writes the keys "name" and "tid" of a track. names: the query track_names, which stays prepared.
 */
enum ps_status ps_json_track_names(struct ps_stmt *names, int64_t track, struct ps_json *json,
                                   struct ps_err *err);
/* Writes the key "layers" of a thread that has several. */
enum ps_status ps_json_layers(struct ps_db *db, uint32_t track, struct ps_json *json,
                              struct ps_err *err);
/* Writes the keys "layer_track" and "layer_depth" of a slice: where it is drawn if threads are
 * divided into layers. Otherwise it is drawn on its track at `depth`. */
enum ps_status ps_json_layer_place(struct ps_db *db, int64_t slice, int64_t depth,
                                   struct ps_json *json, struct ps_err *err);

#endif
