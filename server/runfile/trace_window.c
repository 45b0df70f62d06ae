/* SPDX-License-Identifier: MIT */
/* trace_window.c: reads the slices and bins of a track that the timeline draws, from the levels of
 * detail (pyramid) and from chunks. */
#include <stdlib.h>

#include "server/runfile/trace_reader.h"
#include "slices/column.h"

/* The levels of a track in the run file or, if `layered` is not NULL, of a thread with layers. */
struct levels {
    int64_t key[PS_LEVELS_MAX], bin_ns[PS_LEVELS_MAX];
    unsigned n;
    const struct ps_layered_track *layered;
};

static enum ps_status find_levels(struct ps_db *db, uint32_t track, struct levels *out,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    if (ps_db_prepare(db, ps_query_sql("trace_levels"), &stmt, err) != PS_OK)
        return err->code;
    ps_bind_int(stmt, ":first", ps_pyramid_key(track, 0));
    ps_bind_int(stmt, ":end", ps_pyramid_key(track, 0) + PS_LEVELS_MAX);
    for (out->n = 0; out->n < PS_LEVELS_MAX && ps_stmt_step(stmt, err); out->n++) {
        out->key[out->n] = ps_col_int(stmt, 0);
        out->bin_ns[out->n] = ps_col_int(stmt, 1);
    }
    return err->code;
}

/* Appends the blocks of a level that overlap the window. Does not read the other blocks. With
 * `bins` false, appends only blocks of slices. */
static enum ps_status read_blocks(sqlite3_blob *blob, const struct ps_window *window, bool bins,
                                  struct ps_buf *out)
{
    int size = sqlite3_blob_bytes(blob), at = 0;

    while (at < size) {
        char head[PS_PYRAMID_HEAD_SIZE];
        struct ps_pyramid_block block;

        if (size - at < PS_PYRAMID_HEAD_SIZE ||
            sqlite3_blob_read(blob, head, sizeof head, at) != SQLITE_OK ||
            !ps_pyramid_read_block((struct ps_str){head, sizeof head}, &block) ||
            block.bytes > (unsigned)(size - at))
            return PS_INTERNAL;
        if (block.is_bins && !bins)
            break; /* all blocks of slices precede the blocks of bins */
        if (ps_window_overlaps(window, &block)) {
            ps_buf_reserve(out, block.bytes);
            if (sqlite3_blob_read(blob, out->ptr + out->len, (int)block.bytes, at) != SQLITE_OK)
                return PS_INTERNAL;
            out->len += block.bytes;
        }
        at += (int)block.bytes;
    }
    return PS_OK;
}

/* Adds the slices of the levels from `lowest` on, and, with `bins`, the bins of level `lowest`. */
static enum ps_status add_levels(struct ps_db *db, const struct levels *levels, unsigned lowest,
                                 bool bins, struct ps_window *window, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf blocks = {0};
    sqlite3_blob *blob = NULL;

    for (unsigned k = lowest; levels->layered && k < levels->n; k++)
        if (!ps_window_add_level(window, ps_buf_slice(&levels->layered->level[k]),
                                 bins && k == lowest))
            return ps_trace_fail_damaged(err, "level of detail", k);
    for (unsigned k = lowest; !levels->layered && k < levels->n && err->code == PS_OK; k++) {
        int64_t key = levels->key[k];
        int code = blob ? sqlite3_blob_reopen(blob, key)
                        : sqlite3_blob_open(db->handle, "main", "pyramid", "data", key, 0, &blob);

        blocks.len = 0;
        if (code != SQLITE_OK || read_blocks(blob, window, bins && k == lowest, &blocks) != PS_OK ||
            !ps_window_add_level(window, ps_buf_slice(&blocks), bins && k == lowest))
            (void)ps_trace_fail_damaged(err, "level of detail", key);
    }
    sqlite3_blob_close(blob);
    return err->code;
}

/* Reads the rows [first, end) of a chunk, with the columns PS_WINDOW_COLUMNS. */
static enum ps_status read_rows(struct ps_trace_reader *reader, const struct ps_chunk_row *row,
                                uint32_t first, uint32_t end, struct ps_chunk *out,
                                struct ps_err *err)
{
    *out =
        (struct ps_chunk){.track = row->track, .first = row->first_row + first, .n = end - first};
    for (int c = 0; c < PS_N_SLICE_COLUMNS; c++) {
        struct ps_str raw;

        if (!(PS_WINDOW_COLUMNS & PS_COL_BIT(c)))
            continue;
        if (ps_trace_reader_read_packed(reader, row, (unsigned)c, &raw, err) != PS_OK)
            return err->code;
        if (!raw.ptr)
            continue;
        if (!reader->column[c])
            reader->column[c] = ps_grow(NULL, PS_CHUNK_ROWS, sizeof(int64_t));
        if (!ps_column_unpack_range(raw, row->n, first, end - first, reader->column[c]))
            return ps_trace_fail_damaged(err, "column", ps_chunk_key(row->id, (unsigned)c));
        out->column[c] = reader->column[c];
    }
    return PS_OK;
}

