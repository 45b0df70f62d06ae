/* SPDX-License-Identifier: MIT */
#include "server/query/snapshot/history.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/hash_table.h"
#include "importers/records/snapshot.h"

#define CACHE_BYTES_MAX    ((size_t)32 << 20)
#define SEGMENTS_MAX       ((size_t)16 << 20)
#define SEGMENT_EVENTS_MAX ((size_t)2 << 20)
#define WAITING_MAX        ((size_t)2 << 20)

static void free_entry(struct ps_cache_entry *entry)
{
    struct ps_snapshot_history *history = (struct ps_snapshot_history *)entry;

    free(entry->key);
    free(history->segments);
    free(history->blocks);
    free(history->segment_events);
    free(history->waiting);
    free(history);
}

static struct ps_lru_cache cache = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .bytes_max = CACHE_BYTES_MAX,
    .free_entry = free_entry,
};

void ps_snapshot_history_release(const struct ps_snapshot_history **history)
{
    ps_lru_cache_release(&cache, *history ? &(*history)->cache_entry : NULL);
    *history = NULL;
}

struct reader {
    struct ps_snapshot_history *history;
    struct ps_hash_table open; /* by address: waiting frees that are not completed */
    /* the last event was a request; it is not yet in history->waiting */
    bool has_request;
    struct ps_snapshot_waiting_free request;
};

static bool has_address(const void *items, uint32_t index, const void *key)
{
    return ((const struct ps_snapshot_waiting_free *)items)[index].address == *(const int64_t *)key;
}

static void complete(struct reader *r, int64_t address, int64_t event)
{
    struct ps_snapshot_history *history = r->history;
    uint64_t hash = ps_hash_u64((uint64_t)address);
    uint32_t i;

    if (!r->open.count)
        return;
    i = ps_hash_table_find(&r->open, hash, has_address, history->waiting, &address);
    if (i == PS_HASH_NONE)
        return;
    history->waiting[i].completed = event;
    ps_hash_table_remove(&r->open, hash, i);
}

/* Adds the request that the last event was, since this event does not complete it. */
static enum ps_status add_waiting(struct reader *r, struct ps_err *err)
{
    struct ps_snapshot_history *history = r->history;
    uint32_t i = (uint32_t)history->n_waiting;

    r->has_request = false;
    if (history->n_waiting == WAITING_MAX)
        return ps_fail(err, PS_LIMIT, "more than %zu frees of the GPU waited for another stream",
                       WAITING_MAX);
    complete(r, r->request.address, r->request.requested); /* its completion is missing */
    PS_RESERVE_ONE(history->waiting, history->n_waiting, history->cap_waiting);
    history->waiting[history->n_waiting++] = r->request;
    (void)ps_hash_table_add(&r->open, ps_hash_u64((uint64_t)r->request.address), i, has_address,
                            history->waiting, &r->request.address);
    return err->code;
}

static enum ps_status add_segment_event(struct reader *r, struct ps_snapshot_rows *events,
                                        size_t chunk, size_t row, int64_t action,
                                        struct ps_err *err)
{
    struct ps_snapshot_history *history = r->history;
    const int64_t *index = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_INDEX, err);
    const int64_t *address = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_ADDRESS, err);
    const int64_t *bytes = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_BYTES, err);
    const int64_t *stream = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_STREAM, err);
    const int64_t *pool = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_POOL, err);

    if (!index || !address || !bytes || !stream || !pool)
        return err->code;
    if (history->n_segment_events == SEGMENT_EVENTS_MAX)
        return ps_fail(err, PS_LIMIT, "the GPU has more than %zu events of segments",
                       SEGMENT_EVENTS_MAX);
    if (bytes[row] < 0 || stream[row] < 0 || stream[row] > UINT32_MAX || pool[row] < 0 ||
        pool[row] > UINT32_MAX)
        return ps_snapshot_fail_damaged(err, "an event of a segment");
    PS_RESERVE_ONE(history->segment_events, history->n_segment_events, history->cap_segment_events);
    history->segment_events[history->n_segment_events++] =
        (struct ps_snapshot_segment_event){.event = index[row],
                                           .bytes = bytes[row],
                                           .address = (uint64_t)address[row],
                                           .stream = (uint32_t)stream[row],
                                           .pool = (uint32_t)pool[row],
                                           .action = (enum ps_snapshot_action)action};
    return err->code;
}

