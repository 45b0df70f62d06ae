/* SPDX-License-Identifier: MIT */
/* trace_cache.c: loads the small tables of a trace once for each handle. */
#include <stdlib.h>

#include "server/runfile/trace_reader.h"
#include "slices/args.h"

enum ps_status ps_trace_fail_damaged(struct ps_err *err, const char *what, int64_t id)
{
    return ps_fail(err, PS_INTERNAL, "the run file is damaged: %s %lld", what, (long long)id);
}

static void readers_free(struct ps_trace_reader *reader)
{
    while (reader) {
        struct ps_trace_reader *next = reader->next;

        sqlite3_blob_close(reader->blob);
        for (int c = 0; c < 32; c++)
            ps_buf_free(&reader->packed[c]);
        for (int c = 0; c < PS_N_SLICE_COLUMNS; c++)
            free(reader->column[c]);
        free(reader);
        reader = next;
    }
}

void ps_trace_cache_free(struct ps_trace_cache *cache)
{
    if (!cache)
        return;
    readers_free(cache->idle_readers);
    readers_free(cache->slice_reader);
    free(cache->tracks);
    free(cache->chunks);
    free(cache->texts);
    free(cache->keys);
    free(cache->templates);
    free(cache->shapes);
    for (size_t i = 0; i < cache->n_layers; i++)
        ps_layered_track_free(cache->layers[i]);
    free(cache->layers);
    ps_arena_free(&cache->arena);
    free(cache);
}