/* Returns the depths of the rows of a chunk, each in its layer. */
static const int64_t *depths_of_layers(struct ps_trace_reader *reader,
                                       const struct ps_layers *layers, const struct ps_chunk *chunk)
{
    int64_t **depths = &reader->column[PS_COL_DEPTH];

    if (!*depths)
        *depths = ps_grow(NULL, PS_CHUNK_ROWS, sizeof **depths);
    for (uint32_t i = 0; i < chunk->n; i++)
        (*depths)[i] = layers->row_depth[chunk->first + i];
    return *depths;
}

static int64_t subtract_saturated(int64_t at, int64_t by)
{
    int64_t out;

    return __builtin_sub_overflow(at, by, &out) ? INT64_MIN : out;
}

/* Adds the slices shorter than shorter_ns (INT64_MAX: all). Longer slices were added from levels,
 * so only slices that start in the window or at most shorter_ns before it are missing. */
static enum ps_status add_chunks(struct ps_db *db, uint32_t track, int64_t shorter_ns,
                                 const struct ps_layered_track *layered, struct ps_window *window,
                                 struct ps_err *err)
{
    struct ps_trace_reader *reader = ps_trace_reader_acquire(db);
    bool all = shorter_ns == INT64_MAX;
    int64_t from = all ? INT64_MIN : subtract_saturated(window->from_ns, shorter_ns);
    size_t at, end;

    ps_trace_chunk_range(db->trace_cache, track, &at, &end);
    for (; at < end && err->code == PS_OK; at++) {
        const struct ps_chunk_row *row = &db->trace_cache->chunks[at];
        struct ps_chunk chunk;
        uint32_t first = 0, last = 0;

        if (row->start_ns >= window->to_ns || row->end_ns < window->from_ns ||
            row->last_start_ns < from)
            continue;
        if ((!all && ps_trace_reader_find_start(reader, row, from, 0, &first, err) != PS_OK) ||
            ps_trace_reader_find_start(reader, row, window->to_ns, first, &last, err) != PS_OK ||
            read_rows(reader, row, first, last, &chunk, err) != PS_OK)
            break;
        if (layered)
            chunk.column[PS_COL_DEPTH] = depths_of_layers(reader, &layered->layers, &chunk);
        ps_window_add_chunk(window, &chunk, shorter_ns);
    }
    ps_trace_reader_release(reader);
    return err->code;
}

static enum ps_status fill_window(struct ps_db *db, uint32_t track, const struct levels *levels,
                                  struct ps_window *window, struct ps_err *err)
{
    unsigned k = 0;

    if (!levels->n)
        return add_chunks(db, track, INT64_MAX, levels->layered, window, err);
    while (k < levels->n && (double)levels->bin_ns[k] <= window->ns_per_px)
        k++;
    if (k)
        return add_levels(db, levels, k - 1, true, window, err);
    if (add_levels(db, levels, 0, false, window, err) != PS_OK)
        return err->code;
    return add_chunks(db, track, levels->bin_ns[0], levels->layered, window, err);
}

enum ps_status ps_trace_read_window(struct ps_db *db, uint32_t track, int64_t from_ns,
                                    int64_t to_ns, uint32_t px, struct ps_window *out,
                                    struct ps_err *err)
{
    struct ps_trace_cache *cache;
    struct levels levels = {.n = 0};
    size_t first, end;

    ps_window_begin(out, from_ns, to_ns, px);
    if (ps_trace_cache_load(db, &cache, err) != PS_OK)
        return err->code;
    ps_trace_chunk_range(cache, track, &first, &end);
    if (!track || first == end)
        ps_fail(err, PS_NOT_FOUND, "no track %u in this run", track);
    else if (find_levels(db, track, &levels, err) == PS_OK &&
             fill_window(db, track, &levels, out, err) == PS_OK)
        ps_window_end(out);
    return err->code;
}

enum ps_status ps_trace_read_layer(struct ps_db *db, uint32_t track, enum ps_layer layer,
                                   struct ps_range range, uint32_t px, struct ps_window *out,
                                   struct ps_err *err)
{
    struct ps_layered_track *layered;
    struct levels levels;

    ps_window_begin(out, range.from_ns, range.to_ns, px);
    out->first_depth = layer * PS_LAYER_DEPTH_MAX;
    out->end_depth = out->first_depth + PS_LAYER_DEPTH_MAX;
    if (ps_layered_track_load(db, track, &layered, err) != PS_OK)
        return err->code;
    levels = (struct levels){.n = layered->n_levels, .layered = layered};
    memcpy(levels.bin_ns, layered->bin_ns, sizeof levels.bin_ns);
    if (fill_window(db, track, &levels, out, err) == PS_OK)
        ps_window_end(out);
    return err->code;
}