static enum ps_status add_chunk(struct reader *r, struct ps_snapshot_rows *events, size_t chunk,
                                struct ps_err *err)
{
    const int64_t *action = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_ACTION, err);
    const int64_t *address = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_ADDRESS, err);
    const int64_t *index = ps_snapshot_column(events, chunk, PS_SNAPSHOT_EVENT_INDEX, err);

    if (!action || !address || !index)
        return err->code;
    for (size_t i = 0; i < events->chunks[chunk].n && err->code == PS_OK; i++) {
        if (r->has_request) {
            if (action[i] == PS_SNAPSHOT_FREE_COMPLETED && address[i] == r->request.address) {
                r->has_request = false;
                continue;
            }
            add_waiting(r, err);
        }
        if (action[i] == PS_SNAPSHOT_FREE_REQUESTED) {
            r->has_request = true;
            r->request = (struct ps_snapshot_waiting_free){index[i], INT64_MAX, address[i]};
        } else if (action[i] == PS_SNAPSHOT_FREE_COMPLETED || action[i] == PS_SNAPSHOT_ALLOC) {
            complete(r, address[i], index[i]);
        } else if (action[i] >= PS_SNAPSHOT_SEGMENT_ALLOC &&
                   action[i] <= PS_SNAPSHOT_SEGMENT_UNMAP) {
            add_segment_event(r, events, chunk, i, action[i], err);
        }
    }
    return err->code;
}

/* Reads the segments at the end. */
static enum ps_status read_segments(struct ps_db *db, int64_t device,
                                    struct ps_snapshot_history *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("snapshot_segments"), &stmt, err);
    ps_bind_int(stmt, ":device", device);
    while (ps_stmt_step(stmt, err)) {
        if (ps_context_check(err) != PS_OK)
            return err->code;
        if (ps_col_int(stmt, 1) < 0 || out->n_segments == SEGMENTS_MAX)
            return ps_snapshot_fail_damaged(err, "a segment");
        PS_RESERVE_ONE(out->segments, out->n_segments, out->cap_segments);
        out->segments[out->n_segments++] =
            (struct ps_snapshot_segment_at){.address = (uint64_t)ps_col_int(stmt, 0),
                                            .bytes = ps_col_int(stmt, 1),
                                            .stream = (uint32_t)ps_col_int(stmt, 2),
                                            .pool = (uint32_t)ps_col_int(stmt, 3),
                                            .is_large = ps_col_int(stmt, 4) != 0,
                                            .is_expandable = ps_col_int(stmt, 5) != 0};
    }
    return err->code;
}

static int by_address(const void *a, const void *b)
{
    const struct ps_snapshot_known_block *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

/* Reads the blocks in use at the end: their sizes are known. */
static enum ps_status read_blocks(struct ps_db *db, int64_t device, struct ps_snapshot_history *out,
                                  struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("snapshot_blocks"), &stmt, err);
    ps_bind_int(stmt, ":device", device);
    while (ps_stmt_step(stmt, err)) {
        if (ps_context_check(err) != PS_OK)
            return err->code;
        PS_RESERVE_ONE(out->blocks, out->n_blocks, out->cap_blocks);
        out->blocks[out->n_blocks++] = (struct ps_snapshot_known_block){
            .address = (uint64_t)ps_col_int(stmt, 0), .bytes = ps_col_int(stmt, 1)};
    }
    if (out->n_blocks)
        qsort(out->blocks, out->n_blocks, sizeof *out->blocks, by_address);
    return err->code;
}

static enum ps_status read_history(struct ps_db *db, int64_t device,
                                   struct ps_snapshot_history *history, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows events = {.db = NULL};
    struct reader r = {.history = history};

    ps_snapshot_rows_open(db, PS_PACKED_SNAPSHOT_EVENTS, device, &events, err);
    for (size_t c = 0; c < events.n_chunks && err->code == PS_OK; c++)
        add_chunk(&r, &events, c, err);
    if (err->code == PS_OK && r.has_request)
        add_waiting(&r, err);
    ps_hash_table_free(&r.open);
    read_segments(db, device, history, err);
    return read_blocks(db, device, history, err);
}

enum ps_status ps_snapshot_history_acquire(struct ps_db *db, int64_t device,
                                           const struct ps_snapshot_history **out,
                                           struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    struct ps_snapshot_history *history;

    *out = NULL;
    if (err->code != PS_OK)
        return err->code;
    ps_buf_printf(&key, "%s %lld", ps_db_run_id(db), (long long)device);
    history = (struct ps_snapshot_history *)ps_lru_cache_find(&cache, key.ptr);
    if (!history) {
        history = ps_alloc(sizeof *history);
        if (read_history(db, device, history, err) != PS_OK) {
            free_entry(&history->cache_entry);
            return err->code;
        }
        ps_lru_cache_put(&cache, &history->cache_entry, ps_strdup(ps_buf_slice(&key)),
                         sizeof *history + history->cap_segments * sizeof *history->segments +
                             history->cap_blocks * sizeof *history->blocks +
                             history->cap_segment_events * sizeof *history->segment_events +
                             history->cap_waiting * sizeof *history->waiting);
    }
    *out = history;
    return PS_OK;
}