static enum ps_status load_tracks(struct ps_db *db, struct ps_trace_cache *cache,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t cap = 0;

    ps_db_prepare(db, ps_query_sql("trace_tracks"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        if (ps_col_int(stmt, 0) < 1 || ps_col_int(stmt, 0) > PS_TRACKS_MAX)
            return ps_trace_fail_damaged(err, "track", ps_col_int(stmt, 0));
        PS_RESERVE_ONE(cache->tracks, cache->n_tracks, cap);
        cache->tracks[cache->n_tracks++] = (struct ps_track_row){
            .id = (uint32_t)ps_col_int(stmt, 0),
            .process_id = (uint32_t)ps_col_int(stmt, 1),
            .kind = (enum ps_track_kind)ps_col_int(stmt, 2),
            .device = ps_col_int(stmt, 3),
            .stream = ps_col_int(stmt, 4),
            .n_slices = (uint32_t)ps_col_int(stmt, 5),
            .depth = (uint32_t)ps_col_int(stmt, 6),
            .start_ns = ps_col_int(stmt, 7),
            .end_ns = ps_col_int(stmt, 8),
        };
    }
    return err->code;
}

static enum ps_status add_chunk(struct ps_trace_cache *cache, struct ps_stmt *stmt, size_t *cap,
                                struct ps_err *err)
{
    int64_t id = ps_col_int(stmt, 0), first = ps_col_int(stmt, 2), n = ps_col_int(stmt, 3);

    if (id < 1 || id > INT64_MAX / 64 || first < 0 || n < 1 || n > PS_CHUNK_ROWS ||
        first + n > UINT32_MAX)
        return ps_trace_fail_damaged(err, "chunk", id);
    PS_RESERVE_ONE(cache->chunks, cache->n_chunks, *cap);
    cache->chunks[cache->n_chunks++] = (struct ps_chunk_row){
        .id = id,
        .track = (uint32_t)ps_col_int(stmt, 1),
        .first_row = (uint32_t)first,
        .n = (uint32_t)n,
        .start_ns = ps_col_int(stmt, 4),
        .end_ns = ps_col_int(stmt, 5),
        .last_start_ns = ps_col_int(stmt, 6),
        .columns = (uint32_t)ps_col_int(stmt, 7),
        .kinds = (uint32_t)ps_col_int(stmt, 8),
        .track_kind = (enum ps_track_kind)ps_col_int(stmt, 9),
        .device = ps_col_int(stmt, 10),
        .stream = ps_col_int(stmt, 11),
    };
    return PS_OK;
}

static enum ps_status load_chunks(struct ps_db *db, struct ps_trace_cache *cache,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t cap = 0;

    ps_db_prepare(db, ps_query_sql("trace_chunks"), &stmt, err);
    while (ps_stmt_step(stmt, err))
        add_chunk(cache, stmt, &cap, err);
    return err->code;
}

/* Checks that each track has the number of rows that its row states, in consecutive chunks. */
static enum ps_status check_tracks(const struct ps_trace_cache *cache, struct ps_err *err)
{
    for (size_t i = 0; i < cache->n_tracks; i++) {
        const struct ps_track_row *track = &cache->tracks[i];
        uint64_t rows = 0;
        size_t at, end;

        for (ps_trace_chunk_range(cache, track->id, &at, &end); at < end; at++) {
            if (cache->chunks[at].first_row != rows)
                return ps_trace_fail_damaged(err, "rows of chunk", cache->chunks[at].id);
            rows += cache->chunks[at].n;
        }
        if (rows != track->n_slices)
            return ps_trace_fail_damaged(err, "rows of track", track->id);
    }
    return err->code;
}

enum ps_status ps_trace_cache_load(struct ps_db *db, struct ps_trace_cache **out,
                                   struct ps_err *err)
{
    struct ps_trace_cache *cache;

    *out = NULL;
    if (err->code != PS_OK)
        return err->code;
    if (db->trace_cache) {
        *out = db->trace_cache;
        return PS_OK;
    }
    cache = ps_alloc(sizeof *cache);
    load_tracks(db, cache, err);
    load_chunks(db, cache, err);
    if (check_tracks(cache, err) != PS_OK)
        ps_trace_cache_free(cache);
    else
        *out = db->trace_cache = cache;
    return err->code;
}

/* Loads the rows (id, text, number) of a query into two arrays, indexed by id. *n: largest id + 1.
 */
static enum ps_status load_by_id(struct ps_db *db, const char *query, struct ps_arena *arena,
                                 struct ps_str **texts, uint32_t **numbers, size_t *n,
                                 struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t rows = 0, n_texts = 0, n_numbers = 0;

    ps_db_prepare(db, ps_query_sql(query), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        int64_t id = ps_col_int(stmt, 0);

        if (!ps_id_is_plausible(id, rows++))
            return ps_trace_fail_damaged(err, query, id);
        if (!ps_try_grow_to(texts, &n_texts, (size_t)id, sizeof **texts) ||
            !ps_try_grow_to(numbers, &n_numbers, (size_t)id, sizeof **numbers))
            return ps_fail_memory(err, "the names of the trace");
        (*texts)[id] = ps_arena_copy(arena, ps_col_text(stmt, 1));
        (*numbers)[id] = (uint32_t)ps_col_int(stmt, 2);
        *n = (size_t)id + 1;
    }
    return err->code;
}

static void find_memory(struct ps_trace_cache *cache)
{
    for (size_t i = 0; i < cache->n_texts && !cache->memory_text; i++)
        if (ps_str_eq_c(cache->texts[i], "[memory]"))
            cache->memory_text = (uint32_t)i;
}

enum ps_status ps_trace_cache_load_texts(struct ps_db *db, struct ps_trace_cache **out,
                                         struct ps_err *err)
{
    struct ps_trace_cache *cache;

    if (ps_trace_cache_load(db, &cache, err) == PS_OK && !cache->has_texts) {
        cache->has_texts = load_by_id(db, "trace_texts", &cache->arena, &cache->texts, &cache->keys,
                                      &cache->n_texts, err) == PS_OK;
        find_memory(cache);
    }
    if (err->code == PS_OK && !cache->has_templates)
        cache->has_templates = load_by_id(db, "trace_templates", &cache->arena, &cache->templates,
                                          &cache->shapes, &cache->n_templates, err) == PS_OK;
    *out = cache;
    return err->code;
}

enum ps_status ps_trace_get_tracks(struct ps_db *db, const struct ps_track_row **out, size_t *n,
                                   struct ps_err *err)
{
    struct ps_trace_cache *cache;
    const bool has = ps_trace_cache_load(db, &cache, err) == PS_OK;

    *out = has ? cache->tracks : NULL;
    *n = has ? cache->n_tracks : 0;
    return err->code;
}

struct ps_str ps_trace_text(struct ps_db *db, uint32_t id)
{
    struct ps_trace_cache *cache;
    struct ps_err err = PS_ERR_INIT;

    if (ps_trace_cache_load_texts(db, &cache, &err) != PS_OK || id >= cache->n_texts)
        return (struct ps_str){NULL, 0};
    return cache->texts[id];
}

enum ps_status ps_trace_get_text_end(struct ps_db *db, size_t *end, struct ps_err *err)
{
    struct ps_trace_cache *cache;

    *end = ps_trace_cache_load_texts(db, &cache, err) == PS_OK ? cache->n_texts : 0;
    return err->code;
}

struct ps_str ps_trace_cache_template(const struct ps_trace_cache *cache, int64_t id)
{
    if (id == PS_TEMPLATE_WHOLE)
        return PS_STR(PS_TEMPLATE_WHOLE_TEXT);
    return id > 0 && (uint64_t)id < cache->n_templates ? cache->templates[id]
                                                       : (struct ps_str){NULL, 0};
}

struct ps_str ps_trace_args_template(struct ps_db *db, int64_t id)
{
    struct ps_trace_cache *cache;
    struct ps_err err = PS_ERR_INIT;

    if (ps_trace_cache_load_texts(db, &cache, &err) != PS_OK)
        return (struct ps_str){NULL, 0};
    return ps_trace_cache_template(cache, id);
}

enum ps_status ps_trace_set_keys(struct ps_db *db, struct ps_operators *sums, bool by_shape,
                                 struct ps_err *err)
{
    struct ps_trace_cache *cache;

    if (ps_trace_cache_load_texts(db, &cache, err) != PS_OK)
        return err->code;
    sums->key = cache->keys;
    sums->n_key = cache->n_texts;
    sums->shapes = by_shape ? cache->shapes : NULL;
    sums->n_shapes = by_shape ? cache->n_templates : 0;
    return PS_OK;
}

void ps_trace_chunk_range(const struct ps_trace_cache *cache, uint32_t track, size_t *first,
                          size_t *end)
{
    size_t low = 0, high = cache->n_chunks;

    *first = 0;
    *end = cache->n_chunks;
    if (!track)
        return;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (cache->chunks[middle].track < track)
            low = middle + 1;
        else
            high = middle;
    }
    *first = *end = low;
    while (*end < cache->n_chunks && cache->chunks[*end].track == track)
        ++*end;
}

const struct ps_chunk_row *ps_trace_find_chunk(const struct ps_trace_cache *cache, int64_t slice)
{
    size_t first, end;
    uint32_t row = (uint32_t)slice;

    if (slice >> 32 <= 0 || slice >> 32 > UINT32_MAX)
        return NULL;
    ps_trace_chunk_range(cache, (uint32_t)(slice >> 32), &first, &end);
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const struct ps_chunk_row *chunk = &cache->chunks[middle];

        if (row < chunk->first_row)
            end = middle;
        else if (row - chunk->first_row < chunk->n)
            return chunk;
        else
            first = middle + 1;
    }
    return NULL;
}
