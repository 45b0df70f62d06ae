/* SPDX-License-Identifier: MIT */
/* trace_layers.c: the layers of the threads of a run and their levels of detail, computed from the
 * slices. */
#include <stdlib.h>

#include "server/runfile/trace_reader.h"

void ps_layered_track_free(struct ps_layered_track *track)
{
    if (!track)
        return;
    ps_layers_free(&track->layers);
    for (unsigned k = 0; k < track->n_levels; k++)
        ps_buf_free(&track->level[k]);
    free(track);
}

static bool add_chunk(void *layers, const struct ps_chunk *chunk)
{
    ps_layers_add_chunk(layers, chunk);
    return true;
}

static enum ps_status compute_layers(struct ps_db *db, uint32_t track, uint32_t n,
                                     struct ps_layers *layers, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .track = track,
        .range = PS_RANGE_ALL,
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_PARENT) | PS_COL_BIT(PS_COL_KIND)};

    if (!ps_layers_begin(layers, n))
        return ps_fail_memory(err, "the layers of a thread");
    ps_trace_each_chunk(db, &query, add_chunk, layers, err);
    ps_layers_end(layers);
    return err->code;
}

/* A thread as its chunks have it. */
struct thread {
    uint32_t n, kinds; /* rows; bits 1 << enum ps_slice_kind */
    int64_t start_ns, end_ns;
};

/* False: the track is no thread, or is unknown. */
static bool read_thread(const struct ps_trace_cache *cache, uint32_t track, struct thread *out)
{
    size_t at, end;

    *out = (struct thread){.start_ns = INT64_MAX, .end_ns = INT64_MIN};
    for (ps_trace_chunk_range(cache, track, &at, &end); at < end; at++) {
        const struct ps_chunk_row *chunk = &cache->chunks[at];

        if (chunk->track_kind != PS_TRACK_THREAD)
            return false;
        out->kinds |= chunk->kinds;
        out->n += chunk->n;
        out->start_ns = chunk->start_ns < out->start_ns ? chunk->start_ns : out->start_ns;
        out->end_ns = chunk->end_ns > out->end_ns ? chunk->end_ns : out->end_ns;
    }
    return out->n > 0;
}

/* Stores the thread in the cache if it has layers. */
static enum ps_status find_layers(struct ps_db *db, struct ps_trace_cache *cache, uint32_t track,
                                  struct ps_err *err)
{
    uint32_t kinds[PS_N_LAYERS];
    struct ps_layered_track *layered;
    struct thread thread;

    if (!read_thread(cache, track, &thread) || !ps_layers_of_kinds(thread.kinds, kinds))
        return PS_OK;
    if (!ps_try_grow_to(&cache->layers, &cache->n_layers, track, sizeof *cache->layers))
        return ps_fail_memory(err, "the layers of a thread");
    layered = ps_alloc(sizeof *layered);
    memcpy(layered->layers.kinds, kinds, sizeof kinds);
    if (compute_layers(db, track, thread.n, &layered->layers, err) == PS_OK)
        cache->layers[track] = layered;
    else
        ps_layered_track_free(layered);
    return err->code;
}

enum ps_status ps_trace_get_layers(struct ps_db *db, uint32_t track, const struct ps_layers **out,
                                   struct ps_err *err)
{
    struct ps_trace_cache *cache;

    *out = NULL;
    if (!track || ps_trace_cache_load(db, &cache, err) != PS_OK)
        return err->code;
    if ((track >= cache->n_layers || !cache->layers[track]) &&
        find_layers(db, cache, track, err) != PS_OK)
        return err->code;
    if (track < cache->n_layers && cache->layers[track])
        *out = &cache->layers[track]->layers;
    return PS_OK;
}

struct level_builder {
    struct ps_pyramid *pyramid;
    const struct ps_layers *layers;
    int64_t *depth; /* of the rows of a chunk */
};

static bool add_to_pyramid(void *user, const struct ps_chunk *chunk)
{
    struct level_builder *builder = user;
    struct ps_chunk layered = *chunk;

    for (uint32_t i = 0; i < chunk->n; i++)
        builder->depth[i] = builder->layers->row_depth[chunk->first + i];
    layered.column[PS_COL_DEPTH] = builder->depth;
    ps_pyramid_add(builder->pyramid, &layered);
    return true;
}

static enum ps_status compute_levels(struct ps_db *db, uint32_t track,
                                     struct ps_layered_track *layered, struct ps_err *err)
{
    const struct ps_chunk_query query = {.track = track,
                                         .range = PS_RANGE_ALL,
                                         .columns = PS_WINDOW_COLUMNS & ~PS_COL_BIT(PS_COL_DEPTH)};
    PS_AUTO(ps_free_ptr) int64_t *depth = ps_alloc_array(PS_CHUNK_ROWS, sizeof *depth);
    struct ps_pyramid_level level;
    struct level_builder builder = {.layers = &layered->layers, .depth = depth};
    struct thread thread;

    (void)read_thread(db->trace_cache, track, &thread);
    builder.pyramid = ps_pyramid_new(thread.n, thread.start_ns, thread.end_ns);
    ps_trace_each_chunk(db, &query, add_to_pyramid, &builder, err);
    while (err->code == PS_OK && layered->n_levels < PS_LEVELS_MAX &&
           ps_pyramid_next(builder.pyramid, &level)) {
        layered->bin_ns[layered->n_levels] = level.bin_ns;
        ps_buf_add_str(&layered->level[layered->n_levels++], level.bytes);
    }
    ps_pyramid_free(builder.pyramid);
    layered->has_levels = err->code == PS_OK;
    return err->code;
}

enum ps_status ps_layered_track_load(struct ps_db *db, uint32_t track,
                                     struct ps_layered_track **out, struct ps_err *err)
{
    const struct ps_layers *layers;

    *out = NULL;
    if (ps_trace_get_layers(db, track, &layers, err) != PS_OK)
        return err->code;
    if (!layers)
        return ps_fail(err, PS_NOT_FOUND, "track %u has no layers", track);
    *out = db->trace_cache->layers[track];
    return (*out)->has_levels ? PS_OK : compute_levels(db, track, *out, err);
}
