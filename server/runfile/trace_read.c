/* SPDX-License-Identifier: MIT */
/* trace_read.c: reads columns of slices from their blobs. */
#include <stdlib.h>

#include "server/runfile/trace_reader.h"
#include "slices/args.h"
#include "slices/column.h"

struct ps_trace_reader *ps_trace_reader_acquire(struct ps_db *db)
{
    struct ps_trace_reader *reader = db->trace_cache->idle_readers;

    if (reader) {
        db->trace_cache->idle_readers = reader->next;
        reader->next = NULL;
        return reader;
    }
    reader = ps_alloc(sizeof *reader);
    reader->db = db;
    return reader;
}

void ps_trace_reader_release(struct ps_trace_reader *reader)
{
    if (!reader)
        return;
    reader->next = reader->db->trace_cache->idle_readers;
    reader->db->trace_cache->idle_readers = reader;
}

/* Opens the row `key` of table chunk_column as reader->blob. */
static enum ps_status seek_row(struct ps_trace_reader *reader, int64_t key, struct ps_err *err)
{
    int code = reader->blob ? sqlite3_blob_reopen(reader->blob, key)
                            : sqlite3_blob_open(reader->db->handle, "main", "chunk_column", "data",
                                                key, 0, &reader->blob);

    if (code == SQLITE_OK)
        return PS_OK;
    sqlite3_blob_close(reader->blob);
    reader->blob = NULL;
    if (code == SQLITE_INTERRUPT)
        return ps_fail(err, PS_TOO_SLOW, "the query took too long and was stopped");
    return ps_trace_fail_damaged(err, "column", key);
}

enum ps_status ps_trace_reader_read_packed(struct ps_trace_reader *reader,
                                           const struct ps_chunk_row *chunk, unsigned column,
                                           struct ps_str *out, struct ps_err *err)
{
    struct ps_buf *raw = &reader->packed[column];
    int64_t key = ps_chunk_key(chunk->id, column);

    *out = (struct ps_str){NULL, 0};
    if (!(chunk->columns & PS_COL_BIT(column)))
        return PS_OK;
    if (reader->chunk_of_column[column] != chunk->id) {
        size_t len;

        if (seek_row(reader, key, err) != PS_OK)
            return err->code;
        len = (size_t)sqlite3_blob_bytes(reader->blob);
        raw->len = 0;
        reader->chunk_of_column[column] = 0;
        ps_buf_reserve(raw, len + 1);
        if (sqlite3_blob_read(reader->blob, raw->ptr, (int)len, 0) != SQLITE_OK)
            return ps_trace_fail_damaged(err, "column", key);
        raw->len = len;
        reader->chunk_of_column[column] = chunk->id;
    }
    *out = ps_buf_slice(raw);
    return PS_OK;
}

enum ps_status ps_trace_reader_read_column(struct ps_trace_reader *reader,
                                           const struct ps_chunk_row *chunk,
                                           enum ps_slice_column column, const int64_t **out,
                                           struct ps_err *err)
{
    struct ps_str raw;

    *out = NULL;
    if (ps_trace_reader_read_packed(reader, chunk, column, &raw, err) != PS_OK)
        return err->code;
    if (!raw.ptr)
        return PS_OK;
    if (!reader->column[column])
        reader->column[column] = ps_grow(NULL, PS_CHUNK_ROWS, sizeof(int64_t));
    if (!ps_column_unpack(raw, chunk->n, reader->column[column]))
        return ps_trace_fail_damaged(err, "column", ps_chunk_key(chunk->id, column));
    *out = reader->column[column];
    return PS_OK;
}

enum ps_status ps_trace_reader_read_value(struct ps_trace_reader *reader,
                                          const struct ps_chunk_row *chunk,
                                          enum ps_slice_column column, uint32_t i, int64_t *out,
                                          struct ps_err *err)
{
    struct ps_str raw;

    *out = 0;
    if (ps_trace_reader_read_packed(reader, chunk, column, &raw, err) != PS_OK)
        return err->code;
    if (raw.ptr && !ps_column_unpack_one(raw, chunk->n, i, out))
        return ps_trace_fail_damaged(err, "column", ps_chunk_key(chunk->id, column));
    return PS_OK;
}

enum ps_status ps_trace_reader_find_start(struct ps_trace_reader *reader,
                                          const struct ps_chunk_row *chunk, int64_t at,
                                          uint32_t low, uint32_t *out, struct ps_err *err)
{
    uint32_t high = chunk->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int64_t start;

        if (ps_trace_reader_read_value(reader, chunk, PS_COL_START, middle, &start, err) != PS_OK)
            return err->code;
        if (start < at)
            low = middle + 1;
        else
            high = middle;
    }
    *out = low;
    return PS_OK;
}

enum ps_status ps_trace_reader_append_args(struct ps_trace_reader *reader,
                                           const struct ps_chunk_row *chunk, uint32_t i,
                                           struct ps_buf *out, struct ps_err *err)
{
    struct ps_trace_cache *cache;
    struct ps_str packed;
    int64_t template, at;

