/* SPDX-License-Identifier: MIT */
/*
 * memory_operators.c: the rows of memory by operator, by the rules of TensorBoard's memory view. An
 * allocation belongs to the deepest operator on its thread at its time, a free to the operator of
 * its allocation. The increase of an operator is the sum of the bytes of its own records and of the
 * records of all operators that it called.
 */
#include <stdlib.h>

#include "base/context.h"
#include "server/query/trace/allocations/memory_records.h"
#include "server/query/trace/parameters.h"

enum { NAME, TYPE, DEVICE, INCREASE, SELF, COUNT, BYTES, WORKER, N_COLUMNS };

struct row {
    int64_t value[N_COLUMNS];
    /* index + 1 of the next row with the same name, of another device or worker; 0: none */
    uint32_t next;
};

struct rows {
    struct row *items;
    size_t n, cap;
    uint32_t *first_row_by_text; /* [text id]: index of the first row with the name + 1; 0: none */
    size_t first_row_cap;
};

static struct row *row_of(struct rows *rows, uint32_t name, const struct ps_memory_record *r)
{
    uint32_t at = name < rows->first_row_cap ? rows->first_row_by_text[name] : 0;

    for (; at && !ps_context_has_ended(); at = rows->items[at - 1].next) {
        struct row *row = &rows->items[at - 1];

        if (row->value[TYPE] == r->type && row->value[DEVICE] == r->device &&
            row->value[WORKER] == r->worker)
            return row;
    }
    rows->first_row_by_text = ps_grow_to(rows->first_row_by_text, &rows->first_row_cap, name,
                                         sizeof *rows->first_row_by_text);
    PS_RESERVE_ONE(rows->items, rows->n, rows->cap);
    rows->items[rows->n] =
        (struct row){{[NAME] = name, [TYPE] = r->type, [DEVICE] = r->device, [WORKER] = r->worker},
                     rows->first_row_by_text[name]};
    rows->first_row_by_text[name] = (uint32_t)rows->n + 1;
    return &rows->items[rows->n++];
}

static void add_wrapping(int64_t *sum, int64_t value)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

/* A record and the id of the slice that it belongs to. */
struct attributed_event {
    int64_t slice;
    const struct ps_memory_record *record;
};

/* Parents and names of the slices of one thread, up to the last slice that is needed. */
struct thread {
    struct ps_db *db;
    uint32_t *parent, *name; /* parent: row of the parent slice + 1; 0: none. name: text id. */
    size_t n, n_wanted;
};

static bool add_rows(void *user, const struct ps_chunk *chunk)
{
    struct thread *thread = user;

    if (chunk->first != thread->n)
        return false;
    for (uint32_t i = 0; i < chunk->n && thread->n < thread->n_wanted; i++) {
        int64_t back = ps_chunk_value(chunk, PS_COL_PARENT, i);
        int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i);

        thread->parent[thread->n] = back > 0 && (uint64_t)back <= thread->n
                                        ? (uint32_t)(thread->n - (uint64_t)back + 1)
                                        : 0;
        thread->name[thread->n++] =
            ps_trace_text(thread->db, (uint32_t)name).ptr ? (uint32_t)name : 0;
    }
    return thread->n < thread->n_wanted;
}

static void add_record(struct rows *rows, const struct thread *thread,
                       const struct attributed_event *o)
{
    uint32_t at = (uint32_t)(o->slice & UINT32_MAX) + 1;
    bool self = true;

    while (at && at <= thread->n && !ps_context_has_ended()) {
        struct row *row = row_of(rows, thread->name[at - 1], o->record);

        add_wrapping(&row->value[INCREASE], o->record->bytes);
        if (self)
            add_wrapping(&row->value[SELF], o->record->bytes);
        if (self && o->record->bytes > 0) {
            row->value[COUNT]++;
            add_wrapping(&row->value[BYTES], o->record->bytes);
        }
        self = false;
        at = thread->parent[at - 1];
    }
}

