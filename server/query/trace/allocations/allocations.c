/* SPDX-License-Identifier: MIT */
/* allocations.c: the rows of the table of allocations: the times of allocation and free, and the
 * slices that allocated and freed. */
#include <stdlib.h>

#include "server/query/trace/allocations/memory_records.h"
#include "server/query/trace/parameters.h"

enum { BEGIN, END, BYTES, TYPE, DEVICE, ADDRESS, SLICE, FREED_BY, NAME, WORKER, N_COLUMNS };

static int64_t id_or_null(int64_t id)
{
    return id ? id : PS_TEMP_NULL;
}

static bool in_range(const struct ps_memory_record *r, struct ps_range range)
{
    return r->t_ns >= range.from_ns && r->t_ns < range.to_ns;
}

/* Stores a row for each allocation of the tracks in the range, and for each free of the tracks in
 * the range of memory that was allocated before the recording. */
static void make_rows(const struct ps_memory_records *records, struct ps_range range,
                      const struct ps_track_set *tracks, struct ps_computed_table *out)
{
    size_t cap = records->n;

    ps_computed_table_alloc(out, PS_TEMP_ALLOCATIONS, cap, N_COLUMNS);
    out->temp_rows.n = 0;
    for (size_t i = 0; i < records->n; i++) {
        const struct ps_memory_record *r = &records->items[i];
        const struct ps_memory_record *end = r->partner ? &records->items[r->partner - 1] : NULL;
        int64_t *row = out->values + out->temp_rows.n;
        bool allocates = r->bytes > 0;

        if (!in_range(r, range) || !ps_track_set_has(tracks, ps_track_of_slice(r->slice)) ||
            r->bytes == 0 || (!allocates && end))
            continue;
        end = allocates ? end : r;
        row[BEGIN * cap] = allocates ? r->t_ns : PS_TEMP_NULL;
        row[END * cap] = end ? end->t_ns : PS_TEMP_NULL;
        row[BYTES * cap] = allocates ? r->bytes : (int64_t)(0 - (uint64_t)r->bytes);
        row[TYPE * cap] = r->type;
        row[DEVICE * cap] = r->device;
        row[ADDRESS * cap] = id_or_null(r->address);
        row[SLICE * cap] = allocates ? id_or_null(r->slice) : PS_TEMP_NULL;
        row[FREED_BY * cap] = end ? id_or_null(end->slice) : PS_TEMP_NULL;
        row[NAME * cap] = PS_TEMP_NULL;
        row[WORKER * cap] = r->worker;
        out->temp_rows.n++;
    }
}

/* A slice id, and the cell that gets the name of the slice. Sorted by slice id. */
struct allocation_slice {
    int64_t slice;
    int64_t *out;
};

struct allocation_slices {
    struct allocation_slice *items;
    size_t n, next;
};

static int by_slice(const void *a, const void *b)
{
    const struct allocation_slice *x = a, *y = b;

    return (x->slice > y->slice) - (x->slice < y->slice);
}

static bool add_names(void *user, const struct ps_chunk *chunk)
{
    struct allocation_slices *names = user;
    int64_t first = ps_slice_id(chunk->track, chunk->first);

    while (names->next < names->n && names->items[names->next].slice < first)
        names->next++;
    for (; names->next < names->n; names->next++) {
        struct allocation_slice *named = &names->items[names->next];

        if (named->slice - first >= chunk->n)
            break;
        *named->out =
            id_or_null(ps_chunk_value(chunk, PS_COL_NAME, (uint32_t)(named->slice - first)));
    }
    return names->next < names->n;
}

/* Sets the column NAME of all rows to the name of the slice that allocated. Reads the chunks once,
 * in the order of slice ids. cap: number of rows that *made was allocated for. */
static enum ps_status read_names(struct ps_db *db, struct ps_computed_table *computed, size_t cap,
                                 struct ps_err *err)
{
    struct ps_chunk_query query = {.range = PS_RANGE_ALL, .columns = PS_COL_BIT(PS_COL_NAME)};
    struct allocation_slices names = {ps_grow(NULL, computed->temp_rows.n + 1, sizeof *names.items),
                                      0, 0};

    for (size_t i = 0; i < computed->temp_rows.n; i++)
        if (computed->values[SLICE * cap + i] != PS_TEMP_NULL)
            names.items[names.n++] = (struct allocation_slice){computed->values[SLICE * cap + i],
                                                               &computed->values[NAME * cap + i]};
    if (names.n) {
        qsort(names.items, names.n, sizeof *names.items, by_slice);
        ps_trace_each_chunk(db, &query, add_names, &names, err);
    }
    free(names.items);
    return err->code;
}

enum ps_status ps_make_allocation_rows(struct ps_db *db, struct ps_params params,
                                       struct ps_computed_table *out, struct ps_err *err)
{
    PS_AUTO(ps_memory_records_free) struct ps_memory_records records = {0};
    PS_AUTO(ps_track_set_free) struct ps_track_set tracks = {0};
    struct ps_range range;

    ps_param_range(params, &range, err);
    ps_param_tracks(db, params, &tracks, err);
    if (ps_memory_records_read(db, &records, err) != PS_OK)
        return err->code;
    make_rows(&records, range, &tracks, out);
    return read_names(db, out, records.n, err);
}