    if (ps_trace_cache_load_texts(reader->db, &cache, err) != PS_OK ||
        ps_trace_reader_read_value(reader, chunk, PS_COL_TEMPLATE, i, &template, err) != PS_OK ||
        ps_trace_reader_read_value(reader, chunk, PS_COL_ARGS_AT, i, &at, err) != PS_OK ||
        ps_trace_reader_read_packed(reader, chunk, PS_CHUNK_ARGS, &packed, err) != PS_OK)
        return err->code;
    if (at < 0 || (uint64_t)at > packed.len)
        return ps_trace_fail_damaged(err, "arguments in chunk", chunk->id);
    ps_args_json(ps_trace_cache_template(cache, template), ps_str_skip(packed, (size_t)at), false,
                 out);
    return PS_OK;
}

/* --- Chunks --- */

static bool is_wanted(const struct ps_chunk_query *query, const struct ps_chunk_row *chunk)
{
    const struct ps_range *range = &query->range;

    if (query->track_kinds && !(query->track_kinds >> (chunk->track_kind & 31) & 1))
        return false;
    if (query->slice_kinds && !(query->slice_kinds & chunk->kinds))
        return false;
    if (query->tracks && !ps_track_set_has(query->tracks, chunk->track))
        return false;
    return chunk->start_ns < range->to_ns &&
           (query->must_start_in_range ? chunk->last_start_ns : chunk->end_ns) >= range->from_ns;
}

static enum ps_status read_chunk(struct ps_trace_reader *reader, const struct ps_chunk_query *query,
                                 const struct ps_chunk_row *row, struct ps_chunk *out,
                                 struct ps_err *err)
{
    *out = (struct ps_chunk){
        .track = row->track,
        .track_kind = row->track_kind,
        .first = row->first_row,
        .n = row->n,
        .start_ns = row->start_ns,
        .end_ns = row->end_ns,
    };
    for (int c = 0; c < PS_N_SLICE_COLUMNS && err->code == PS_OK; c++)
        if (query->columns & PS_COL_BIT(c))
            ps_trace_reader_read_column(reader, row, (enum ps_slice_column)c, &out->column[c], err);
    if (err->code == PS_OK && query->wants_args)
        ps_trace_reader_read_packed(reader, row, PS_CHUNK_ARGS, &out->args, err);
    return err->code;
}

enum ps_status ps_trace_each_chunk(struct ps_db *db, const struct ps_chunk_query *query,
                                   bool (*visit)(void *user, const struct ps_chunk *chunk),
                                   void *user, struct ps_err *err)
{
    struct ps_trace_cache *cache;
    struct ps_trace_reader *reader;
    size_t at, end;
    bool more = true;

    if (ps_trace_cache_load(db, &cache, err) != PS_OK)
        return err->code;
    reader = ps_trace_reader_acquire(db);
    ps_trace_chunk_range(cache, query->track, &at, &end);
    for (; at < end && more && err->code == PS_OK; at++) {
        struct ps_chunk chunk;

        if (!is_wanted(query, &cache->chunks[at]) || ps_context_check(err) != PS_OK)
            continue;
        more = read_chunk(reader, query, &cache->chunks[at], &chunk, err) == PS_OK &&
               visit(user, &chunk);
    }
    ps_trace_reader_release(reader);
    return err->code;
}

/* --- One slice --- */

/* Finds the chunk of a slice, and makes sure that the cache has its slice_reader. */
static enum ps_status find_slice(struct ps_db *db, int64_t id, const struct ps_chunk_row **chunk,
                                 struct ps_err *err)
{
    struct ps_trace_cache *cache;

    *chunk = NULL;
    if (ps_trace_cache_load(db, &cache, err) != PS_OK)
        return err->code;
    *chunk = ps_trace_find_chunk(cache, id);
    if (!*chunk)
        return ps_fail(err, PS_NOT_FOUND, "no slice %lld in this run", (long long)id);
    if (!cache->slice_reader)
        cache->slice_reader = ps_trace_reader_acquire(db);
    return PS_OK;
}

enum ps_status ps_trace_read_slice(struct ps_db *db, int64_t id, uint32_t columns,
                                   int64_t out[PS_N_SLICE_COLUMNS], struct ps_err *err)
{
    const struct ps_chunk_row *chunk;

    if (find_slice(db, id, &chunk, err) != PS_OK)
        return err->code;
    for (int c = 0; c < PS_N_SLICE_COLUMNS && err->code == PS_OK; c++)
        if (columns & PS_COL_BIT(c))
            ps_trace_reader_read_value(db->trace_cache->slice_reader, chunk,
                                       (enum ps_slice_column)c, (uint32_t)id - chunk->first_row,
                                       &out[c], err);
    return err->code;
}

enum ps_status ps_trace_append_args(struct ps_db *db, int64_t id, struct ps_buf *out,
                                    struct ps_err *err)
{
    const struct ps_chunk_row *chunk;

    if (find_slice(db, id, &chunk, err) == PS_OK)
        ps_trace_reader_append_args(db->trace_cache->slice_reader, chunk,
                                    (uint32_t)id - chunk->first_row, out, err);
    return err->code;
}