/* Returns the number of slices of a track; 0 after a failure or if there is no such track. */
static size_t slices_of(struct ps_db *db, uint32_t track, struct ps_err *err)
{
    const struct ps_track_row *tracks;
    size_t n = 0;

    if (ps_trace_get_tracks(db, &tracks, &n, err) == PS_OK)
        for (size_t i = 0; i < n; i++)
            if (tracks[i].id == track)
                return tracks[i].n_slices;
    return 0;
}

/* Adds the records [from, to), which belong to slices of one thread. */
static enum ps_status add_thread(struct ps_db *db, const struct attributed_event *from,
                                 const struct attributed_event *to, struct rows *rows,
                                 struct ps_err *err)
{
    struct ps_chunk_query query = {.track = (uint32_t)(from->slice >> 32),
                                   .range = PS_RANGE_ALL,
                                   .columns = PS_COL_BIT(PS_COL_PARENT) | PS_COL_BIT(PS_COL_NAME)};
    struct thread thread = {.db = db, .n_wanted = (size_t)(to[-1].slice & UINT32_MAX) + 1};
    PS_AUTO(ps_free_ptr)
    uint32_t *parent = NULL;
    PS_AUTO(ps_free_ptr) uint32_t *name = NULL;

    if (thread.n_wanted > slices_of(db, query.track, err))
        return ps_fail(err, PS_INTERNAL, "memory events refer to a missing slice");
    thread.parent = parent = ps_grow(NULL, thread.n_wanted, sizeof *parent);
    thread.name = name = ps_grow(NULL, thread.n_wanted, sizeof *name);
    ps_trace_each_chunk(db, &query, add_rows, &thread, err);
    for (const struct attributed_event *o = from; o < to && err->code == PS_OK; o++) {
        add_record(rows, &thread, o);
        ps_context_check(err);
    }
    return err->code;
}

static int by_slice(const void *a, const void *b)
{
    const struct attributed_event *x = a, *y = b;

    return (x->slice > y->slice) - (x->slice < y->slice);
}

static enum ps_status add_all(struct ps_db *db, const struct ps_memory_records *records,
                              struct ps_range range, const struct ps_track_set *tracks,
                              struct rows *rows, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr)
    struct attributed_event *list = ps_grow(NULL, records->n + 1, sizeof *list);
    size_t n = 0;

    for (size_t i = 0; i < records->n; i++) {
        const struct ps_memory_record *r = &records->items[i];
        const struct ps_memory_record *owner =
            r->bytes < 0 && r->partner ? &records->items[r->partner - 1] : r;

        if (owner->slice > 0 && ps_track_set_has(tracks, ps_track_of_slice(owner->slice)) &&
            r->t_ns >= range.from_ns && r->t_ns < range.to_ns)
            list[n++] = (struct attributed_event){owner->slice, r};
    }
    if (n)
        qsort(list, n, sizeof *list, by_slice);
    for (size_t i = 0, end; i < n && err->code == PS_OK; i = end) {
        for (end = i + 1; end < n && list[end].slice >> 32 == list[i].slice >> 32;)
            end++;
        add_thread(db, &list[i], &list[end], rows, err);
    }
    return err->code;
}

enum ps_status ps_make_memory_operators(struct ps_db *db, struct ps_params params,
                                        struct ps_computed_table *out, struct ps_err *err)
{
    PS_AUTO(ps_memory_records_free) struct ps_memory_records records = {0};
    PS_AUTO(ps_track_set_free) struct ps_track_set tracks = {0};
    struct rows rows = {.items = NULL};
    struct ps_range range;

    ps_param_range(params, &range, err);
    ps_param_tracks(db, params, &tracks, err);
    ps_memory_records_read(db, &records, err);
    add_all(db, &records, range, &tracks, &rows, err);
    if (err->code == PS_OK)
        ps_computed_table_copy(out, PS_TEMP_MEMORY_OPERATORS, rows.items, rows.n,
                               sizeof *rows.items, N_COLUMNS);
    free(rows.items);
    free(rows.first_row_by_text);
    return err->code;
}
